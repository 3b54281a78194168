import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram, runProcess } from "../../../src/util/process.ts";
import { missingTool, needs } from "../../support/runnable.ts";
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
    const bound = await runProcess("/nowhere/x", [], { cwd: "/", env: {}, bound: true });
    expect(bound.failed).toMatch(/ENOENT|No such file/);
  });
  it("gives output and exit code of a bound program", async () => {
    const run = await runProcess(sh, ["-c", 'cat; echo "$A"; exit 3'], {
      cwd: "/",
      env: { A: "1" },
      input: "in",
      bound: true,
    });
    expect([run.code, text(run.stdout), run.failed]).toEqual([3, "in1\n", undefined]);
  });
  it("SEC-9: a bound program is gone when this one is killed", async (ctx) => {
    needs(ctx, missingTool("setpriv"));
    const file = join(scratch(), "pid");
    const source = new URL("../../../src/util/process.ts", import.meta.url).href;
    const lines = `import { runProcess } from ${JSON.stringify(source)};
await runProcess("/bin/sh", ["-c", ${JSON.stringify(`echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 600`)}], { cwd: "/", env: { PATH: "/usr/bin:/bin" }, bound: true });`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", lines], { stdio: "ignore" });
    await expect.poll(() => existsSync(file), { timeout: 8000 }).toBe(true);
    const pid = Number(readFileSync(file, "utf8"));
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    parent.kill("SIGKILL");
    const state = (): string | undefined => {
      try {
        return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      } catch {
        return undefined;
      }
    };
    try {
      await expect.poll(() => [undefined, "Z"].includes(state()), { timeout: 5000 }).toBe(true);
    } finally {
      if (state() === "S") process.kill(pid, "SIGKILL");
    }
  }, 20_000);
});

describe("findProgram", () => {
  it("takes nothing from relative folders or below the project", () => {
    const dir = scratch();
    writeFileSync(join(dir, "tool"), "#!/bin/sh\n", { mode: 0o755 });
    expect(findProgram("tool", `.:${dir}`)).toBe(join(dir, "tool"));
    expect(findProgram("tool", `.:${dir}`, [dir])).toBeUndefined();
  });
});
