import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { LogEventOf, SessionEvent } from "../../../src/events/event.ts";
import { toMessages } from "../../../src/events/messages.ts";
import type { Check, Checks } from "../../../src/loop/check.ts";
import { exitCode } from "../../../src/session/exit-code.ts";
import type { QueryResult, Session } from "../../../src/session/session.ts";
import {
  answers,
  collect,
  openAt,
  place,
  type Place,
  type ScriptInput,
  type SessionInput,
} from "../../support/session.ts";

const never = () => new AbortController().signal;
const write = (file_path: string, content: string) => ({ calls: [{ name: "Write", input: { file_path, content } }] });
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const command = (words: string, more: Partial<Check & { kind: "command" }> = {}): Check => ({
  kind: "command",
  name: "tests",
  command: words,
  timeoutMs: 60_000,
  ...more,
});
const checks = (...list: Check[]): Checks => ({ list, rounds: 3 });
const ran = (events: readonly SessionEvent[]) =>
  events.filter((e): e is LogEventOf<"check.ran"> => e.type === "check.ran");

const MACHINE = {
  env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  home: "/nonexistent",
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  platform: process.platform,
  arch: process.arch,
};

/** Processes of this machine with these words as their command line. */
function running(words: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() === words;
    } catch {
      return false;
    }
  });
}

/** Step folders that lie on disk. */
function stepFolders(at: Place): string[] {
  const folders = join(at.state, "folders");
  return readdirSync(folders, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.parentPath.endsWith("/steps"))
    .map((entry) => entry.name);
}

interface Ran {
  at: Place;
  session: Session;
  events: SessionEvent[];
  result: QueryResult;
}

async function start(script: ScriptInput["turns"], list: Checks, more: SessionInput = {}, at = place("checks")) {
  return openAt(at, { script: { turns: script }, checks: list, more: { mode: "auto" }, ...more });
}

function say(session: Session, words = "go") {
  return collect(session.submit([text(words)], never()));
}

async function once(
  script: ScriptInput["turns"],
  list: Checks,
  more: SessionInput = {},
  at = place("checks"),
): Promise<Ran> {
  const session = await start(script, list, more, at);
  const { events, result } = await say(session);
  await session.close();
  return { at, session, events, result };
}

describe("completion checks", { timeout: 120_000 }, () => {
  it("S9: the model knows of them before its first reply, once", async () => {
    const all = checks(command("grep -q good a.txt\n  echo ok"), { name: "log", kind: "exists", paths: ["LOG.md"] });
    const session = await start([{ text: "Nothing to do." }, { text: "Nothing again." }], all);
    await say(session);
    await say(session);
    await session.close();
    const told = session.state().items.flatMap((item) => (item.kind === "note" ? item.text.split("\n") : []));
    expect(told.filter((line) => line.startsWith("Checks:"))).toEqual([
      "Checks: what you change has to pass these when you say that you are done: tests (`grep -q good a.txt …`); must exist: LOG.md",
    ]);
  });

  it("S9: a failure goes back to the model with its output; done is what passes", async () => {
    const { at, session, events, result } = await once(
      [write("a.txt", "bad"), { text: "Done." }, write("a.txt", "good"), { text: "Done now." }],
      checks(command("echo looking; grep -q good a.txt || { echo 'a.txt is bad'; exit 4; }")),
    );
    expect(result).toMatchObject({ reason: "done", text: "Done now.", turns: 4 });
    expect(ran(events).map((e) => [e.name, e.exit, e.round])).toEqual([
      ["tests", 4, 1],
      ["tests", 0, 2],
    ]);
    const told = JSON.stringify(toMessages(session.state()));
    expect(told).toContain('The check \\"tests\\" failed (exit code 4).\\n$ echo looking; grep -q good a.txt');
    expect(told).toContain("a.txt is bad");
    expect(told).toContain("Try 1 of 3");
    expect(result.checks).toEqual([
      expect.objectContaining({ name: "tests", exit: 0, tree: expect.stringMatching(/^[0-9a-f]{64}$/) as string }),
    ]);
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("good");
  });

  it("S9, S8: after three tries it is handed over to the person as a failure, exit code 1", async () => {
    const turns = [write("a.txt", "0"), ...[1, 2, 3].flatMap((n) => [{ text: "Done." }, write("a.txt", `${n}`)])];
    const { events, result } = await once([...turns, { text: "Done." }], checks(command("echo no good; exit 1")));
    expect(result.reason).toBe("checks-failed");
    expect(exitCode(result.reason)).toBe(1);
    expect(result.detail).toMatch(
      /^Not done: check "tests" failed \(exit code 1: no good\) after 3 tries to mend it\./,
    );
    expect(ran(events).map((e) => e.round)).toEqual([1, 2, 3, 4]);
  });

  it("S9: what passed is bound to the tree that it ran on: not run again on the same, run again after a change", async () => {
    const list = checks(command("cat a.txt"));
    const session = await start(
      [
        write("a.txt", "1"),
        { text: "Done." },
        { text: "Just talk." },
        bash("true"),
        { text: "Nothing." },
        write("a.txt", "2"),
        { text: "Done." },
      ],
      list,
    );
    const rounds = [];
    for (const words of ["a", "b", "c", "d"]) rounds.push(ran((await say(session, words)).events).length);
    await session.close();
    expect(rounds).toEqual([1, 0, 0, 1]);
  });

  it("S9: undone work needs no check; a query that only talks is not sent to mend what failed before, and is not done", async () => {
    const list: Checks = { list: [command("exit 1")], rounds: 0 };
    const session = await start(
      [write("a.txt", "1"), { text: "Done." }, { text: "It fails because." }, { text: "Fine." }],
      list,
    );
    expect((await say(session)).result.reason).toBe("checks-failed");
    const talk = await say(session, "why?");
    expect(talk.result).toMatchObject({ reason: "checks-failed", text: "It fails because.", turns: 1 });
    expect(talk.result.detail).toContain("nothing changed since");
    expect(ran(talk.events)).toEqual([]);
    await session.undo();
    expect((await say(session, "ok")).result).toMatchObject({ reason: "done", text: "Fine." });
    await session.close();
  });

  it("S9: nothing of a check stays, regenerable output neither, and what it changed of other files is told", async () => {
    const at = place("checks");
    writeFileSync(join(at.folder, "tracked.txt"), "mine\n");
    const words =
      "echo changed > tracked.txt; mkdir -p dist node_modules; echo x > dist/x; echo y > node_modules/y; ls";
    const { events, session } = await once(
      [write("a.txt", "1"), { text: "Done." }, bash("ls node_modules dist; cat tracked.txt"), { text: "Ok." }],
      checks(command(words)),
      {},
      at,
    );
    expect(ran(events)[0]).toMatchObject({ exit: 0, changed: ["tracked.txt"] });
    expect(readFileSync(join(at.folder, "tracked.txt"), "utf8")).toBe("mine\n");
    expect(existsSync(join(at.folder, "node_modules")) || existsSync(join(at.folder, "dist"))).toBe(false);
    expect(session.state().steps.filter((s) => s.kept || s.status === "pended")).toEqual([]);
    expect(session.state().steps).toHaveLength(1);
    // Of the check's own step nothing is left on disk either.
    const known = new Set(session.state().steps.map((s) => s.operationId));
    expect(stepFolders(at).filter((name) => !known.has(name))).toEqual([]);
  });

  it("S9: a commit leaves the tree as it passed, so nothing is run again", async () => {
    const at = place("checks");
    execFileSync("git", ["init", "-q"], { cwd: at.folder });
    const commit = bash("git add -A . && git -c user.name=a -c user.email=a@example.com commit -qm one");
    const session = await start(
      [write("a.txt", "1"), { text: "Done." }, commit, { text: "Committed." }],
      checks(command("cat a.txt")),
      { asker: answers("yes", "yes") },
      at,
    );
    const rounds = [];
    for (const words of ["a", "b"]) rounds.push((await say(session, words)).events);
    await session.close();
    expect(rounds.map((events) => ran(events).length)).toEqual([1, 0]);
    expect(rounds[1]?.filter((e) => e.type === "changes.landed")).toHaveLength(1);
  });

  it("S9: a check has no network, none of the model's exports, and stands at the folder's top", async () => {
    const { events } = await once(
      [bash("mkdir sub; cd sub; export EVIL=1; echo x > f"), { text: "Done." }],
      checks(command('echo "pwd $(basename "$PWD") evil=$EVIL"; ! timeout 5 bash -c "echo > /dev/tcp/127.0.0.1/22"')),
    );
    expect(ran(events)[0]).toMatchObject({ exit: 0 });
    expect(ran(events)[0]?.output).toContain("pwd project evil=\n");
  });

  it("S9: `when` names the files that concern a check", async () => {
    const { events } = await once(
      [write("docs/a.md", "1"), { text: "Done." }],
      checks(
        command("true", { name: "code", when: ["src/**"] }),
        command("true", { name: "docs", when: ["*.md"] }),
        command("true", { name: "all" }),
      ),
    );
    expect(ran(events).map((e) => e.name)).toEqual(["docs", "all"]);
  });

  it("S9: files that must exist and files that must not change", async () => {
    const list = checks(
      { kind: "exists", name: "there", paths: ["out/*.txt", "a.txt"] },
      { kind: "unchanged", name: "locked", paths: ["migrations/**"] },
    );
    const at = place("checks");
    mkdirSync(join(at.folder, "migrations"));
    const { events, session, result } = await once(
      [
        write("a.txt", "1"),
        write("migrations/1.sql", "drop"),
        { text: "Done." },
        { calls: [{ name: "Bash", input: { command: "rm migrations/1.sql; mkdir out; echo x > out/o.txt" } }] },
        { text: "Done." },
        { text: "It stays." },
        { text: "It stays." },
      ],
      list,
      { rules: [{ action: "allow", text: "Delete(**)", source: "cli" }] },
      at,
    );
    expect(
      ran(events)
        .filter((e) => e.round === 1)
        .map((e) => [e.name, e.exit, e.output]),
    ).toEqual([
      ["there", 1, "not there: out/*.txt"],
      ["locked", 1, "changed: migrations/1.sql"],
    ]);
    expect(
      ran(events)
        .filter((e) => e.round === 2)
        .map((e) => [e.name, e.exit]),
    ).toEqual([
      ["there", 0],
      ["locked", 1],
    ]);
    expect(result.reason).toBe("checks-failed");
    expect(JSON.stringify(toMessages(session.state()))).toContain("not there: out/*.txt");
  });

  it("S9: in a rehearsal they run on what is pending", async () => {
    const { at, events, result } = await once(
      [write("a.txt", "good"), { text: "Done." }],
      checks(command("grep -q good a.txt")),
      { more: { mode: "auto", rehearse: true } },
    );
    expect(ran(events).map((e) => e.exit)).toEqual([0]);
    expect([result.reason, existsSync(join(at.folder, "a.txt"))]).toEqual(["done", false]);
  });

  it("S9, P1: in plan mode there is nothing to check", async () => {
    const session = await start(
      [write("a.txt", "1"), { text: "Done." }, { text: "A plan." }],
      checks(command("exit 1")),
    );
    const abort = new AbortController();
    // The first query is stopped while its check goes back to the model.
    const first = session.submit([text("go")], abort.signal);
    for (let step = await first.next(); step.done !== true; step = await first.next())
      if (step.value.type === "check.ran") abort.abort();
    await session.setMode("plan");
    const { events, result } = await say(session, "plan it");
    await session.close();
    expect([result.reason, ran(events).length]).toEqual(["done", 0]);
  });

  it("S9: a check that hangs ends at its own time, and says so", async () => {
    const list: Checks = { list: [command("echo begun; sleep 1000", { timeoutMs: 1500 })], rounds: 0 };
    const { events, result } = await once([write("a.txt", "1"), { text: "Done." }], list);
    expect(ran(events)[0]).toMatchObject({ exit: null, ended: "timed out after 1.5 s" });
    expect(result).toMatchObject({ reason: "checks-failed", detail: expect.stringContaining("timed out") as string });
  });

  it("S7, S9: an interrupt ends a check with all that it started; the next message works, and checks again", async () => {
    const at = place("checks");
    const session = await start(
      [write("a.txt", "1"), { text: "Done." }, { text: "Here." }],
      checks(command("[ -e quick ] && exit 0; sleep 4321 & echo begun; sleep 4321")),
      {},
      at,
    );
    const abort = new AbortController();
    const events: SessionEvent[] = [];
    const run = session.submit([text("go")], abort.signal);
    for (let step = await run.next(); ; step = await run.next()) {
      if (step.done === true) {
        expect(step.value.reason).toBe("interrupted");
        break;
      }
      events.push(step.value);
      if (step.value.type === "tool.output" && step.value.text.includes("begun")) abort.abort();
    }
    expect(ran(events)[0]).toMatchObject({ exit: null, ended: "interrupted" });
    expect(running("sleep 4321")).toEqual([]);
    writeFileSync(join(at.folder, "quick"), "");
    const next = await say(session, "hi");
    await session.close();
    expect(next.result).toMatchObject({ reason: "done", text: "Here." });
    expect(ran(next.events).map((e) => e.exit)).toEqual([0]);
  });

  it("S11: what is typed while checks run is read before the end", async () => {
    const session = await start([write("a.txt", "1"), { text: "Done." }, { text: "Yes." }], checks(command("true")));
    const run = session.submit([text("go")], never());
    let result: QueryResult | undefined;
    for (let step = await run.next(); result === undefined; step = await run.next()) {
      if (step.done === true) result = step.value;
      else if (step.value.type === "check.started") session.steer("and?");
    }
    await session.close();
    expect(result).toMatchObject({ reason: "done", text: "Yes.", turns: 3 });
  });

  it("S9, E3: killed while its checks ran, a query goes on with them, and asks the model for nothing", async () => {
    const at = place("checks");
    const list = checks(command("true"));
    const turns = [write("a.txt", "1"), { text: "Done." }];
    const session = await start(turns, list, {}, at);
    const run = session.submit([text("go")], never());
    for (let step = await run.next(); step.done !== true; step = await run.next())
      if (step.value.type === "check.started") break;
    // As a kill leaves it: the query has no end in the log.
    const file = join(at.state, "sessions", `${session.id}.jsonl`);
    const log = readFileSync(file);
    await run.return(undefined as never);
    await session.close();
    writeFileSync(file, log);
    const again = await start(turns, list, { more: { resume: session.id } }, at);
    expect(again.unfinished()).toBeDefined();
    const { events, result } = await collect(again.goOn(never()));
    await again.close();
    expect(result.reason).toBe("done");
    expect(events.filter((e) => e.type === "turn.started")).toEqual([]);
    expect(ran(events).map((e) => e.exit)).toEqual([0]);
  });

  it("S9: a rule that refuses a command refuses it to a check too, which no try of the model's mends", async () => {
    const { events, result } = await once([write("a.txt", "1"), { text: "Done." }], checks(command("curl x")), {
      rules: [{ action: "deny", text: "Bash(curl:*)", source: "user" }],
    });
    expect(result).toMatchObject({ reason: "checks-failed", turns: 2 });
    expect(ran(events)[0]).toMatchObject({ exit: null, ended: expect.stringContaining("not run") as string });
  });

  it("S9: where commands can't be contained a check is not run, and what it guards is not done", async () => {
    const { events, result } = await once([write("a.txt", "1"), { text: "Done." }], checks(command("touch ran")), {
      more: { mode: "auto", machine: { ...MACHINE, sandboxes: ["none"] } },
    });
    expect(result).toMatchObject({ reason: "checks-failed", turns: 2 });
    expect(ran(events)[0]?.ended).toContain("can't be contained");
  });

  it("S9: a folder that can't be looked into does not keep checks from running", async () => {
    const at = place("checks");
    mkdirSync(join(at.folder, "closed"));
    writeFileSync(join(at.folder, "closed", "x"), "x");
    if (process.getuid?.() !== 0) chmodSync(join(at.folder, "closed"), 0);
    const { result } = await once([write("a.txt", "1"), { text: "Done." }], checks(command("true")), {}, at);
    if (process.getuid?.() !== 0) chmodSync(join(at.folder, "closed"), 0o700);
    expect(result.reason).toBe("done");
  });
});
