import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { startApi } from "../support/api-server.ts";
import { commandsWith, processes } from "../support/processes.ts";
import { agentEnv, scriptFile, startAgent } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { collect, openAt, place } from "../support/session.ts";

// What peers were measured to get wrong, where no other test has it: streams and their ends in `streams.test.ts`, repeats and failing tools in
// `test/e2e/exit-codes.test.ts`, standard input and output in `test/field/api-streams.test.ts`.

const BUILT = resolve(import.meta.dirname, "../../bin/agent.js");
const bash = (command: string, more: object = {}) => ({ name: "Bash", input: { command, ...more } });

describe("S7: what the program started ends with it", { timeout: 120_000 }, () => {
  it.for(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
    "after %s no command and no daemon lives on",
    async (signal, ctx) => {
      needs(ctx, missingTool("bwrap"));
      const at = place("peers");
      const mark = `8${process.pid}${signal.length}`;
      const command = `setsid nohup sleep ${mark}1 >/dev/null 2>&1 & (sleep ${mark}2 &) ; echo begun; sleep ${mark}3`;
      const { child, done } = startAgent(at, [
        "-p",
        "go",
        "--model",
        scriptFile(at, { turns: [{ calls: [bash(command)] }] }),
      ]);
      await expect
        .poll(() => commandsWith(`sleep ${mark}`).filter((l) => l.startsWith("sleep")).length, { timeout: 60_000 })
        .toBe(3);
      child.kill(signal);
      const { code, signal: by } = await done;
      expect([code, by]).toEqual(signal === "SIGKILL" ? [null, signal] : [signal === "SIGINT" ? 130 : 143, null]);
      await expect.poll(() => commandsWith(`sleep ${mark}`), { timeout: 30_000 }).toEqual([]);
    },
  );
});

/** Most memory that a program and all its children had at one time, by the kernel's own peak of each, in bytes. */
async function peakOf(pid: number, ended: Promise<unknown>): Promise<number> {
  let over = false;
  void ended.then(() => (over = true));
  const peaks = new Map<number, number>();
  let most = 0;
  while (!over) {
    const all = processes();
    const tree = new Set([pid]);
    for (let before = 0; before < tree.size;) {
      before = tree.size;
      for (const p of all) if (tree.has(p.ppid)) tree.add(p.pid);
    }
    for (const one of tree) peaks.set(one, Math.max(peaks.get(one) ?? 0, hwm(one)));
    most = Math.max(
      most,
      [...tree].reduce((sum, one) => sum + (peaks.get(one) ?? 0), 0),
    );
    await new Promise((next) => setTimeout(next, 30));
  }
  return most;
}

function hwm(pid: number): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

describe("memory", () => {
  it("50 MB of a command's output stay under 150 MiB, all processes together", { timeout: 180_000 }, async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = place("peers");
    const outputs = ["head -c 52428800 /dev/zero | tr '\\0' x", "yes some words of a line | head -c 52428800"];
    const model = scriptFile(at, {
      turns: [...outputs.map((command) => ({ calls: [bash(command)] })), { text: "Seen." }],
    });
    const child = spawn(process.execPath, [BUILT, "-p", "go", "--model", model], { cwd: at.folder, env: agentEnv(at) });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (s: string) => (out += s));
    const done = new Promise((finish) => child.on("close", finish));
    const most = await peakOf(child.pid ?? 0, done);
    expect([await done, out]).toEqual([0, "Seen.\n"]);
    expect(most / (1 << 20)).toBeLessThan(150);
    expect(most / (1 << 20)).toBeGreaterThan(30);
  });
});

describe("commands that wait for somebody", () => {
  it(
    "a child that holds the pipe, an editor and a pager cost no more than their limits",
    { timeout: 180_000 },
    async (ctx) => {
      needs(ctx, missingTool("bwrap"));
      needs(ctx, missingTool("git"));
      const at = place("peers");
      const git = "git init -q . && git -c user.name=t -c user.email=t@example.invalid";
      const commands = [
        "sleep 86401 & echo held",
        `${git} commit --allow-empty; echo edited`,
        `${git} commit -q --allow-empty -m "$(seq 1 500)"; git --paginate log; echo paged`,
        "cat; echo read",
        "less /etc/passwd >/dev/null; echo seen",
      ];
      const turns = [
        ...commands.map((command) => ({ calls: [bash(command, { timeout_ms: 60_000 })] })),
        { text: "All." },
      ];
      const session = await openAt(at, { script: { turns }, more: { mode: "auto" } });
      onTestFinished(() => session.close());
      const { events, result } = await collect(
        session.submit([{ type: "text", text: "go" }], new AbortController().signal),
      );
      const ends = events.filter((e) => e.type === "call.finished");
      const words = ends.map((e) => e.content.map((b) => (b.type === "text" ? b.text : "")).join(""));
      expect(result.text).toBe("All.");
      for (const [i, word] of ["held", "edited", "paged", "read", "seen"].entries()) expect(words[i]).toContain(word);
      expect(words.filter((text) => /timed out|time limit/i.test(text))).toEqual([]);
      expect(commandsWith("sleep 86401")).toEqual([]);
    },
  );
});

describe("a service that says no", () => {
  it("a 401 ends at once: one request, no wait", async () => {
    const at = place("peers");
    const api = await startApi(() => ({ fault: { kind: "status", status: 401 } }));
    writeFileSync(join(at.config, "settings.json"), '{"retry":{"attempts":100,"minutes":1000}}');
    const { code, err } = await startAgent(at, ["-p", "go"], { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "k" })
      .done;
    expect([code, api.requests.length]).toEqual([1, 1]);
    expect(err).toMatch(/refused the key/);
  });
});
