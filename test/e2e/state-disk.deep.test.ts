import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { AGENT, agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";

const SCRIPT = { turns: [{ text: "ok" }], loop: true };

/** Runs a shell's words with `agent` in them where its own mounts may be made; lines of both outputs, and `rc=N` behind each run. */
async function mounted(ctx: TestContext, at: Place, words: string): Promise<string> {
  needs(ctx, missingTool("unshare"));
  const script = `agent() { "$NODE" "$PROGRAM" "$@" </dev/null 2>&1; echo "rc=$?"; }\n${words}`;
  const env = { ...agentEnv(at), NODE: process.execPath, PROGRAM: AGENT, STATE: at.state };
  const { error, out } = await new Promise<{ error: Error | null; out: string }>((done) => {
    const args = ["--map-root-user", "--mount", "sh", "-c", script];
    execFile("unshare", args, { cwd: at.folder, env, encoding: "utf8" }, (e, o) => done({ error: e, out: o }));
  });
  needs(ctx, error === null ? undefined : `no mounts can be made here: ${error.message.split("\n").at(-2) ?? ""}`);
  return out;
}

async function talked(at: Place): Promise<string> {
  expect(await runAgent(at, ["-p", "--model", scriptFile(at, SCRIPT), "hello"])).toMatchObject({ code: 0 });
  return listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? expect.fail("no session");
}

describe("E4: a state folder that can't be written", () => {
  it("E4, U2: read-only: every command says so with exit code 1; what only reads works", async (ctx) => {
    const at = place();
    const id = await talked(at);
    const readOnly = 'mount --bind "$STATE" "$STATE" && mount -o remount,ro,bind "$STATE" || exit 9\n';
    const model = scriptFile(at, SCRIPT);
    const writes = [`-p --model ${model} x`, `-p --model ${model} --resume ${id} x`, `sessions rename ${id} y`, "undo"];
    const out = await mounted(ctx, at, readOnly + writes.map((words) => `agent ${words}\n`).join(""));
    expect(out.match(/rc=\d+/g)).toEqual(["rc=1", "rc=1", "rc=1", "rc=1"]);
    expect(out.match(/the file system is read-only \(EROFS\)/g)).toHaveLength(4);
    const reads = ["sessions hello", "sessions --reindex", `trace ${id} --verify`, `export ${id}`];
    const read = await mounted(ctx, at, readOnly + reads.map((words) => `agent ${words}\n`).join(""));
    expect(read.match(/rc=\d+/g)).toEqual(["rc=0", "rc=0", "rc=0", "rc=0"]);
    expect(read).toContain("no index can be made here");
  });

  it("E4: full: said with exit code 1; of an export that did not fit nothing is left", async (ctx) => {
    const at = place();
    const id = await talked(at);
    const small = 'mkdir "$STATE/small" && mount -t tmpfs -o size=16k none "$STATE/small" || exit 9\n';
    const fill = 'head -c 12k /dev/zero > "$STATE/small/fill"\n';
    const big = `agent -p --model ${scriptFile(at, SCRIPT)} --resume ${id} "$(head -c 40000 /dev/zero | tr '\\0' x)"\n`;
    const words = `agent export ${id} "$STATE/small/out.html"\nls "$STATE/small"\n`;
    const out = await mounted(ctx, at, small + fill + big + words);
    expect(out).toContain("no space left on device");
    expect(out.match(/rc=\d+/g)).toEqual(["rc=0", "rc=1"]);
    expect(out.trimEnd().split("\n").at(-1)).toBe("fill");
    const full = 'mount -t tmpfs -o size=4k none "$STATE" && head -c 4k /dev/zero > "$STATE/fill" || exit 9\n';
    const run = await mounted(
      ctx,
      at,
      `${full}agent -p --model ${scriptFile(at, SCRIPT)} x\nagent changes\nagent undo\n`,
    );
    expect(run.match(/rc=\d+/g)).toEqual(["rc=1", "rc=1", "rc=1"]);
  });
});

describe("E4: what lies in a head's place and is no file", () => {
  const kinds: [string, (path: string) => void][] = [
    ["a link", (path) => symlinkSync("/etc/hostname", path)],
    ["a pipe", (path) => void execFileSync("mkfifo", [path])],
  ];
  it.each(kinds)("E4: %s is told and put aside: the session goes on and can be deleted", async (_, put) => {
    const at = place();
    const id = await talked(at);
    const head = join(at.state, "understudy", "sessions", `${id}.head`);
    rmSync(head);
    put(head);
    const run = await runAgent(at, ["-p", "--model", scriptFile(at, SCRIPT), "--resume", id, "more"]);
    expect([run.code, run.out]).toEqual([0, "ok\n"]);
    expect(run.err).toContain(`${id}.head, which tells where the log ends, is missing or damaged`);
    expect(readFileSync(head, "utf8")).toContain('"prompts":2');
    expect(await runAgent(at, ["sessions", "delete", id, "--yes"])).toMatchObject({ code: 0 });
    expect([existsSync(head), existsSync(`${head}.aside`)]).toEqual([false, false]);
  });
});

it("U2: in a folder that is gone every command says so, exit code 2", async () => {
  const at = place();
  const gone = join(at.folder, "gone");
  for (const args of [["sessions"], ["undo"], ["doctor"]]) {
    mkdirSync(gone);
    const run = await new Promise<{ code: unknown; err: string }>((done) => {
      const words = `rmdir "$PWD"; exec "$0" "$@"`;
      const child = execFile(
        "sh",
        ["-c", words, process.execPath, AGENT, ...args],
        { cwd: gone, env: agentEnv(at), encoding: "utf8" },
        (error, _, err) => done({ code: error === null ? 0 : error.code, err }),
      );
      child.stdin?.end();
    });
    expect([args, run]).toEqual([
      args,
      { code: 2, err: "agent: the folder that you are in is gone; go to one that is there and start again\n" },
    ]);
    if (existsSync(gone)) rmdirSync(gone);
  }
});
