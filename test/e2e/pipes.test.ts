import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type AgentRun, scriptFile, startAgent } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";
import { scratch } from "../support/scratch.ts";
import { repo } from "../support/workspace-step.ts";

/** Ended hard after a while: what waits for a pipe hears no other signal. */
async function ended(at: Place, args: readonly string[], ms: number): Promise<AgentRun> {
  const { child, done } = startAgent(at, args);
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  const run = await done;
  clearTimeout(timer);
  return run;
}

it(
  "SEC-9: a command that puts named pipes in the way of searches and of git hangs neither",
  { timeout: 90_000 },
  async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    needs(ctx, missingTool("git"));
    const at = place("pipes");
    repo(at.folder);
    const commit =
      "git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m m; mkdir -p .git/objects/info .git/objects/pack; mkfifo .git/objects/info/alternates";
    const model = scriptFile(at, {
      turns: [
        { calls: [{ name: "Bash", input: { command: "mkfifo .gitignore" } }] },
        {
          calls: [
            { name: "Grep", input: { pattern: "alpha" } },
            { name: "Glob", input: { pattern: "*.txt" } },
          ],
        },
        { calls: [{ name: "Bash", input: { command: commit } }] },
        { text: "Through." },
      ],
    });
    const run = await ended(at, ["-p", "go", "--rehearse", "--model", model], 75_000);
    expect([run.signal, run.code, run.out]).toEqual([null, 0, "Through.\n"]);
  },
);

it("SEC-19: a named pipe as the project's settings is told at the start", { timeout: 30_000 }, async () => {
  const at = place("pipes");
  mkdirSync(join(at.folder, ".agent"));
  execFileSync("mkfifo", [join(at.folder, ".agent/settings.json")]);
  const run = await ended(at, ["-p", "go", "--model", scriptFile(at, { turns: [{ text: "x" }] })], 20_000);
  expect(run.signal).toBeNull();
  expect(run.err).toContain("is no ordinary file");
});

it(
  "SEC-19: one in .claude/ is told once, and what it asks for is no rule that is advised",
  { timeout: 30_000 },
  async () => {
    const at = place("pipes");
    mkdirSync(join(at.folder, ".claude"));
    execFileSync("mkfifo", [join(at.folder, ".claude/settings.json")]);
    const read = { calls: [{ name: "Read", input: { file_path: "/proc/1/environ" } }] };
    const run = await ended(at, ["-p", "go", "--model", scriptFile(at, { turns: [read, { text: "x" }] })], 20_000);
    expect(run.signal).toBeNull();
    expect(run.err.match(/ordinary file/g)).toHaveLength(1);
    expect(run.err).toContain("Until then reads, commands and changes ask.");
    expect(run.err).not.toContain("--allow");
  },
);

it("SEC-9: SIGTERM ends the program and its git while a change is judged", { timeout: 60_000 }, async (ctx) => {
  needs(ctx, missingTool("bwrap"));
  needs(ctx, missingTool("git"));
  const at = place("pipes");
  repo(at.folder);
  const bin = scratch("bin");
  const began = join(bin, "began");
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho $$ >> ${began}\nexec /bin/sleep 600\n`, { mode: 0o755 });
  const command = "/usr/bin/git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m m";
  const model = scriptFile(at, { turns: [{ calls: [{ name: "Bash", input: { command } }] }, { text: "x" }] });
  const path = `${bin}:/usr/local/bin:/usr/bin:/bin`;
  const { child, done } = startAgent(at, ["-p", "go", "--rehearse", "--model", model], { PATH: path });
  await expect.poll(() => existsSync(began), { timeout: 25_000 }).toBe(true);
  child.kill("SIGTERM");
  // Well below the limit of a single call of git's.
  const timer = setTimeout(() => child.kill("SIGKILL"), 12_000);
  const run = await done;
  clearTimeout(timer);
  expect([run.signal, run.code]).toEqual([null, 143]);
  const pids = readFileSync(began, "utf8").trim().split("\n");
  expect(pids).toHaveLength(1);
  await expect.poll(() => existsSync(`/proc/${pids[0]}`), { timeout: 30_000 }).toBe(false);
});
