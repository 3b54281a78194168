import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hookEnv } from "../../../src/hooks/env.ts";
import { runCommand, type CommandRun } from "../../../src/hooks/run-command.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";
import { hookScript } from "../../support/hooks.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";

interface Options {
  timeoutMs?: number;
  signal?: AbortSignal;
  input?: string;
}

async function run(
  command: string,
  cwd: string,
  { timeoutMs = 60_000, signal, input = "{}" }: Options = {},
): Promise<CommandRun & { out: string }> {
  const mark = randomId("run");
  const env = hookEnv({ PATH: "/usr/local/bin:/usr/bin:/bin" }, cwd, mark);
  const stop = signal ?? new AbortController().signal;
  const ran = await runCommand(command, { cwd, env, mark, input, timeoutMs, clock: systemClock, signal: stop });
  return { ...ran, out: Buffer.from(ran.stdout).toString("utf8") };
}

const isAlive = (pid: number): boolean => {
  try {
    // A zombie is nobody's any more.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("runCommand", () => {
  it("H4: a program that ends well gives its exit, its output and nothing else", async () => {
    const dir = scratch("hook");
    expect(await run("cat; echo end >&2; exit 3", dir, { input: '{"a":1}' })).toMatchObject({
      exit: 3,
      out: '{"a":1}',
      left: 0,
    });
  });
  it("H4: one that hangs is ended after its time, one that ignores that too, and what it started with it", async () => {
    const dir = scratch("hook");
    const ran = await run("trap '' TERM; sleep 300 & echo $! > pid; wait; sleep 300", dir, { timeoutMs: 300 });
    expect(ran).toMatchObject({ exit: null, failed: "did not end within 0.3 s, and was ended" });
    expect(isAlive(Number(readFileSync(join(dir, "pid"), "utf8")))).toBe(false);
  });
  it("hook-grandchild: a child in the background that holds the output open is ended, and the hook counts as done", async () => {
    const dir = scratch("hook");
    const bg = hookScript(dir, "bg.sh", "sleep 300 &\necho $! > pid\necho ok");
    expect(await run(bg, dir)).toMatchObject({ exit: 0, out: "ok\n", left: 1 });
    expect(isAlive(Number(readFileSync(join(dir, "pid"), "utf8")))).toBe(false);
  });
  it("H4: a daemon in a session of its own is found and ended", async (ctx) => {
    needs(ctx, existsSync("/proc/self/environ") ? undefined : "no /proc");
    const dir = scratch("hook");
    const ran = await run(
      "setsid sh -c 'echo $$ > pid; exec sleep 300' </dev/null >/dev/null 2>&1 & until test -s pid; do :; done",
      dir,
    );
    expect(ran).toMatchObject({ exit: 0, left: 1 });
    expect(isAlive(Number(readFileSync(join(dir, "pid"), "utf8")))).toBe(false);
  });
  it("hook-ignores-stdin: one that never reads its input is no fault, however long that is", async () => {
    const dir = scratch("hook");
    const quick = hookScript(dir, "quick.sh", "exit 0");
    const input = JSON.stringify({ content: "x".repeat(3 << 20) });
    for (let n = 0; n < 3; n++) expect(await run(quick, dir, { input })).toMatchObject({ exit: 0, left: 0 });
    expect(await run("exec <&-; exit 0", dir, { input })).toMatchObject({ exit: 0 });
  });
  it("H4: one that prints without end is ended, and little of it is kept", async () => {
    const ran = await run("head -c 100000000 /dev/zero", scratch("hook"));
    expect(ran).toMatchObject({ exit: null, failed: "printed more than 1 MiB, and was ended" });
    expect(ran.stdout.length).toBe(1 << 20);
  });
  it("H4: what can't be started is no block: missing, not executable, no shell line, no folder", async () => {
    const dir = scratch("hook");
    const plain = hookScript(dir, "plain.sh", "exit 2", 0o644);
    const missing = [
      `${dir}/no.sh`,
      `"$AGENT_PROJECT_DIR"/no.sh --x`,
      `python3 ${dir}/no.py`,
      "node ./no.mjs && true",
      "'/no where/x'",
    ];
    for (const command of missing)
      expect([command, (await run(command, dir)).failed]).toEqual([command, expect.stringContaining("is not there")]);
    for (const command of [plain, "no-such-program-x1"])
      expect([command, (await run(command, dir)).failed]).toEqual([
        command,
        expect.stringContaining("could not be started"),
      ]);
    expect((await run("if", dir)).failed).toContain("is no valid shell");
    expect((await run("true", join(dir, "gone"))).failed).toContain("could not be started");
    // An interpreter that is told what to do by itself has no script.
    expect(await run("bash -c 'exit 2'", dir)).toMatchObject({ exit: 2 });
  });
  it("S7: the person's stop ends it at once", async () => {
    const dir = scratch("hook");
    const stop = new AbortController();
    const running = run("echo $$ > pid; sleep 300", dir, { signal: stop.signal });
    while (!existsSync(join(dir, "pid"))) await systemClock.sleep(10);
    stop.abort();
    expect(await running).toMatchObject({ exit: null, failed: "was stopped" });
  });
  it("H4: shell start-up files are not read", async () => {
    const dir = scratch("hook");
    writeFileSync(join(dir, ".bashrc"), "echo from the rc\n");
    expect((await run(`HOME=${dir} bash -c true; echo ok`, dir)).out).toBe("ok\n");
  });
});

describe("hookEnv", () => {
  it("S: keys of any name stay out, the rest and the project's folder are there", () => {
    const keys = [
      "ANTHROPIC_API_KEY",
      "GITHUB_TOKEN",
      "AWS_SECRET_ACCESS_KEY",
      "DB_PASSWORD",
      "npmAuthToken",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "GH_PAT",
      "PGPASSWORD",
      "MYSQL_PWD",
      "SENTRY_DSN",
      "SMTP_PASS",
      "SSHPASS",
      "REDISCLI_AUTH",
      "NODE_OPTIONS",
      "BASH_ENV",
    ];
    const kept = [
      "PATH",
      "HOME",
      "LANG",
      "SSH_AUTH_SOCK",
      "KEYBOARD",
      "MONKEY_ISLAND",
      "PATIENCE",
      "PWD",
      "OLDPWD",
      "COMPASS",
    ];
    const env = hookEnv(Object.fromEntries([...keys, ...kept].map((name) => [name, "v"])), "/p", "m");
    expect(Object.keys(env).toSorted()).toEqual(
      [...kept, "AGENT_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "AGENT_HOOK_RUN"].toSorted(),
    );
    expect(env).toMatchObject({ AGENT_PROJECT_DIR: "/p", CLAUDE_PROJECT_DIR: "/p" });
  });
  it("S: addresses with a password in them stay out whatever they are called; those without are there", () => {
    const urls = {
      DATABASE_URL: "postgres://me:geheim@db/x",
      REDIS: "redis://:geheim@cache:6379",
      LIST: "http://a/ amqp://u:p%40w@q/",
      PLAIN_URL: "https://host:8080/path@1.2:x@y",
      GIT: "ssh://git@host:22/x",
      MAIL: "me:you@host",
    };
    const env = hookEnv(urls, "/p", "m");
    expect(Object.keys(urls).filter((name) => name in env)).toEqual(["PLAIN_URL", "GIT", "MAIL"]);
  });
});
