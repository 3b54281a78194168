import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh folder that is gone after the test. */
export function scratch(name = "t"): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), `understudy-${name}-`)));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
