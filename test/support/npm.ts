import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratch } from "./scratch.ts";

const run = promisify(execFile);

/** Packages of the registry in a folder of their own, whose scripts are not run. `missing`: why they can't be had here. */
export async function installed(...packages: readonly string[]): Promise<{ dir: string; missing?: string }> {
  const dir = scratch("npm");
  writeFileSync(join(dir, "package.json"), '{"private":true}');
  try {
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...flags, ...packages], { cwd: dir, timeout: 400_000 });
    return { dir };
  } catch (error) {
    return { dir, missing: `the registry gives no ${packages.join(", ")}: ${String(error).slice(0, 200)}` };
  }
}
