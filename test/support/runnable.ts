import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "vitest";

/** Ends a test as not runnable when `missing` says why; with REQUIRE_ALL=1 that is a failure. */
export function needs(ctx: TestContext, missing: string | undefined): void {
  if (missing === undefined) return;
  if (process.env["REQUIRE_ALL"] === "1") throw new Error(`not runnable: ${missing}`);
  ctx.skip(missing);
}

/** Why a program of the search path can't be had, or undefined when it is there. */
export function missingTool(name: string): string | undefined {
  for (const dir of (process.env["PATH"] ?? "").split(delimiter)) {
    try {
      accessSync(join(dir, name), constants.X_OK);
      return undefined;
    } catch {
      continue;
    }
  }
  return `${name} is not installed`;
}
