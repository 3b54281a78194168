import { existsSync, readFileSync } from "node:fs";

/** Understudy's version. `package.json` lies beside `dist/` and beside `src/`. */
export function programVersion(): string {
  const beside = new URL("../package.json", import.meta.url);
  const file = existsSync(beside) ? beside : new URL("../../package.json", import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0";
}
