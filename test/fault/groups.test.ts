import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { until } from "../support/group-bench.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { processesWith } from "../support/sandbox-shell.ts";
import { scratch } from "../support/scratch.ts";

const root = process.getuid?.() === 0;
const account = ordinaryUser();
const support = resolve(import.meta.dirname, "../support");
const tool = missingTool("bwrap") ?? missingTool("nsenter") ?? missingTool("python3");
const oddNap = (): string => `${300_000 + process.pid}.${Date.now() % 1_000_000}`;

/** Every process below one. */
function below(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((t) => readFileSync(`/proc/${pid}/task/${t}/children`, "latin1").trim().split(" "));
    return children.filter((c) => c !== "").flatMap((c) => [Number(c), ...below(Number(c))]);
  } catch {
    return [];
  }
}

function isGone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return /\) [ZX] /.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return true;
  }
}

function refused(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => (socket.destroy(), done(false))).once("error", () => done(true));
  });
}

/** Waits until the shells run, kills the program; what is left when all their processes have ended. */
async function leftBy(child: ChildProcess, nap: string, tmp: string): Promise<string[]> {
  let out = "";
  for (const pipe of [child.stdout, child.stderr]) pipe?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  await until(() => /RUNNING \d+/.test(out) || child.exitCode !== null, out);
  const port = Number(/RUNNING (\d+)/.exec(out)?.[1]);
  expect(await refused(port)).toBe(false);
  const all = below(child.pid ?? 0);
  // Two shells with what they started, and the relay.
  expect(all.length).toBeGreaterThan(6);
  expect(processesWith(nap).length).toBeGreaterThanOrEqual(3);
  child.kill("SIGKILL");
  await until(() => all.every(isGone), `left: ${all.filter((p) => !isGone(p)).join(" ")}`);
  return [
    ...processesWith(nap).map((pid) => `process ${pid}`),
    ...((await refused(port)) ? [] : [`port ${port}`]),
    ...(readFileSync("/proc/self/mountinfo", "utf8").includes(tmp) ? ["a mount"] : []),
  ];
}

describe("kill -9 of the program", () => {
  it("T1: as root: nothing of its background shells is left, no process, mount or port", async (ctx) => {
    needs(ctx, root ? tool : "this user is not root");
    const nap = oddNap();
    const tmp = scratch("group-hang");
    const child = spawn(process.execPath, [join(support, "group-hang.ts"), "overlay-root", nap], {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(await leftBy(child, nap, tmp)).toEqual([]);
  });

  it("T1: as an ordinary user: nothing of its background shells is left, no process, mount or port", async (ctx) => {
    needs(ctx, tool);
    if (account === undefined) return needs(ctx, "there is no ordinary user");
    const nap = oddNap();
    const started = startAs(account, "group-hang.ts", ["overlay-bwrap", nap]);
    onTestFinished(() => started.remove());
    expect(await leftBy(started.child, nap, started.tmp)).toEqual([]);
  });
});
