import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { resolve } from "node:path";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { deep } from "../support/deep.ts";
import { listen } from "../support/net.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { processesWith } from "../support/sandbox-shell.ts";
import { scratch } from "../support/scratch.ts";

/** The third one differs only in who puts the walls up. */
const KINDS: SandboxKind[] = [
  "overlay-root",
  "overlay-bwrap",
  ...(deep(0, 1) === 1 ? ["overlay-unshare" as const] : []),
];
const root = process.getuid?.() === 0;

async function until(what: () => boolean, why: () => string): Promise<void> {
  for (const end = Date.now() + 20_000; !what();) {
    if (Date.now() > end) throw new Error(`it never came: ${why()}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

function start(kind: SandboxKind, args: string[], ctx: TestContext): ChildProcess {
  if (kind === "overlay-root") {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    return spawn(process.execPath, [resolve(import.meta.dirname, "../support/net-hang.ts"), kind, ...args], {
      env: { ...process.env, TMPDIR: scratch("net") },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
  const account = ordinaryUser();
  needs(
    ctx,
    account === undefined ? "there is no ordinary user" : missingTool(kind === "overlay-bwrap" ? "bwrap" : "perl"),
  );
  if (account === undefined) throw new Error("no ordinary user");
  const started = startAs(account, "net-hang.ts", [kind, ...args]);
  onTestFinished(() => started.remove());
  return started.child;
}

describe("kill -9 of the agent while a command reaches the network", () => {
  it.for<SandboxKind>(KINDS)("T7: %s: the connection ends, nothing of command and proxy is left", async (kind, ctx) => {
    needs(ctx, missingTool("curl"));
    let reached: Socket | undefined;
    const web = await listen(
      createServer((socket) => {
        reached = socket.resume();
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nBEGIN\n");
      }),
    );
    onTestFinished(() => web.close());
    const mark = `${300_000 + process.pid}.${Date.now() % 1_000_000}`;
    const command = `sleep ${mark} & curl -sN http://127.0.0.1:${web.port}/; sleep ${mark}`;
    const child = start(kind, [`127.0.0.1:${web.port}`, command], ctx);
    let out = "";
    for (const pipe of [child.stdout, child.stderr]) pipe?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    await until(
      () => out.includes("BEGIN"),
      () => out,
    );
    expect(processesWith(mark).length).toBeGreaterThanOrEqual(2);
    const closed = new Promise((done) => reached?.once("close", done));
    child.kill("SIGKILL");
    await closed;
    await until(
      () => processesWith(mark).length === 0,
      () => processesWith(mark).join(),
    );
    expect(processesWith(`127.0.0.1:${web.port}`)).toEqual([]);
  });
});
