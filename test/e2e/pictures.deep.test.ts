import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { missingTool, needs } from "../support/runnable.ts";

const root = resolve(import.meta.dirname, "../..");

it("the pictures of README and docs are what the program shows now", { timeout: 300_000 }, (ctx) => {
  needs(ctx, missingTool("bwrap"));
  const check = () =>
    execFileSync(process.execPath, ["scripts/picture.mjs", "--check", "--built"], { cwd: root, stdio: "pipe" });
  expect(check).not.toThrow();
});
