import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram, runProcess } from "../../../src/util/process.ts";
import { scratch } from "../../support/scratch.ts";

const sh = "/bin/sh";
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

describe("runProcess", () => {
  it("gives output and exit code, and only the environment it was given", async () => {
    const run = await runProcess(sh, ["-c", 'echo "$A-${HOME:-none}"; exit 3'], { cwd: "/", env: { A: "1" } });
    expect([run.code, text(run.stdout)]).toEqual([3, "1-none\n"]);
  });
  it("ends at the time limit together with its children", async () => {
    const run = await runProcess(sh, ["-c", "sleep 60 & sleep 60"], {
      cwd: "/",
      env: { PATH: "/bin:/usr/bin" },
      timeoutMs: 50,
    });
    expect([run.code, run.timedOut]).toEqual([null, true]);
  });
  it("keeps at most maxBytes", async () => {
    const run = await runProcess(sh, ["-c", "while :; do echo aaaaaaaaaaaaaaa; done"], {
      cwd: "/",
      env: {},
      maxBytes: 1000,
    });
    expect([run.truncated, run.stdout.length]).toEqual([true, 1000]);
  });
  it("says why a program can't be started", async () => {
    const run = await runProcess("/nowhere/x", [], { cwd: "/", env: {} });
    expect(run.code).toBeNull();
    expect(run.failed).toContain("ENOENT");
  });
});

describe("findProgram", () => {
  it("takes nothing from relative folders or below the project", () => {
    const dir = scratch();
    writeFileSync(join(dir, "tool"), "#!/bin/sh\n", { mode: 0o755 });
    expect(findProgram("tool", `.:${dir}`)).toBe(join(dir, "tool"));
    expect(findProgram("tool", `.:${dir}`, [dir])).toBeUndefined();
  });
});
