import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../src/events/event.ts";
import { isFact } from "../../../src/events/event.ts";
import { readHooks } from "../../../src/session/hook-files.ts";
import { personSettingsFile, userSettingsFile } from "../../../src/session/rules-files.ts";
import { SettingsError } from "../../../src/session/settings-file.ts";
import { systemClock } from "../../../src/util/system.ts";
import { openSession, scriptedModel } from "../../../src/index.ts";
import { libraryOptions } from "../../support/library.ts";
import { hooksFrom, oneHook, says } from "../../support/hooks.ts";
import { answers, collect, openAt, place, type Place, type SessionInput } from "../../support/session.ts";

function write(file: string, value: unknown): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
  return file;
}

function reader(at: Place): () => ReturnType<typeof readHooks> {
  const machine = { file: join(at.config, "machine", "settings.json"), uid: process.getuid?.() ?? 0 };
  return () => readHooks({ configDir: at.config, folder: at.folder, home: at.home, machine });
}

const marks = (file: string) => ({ hooks: oneHook("PreToolUse", `echo x >> ${file}`) });

async function read(at: Place, input: SessionInput = {}, prompt = "go") {
  const script = input.script ?? { turns: [{ calls: [{ name: "Read", input: { file_path: "." } }] }, { text: "ok" }] };
  const session = await openAt(at, { ...input, script });
  try {
    const { events, result } = await collect(session.submit(prompt));
    return { session, facts: events.filter(isFact), result };
  } finally {
    await session.close();
  }
}

function kinds(facts: readonly LogEvent[]): string[] {
  return facts.flatMap((f) => (f.type === "hook.ran" ? [f.event] : []));
}

describe("sources", () => {
  it("H1: the machine's come first, then the user's, the person's own, the project's and those of .claude/", () => {
    const at = place();
    const one = (command: string) => ({ hooks: oneHook("Stop", command) });
    write(join(at.folder, ".claude/settings.local.json"), one("f"));
    write(join(at.folder, ".claude/settings.json"), one("e"));
    write(join(at.folder, ".agent/settings.json"), one("d"));
    write(personSettingsFile(at.config, at.folder), one("c"));
    write(userSettingsFile(at.config), one("b"));
    write(join(at.config, "machine/settings.json"), one("a"));
    expect(reader(at)().hooks.map((h) => `${h.source} ${h.name}`)).toEqual([
      "managed a",
      "user b",
      "person c",
      "project d",
      "claude e",
      "claude f",
    ]);
  });
  it("H1: a mistake in the person's own file is an error; in the folder's it is told and left out, the rest counts", () => {
    const at = place();
    write(join(at.folder, ".claude/settings.json"), {
      env: { A: "1" },
      hooks: {
        ...(oneHook("Stop", "good") as object),
        TeammateIdle: [],
        PreToolUse: [{ matcher: "(?!x)", hooks: [{ type: "command", command: "x" }] }],
        PostToolUse: [{ hooks: [{ type: "prompt", prompt: "?" }] }],
        Notification: 1,
      },
    });
    const { hooks, notices } = reader(at)();
    expect(hooks.map((h) => h.name)).toEqual(["good"]);
    expect(notices).toHaveLength(4);
    write(userSettingsFile(at.config), { hooks: { PreToolUse: [{ hooks: [{ command: "x" }] }] } });
    expect(reader(at)).toThrow(SettingsError);
  });
});

describe("trust", () => {
  it("H5: hooks of a folder that isn't trusted never run, those of .claude/ neither; of a trusted one they do", async () => {
    const at = place();
    const mark = join(at.home, "mark");
    write(join(at.folder, ".agent/settings.json"), marks(mark));
    write(join(at.folder, ".claude/settings.json"), { hooks: oneHook("SessionStart", `echo y >> ${mark}`) });
    const first = await read(at, { more: { hooks: reader(at) } });
    expect(kinds(first.facts)).toEqual([]);
    expect(existsSync(mark)).toBe(false);
    const second = await read(at, { more: { hooks: reader(at), trusted: "flag" } });
    expect(kinds(second.facts)).toEqual(["SessionStart", "PreToolUse"]);
    expect(readFileSync(mark, "utf8")).toBe("y\nx\n");
  });
});

describe("trust that is given in the session", () => {
  it("H3, H5: what the folder brings then counts, not what it brought when the session opened", async () => {
    const at = place();
    const [old, now] = [join(at.home, "old"), join(at.home, "now")];
    const file = write(join(at.folder, ".agent/settings.json"), marks(old));
    const call = { calls: [{ name: "Read", input: { file_path: "." } }] };
    const model = scriptedModel({ turns: [call, { text: "ok" }, call, { text: "ok" }] });
    const session = await openSession(libraryOptions(at, { model }));
    await collect(session.submit("one"));
    write(file, marks(now));
    const look = await session.trust.look();
    if (look === undefined) throw new Error("there is no trust here");
    expect(await session.trust.give(look)).toMatchObject({ ok: true });
    await collect(session.submit("two"));
    await session.close();
    expect([existsSync(old), existsSync(now)]).toEqual([false, true]);
  });
});

describe("the set of the start", () => {
  it("H3: a changed file is told once and counts only at the person's word, and only as they saw it", async () => {
    const at = place();
    const [old, now] = [join(at.home, "old"), join(at.home, "now")];
    const file = write(userSettingsFile(at.config), marks(old));
    const call = { calls: [{ name: "Read", input: { file_path: "." } }] };
    const session = await openAt(at, {
      script: { turns: [call, { text: "ok" }, call, { text: "ok" }, call, { text: "ok" }] },
      more: { hooks: reader(at) },
    });
    await collect(session.submit("one"));
    write(file, marks(now));
    const { events } = await collect(session.submit("two"));
    const told = events.filter((e) => e.type === "limit.warned");
    expect(told).toMatchObject([{ limit: "hooks", text: expect.stringContaining("/hooks") as string }]);
    expect([existsSync(old), existsSync(now)]).toEqual([true, false]);
    const seen = session.hooks.report();
    expect(seen).toMatchObject({
      changed: { added: [{ command: `echo x >> ${now}` }], removed: [{ command: `echo x >> ${old}` }] },
    });
    expect(seen.rows[0]?.last).toMatchObject({ exit: 0 });
    // Not what they looked at.
    write(file, { hooks: oneHook("PreToolUse", "echo evil") });
    expect(await session.hooks.approve(seen)).toMatchObject({ ok: false });
    write(file, marks(now));
    expect(await session.hooks.approve(seen)).toMatchObject({ ok: true });
    await collect(session.submit("three"));
    expect(existsSync(now)).toBe(true);
    expect(session.hooks.report().changed).toBeUndefined();
    await session.close();
  });
});

describe("the moments of a session", () => {
  it("H1: start, message, call, question, mode, end and what waits each have their hooks, with what each is told", async () => {
    const at = place();
    const log = join(at.home, "events");
    const note = `row=$(cat); printf '%s\\n' "$row" >> ${log}`;
    const events = [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PermissionRequest",
      "Notification",
      "PostToolUse",
      "Stop",
      "ModeChange",
      "SessionEnd",
    ];
    const hooks = Object.fromEntries(events.map((e) => [e, [{ hooks: [{ type: "command", command: note }] }]]));
    const session = await openAt(at, {
      script: {
        turns: [{ calls: [{ name: "Write", input: { file_path: "a.txt", content: "x\n" } }] }, { text: "done so" }],
      },
      asker: {
        // As long as a person takes at least.
        ask: async () => {
          while (!existsSync(log) || !readFileSync(log, "utf8").includes("permission_prompt"))
            await systemClock.sleep(20);
          return { kind: "yes" };
        },
        askPerson: () => Promise.resolve(undefined),
      },
      more: { hooks: hooksFrom(hooks) },
    });
    await collect(session.submit("make it"));
    await session.setMode("auto");
    await session.close();
    const told = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((row) => JSON.parse(row) as Record<string, unknown>);
    const of = (event: string) => told.filter((t) => t["hook_event_name"] === event);
    expect(new Set(told.map((t) => t["hook_event_name"]))).toEqual(new Set(events));
    expect(of("SessionStart")).toMatchObject([{ source: "startup", model: "scripted" }]);
    expect(of("UserPromptSubmit")).toMatchObject([{ prompt: "make it" }]);
    expect(of("PermissionRequest")).toMatchObject([
      { tool_name: "Write", gate: "changes", tool_input: { file_path: "a.txt" } },
    ]);
    expect(of("PostToolUse")).toMatchObject([{ tool_response: { success: true } }]);
    expect(of("Stop")).toMatchObject([{ stop_hook_active: false, last_assistant_message: "done so" }]);
    expect(of("ModeChange")).toMatchObject([{ old_mode: "ask", new_mode: "auto", permission_mode: "acceptEdits" }]);
    expect(of("SessionEnd")).toMatchObject([{ reason: "other" }]);
    expect(of("Notification").map((t) => t["notification_type"])).toEqual(["permission_prompt"]);
  });
  it("H1: SessionStart and UserPromptSubmit add context, framed as data, ahead of and behind nothing but the message", async () => {
    const at = place();
    const hooks = hooksFrom({
      ...(oneHook("SessionStart", "echo 'Mode: auto.'", { name: "start" }) as object),
      ...(oneHook("UserPromptSubmit", says({ hookSpecificOutput: { additionalContext: "branch main" } })) as object),
    });
    const { facts } = await read(at, { script: { turns: [{ text: "ok" }] }, more: { hooks } });
    const notes = facts.flatMap((f) => (f.type === "note.added" ? [f.text] : []));
    expect(notes[0]).toBe('The hook "start" (SessionStart) adds this, as data:\n> Mode: auto.');
    expect(notes.some((n) => n.endsWith("> branch main"))).toBe(true);
  });
  it("H1: a UserPromptSubmit hook holds a message back: nothing of it reaches the model", async () => {
    const at = place();
    const hooks = hooksFrom(
      oneHook("UserPromptSubmit", "grep -q secret && { echo 'no secrets' >&2; exit 2; }; exit 0"),
    );
    const held = await read(at, { more: { hooks } }, "the secret is x");
    expect(held.result).toMatchObject({ reason: "denied", detail: expect.stringContaining("no secrets") as string });
    expect(held.facts.some((f) => f.type === "prompt.submitted" || f.type === "turn.started")).toBe(false);
    expect((await read(at, { more: { hooks } }, "hello")).result.reason).toBe("done");
  });
  it("H4: a Stop hook sends the model on, knows that it did, and is heard no more than the cap says", async () => {
    const at = place();
    const log = join(at.home, "stops");
    const hooks = hooksFrom({
      stopRounds: 2,
      ...(oneHook("Stop", `cat >> ${log}; echo >> ${log}; echo 'run the tests' >&2; exit 2`) as object),
    });
    const { facts, result } = await read(at, {
      script: { turns: [{ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }] },
      more: { hooks },
    });
    expect(result.reason).toBe("done");
    const rows = readFileSync(log, "utf8").trim().split("\n");
    expect(rows.map((row) => /"stop_hook_active":(\w+)/.exec(row)?.[1])).toEqual(["false", "true", "true"]);
    expect(facts.filter((f) => f.type === "note.added" && f.text.includes("> run the tests"))).toHaveLength(2);
    expect(facts.filter((f) => f.type === "limit.warned")).toMatchObject([{ limit: "hooks.stop" }]);
  });
  it("H2: a PermissionRequest hook may answer no, never yes", async () => {
    const at = place();
    const script = {
      turns: [{ calls: [{ name: "Write", input: { file_path: "a.txt", content: "x\n" } }] }, { text: "ok" }],
    };
    const decision = (behavior: string) =>
      hooksFrom(
        oneHook("PermissionRequest", says({ hookSpecificOutput: { decision: { behavior, message: "not here" } } })),
      );
    const no = answers("yes");
    const denied = await read(at, { script, asker: no, more: { hooks: decision("deny") } });
    expect(no.asked).toHaveLength(0);
    expect(denied.facts.find((f) => f.type === "permission.decided")).toMatchObject({ by: "hook", outcome: "deny" });
    const yes = answers("no");
    await read(at, { script, asker: yes, more: { hooks: decision("allow") } });
    expect(yes.asked).toHaveLength(1);
    expect(existsSync(join(at.folder, "a.txt"))).toBe(false);
  });
  it("H1: FileChanged tells of a file that somebody else changed since the model read it, once", async () => {
    const at = place();
    writeFileSync(join(at.folder, "a.txt"), "one\n");
    const call = (file_path: string) => ({ calls: [{ name: "Read", input: { file_path } }] });
    const log = join(at.home, "changes");
    const hooks = hooksFrom({
      ...(oneHook("FileChanged", `grep -o '"event":"[a-z]*"' >> ${log}`, { matcher: "a.txt|b.txt" }) as object),
      ...(oneHook("PostToolUse", `grep -q b.txt && echo two > a.txt; exit 0`) as object),
    });
    writeFileSync(join(at.folder, "b.txt"), "b\n");
    await read(at, { script: { turns: [call("a.txt"), call("b.txt"), call("."), { text: "ok" }] }, more: { hooks } });
    expect(readFileSync(log, "utf8")).toBe('"event":"change"\n');
  });
});
