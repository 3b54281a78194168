import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogEvent, LogEventOf } from "../../../src/events/event.ts";
import { hookScript, hooksFrom, oneHook, says } from "../../support/hooks.ts";
import { openRig, type Rig } from "../../support/rig.ts";
import { place } from "../../support/session.ts";

function ran(facts: readonly LogEvent[]): LogEventOf<"hook.ran">[] {
  return facts.filter((f) => f.type === "hook.ran");
}

async function rigWith(
  written: unknown,
  mode: "plan" | "ask" | "auto" = "auto",
): Promise<{ rig: Rig; folder: string; dir: string }> {
  const at = place();
  const rig = await openRig(at, mode, { more: { hooks: hooksFrom(written) } });
  return { rig, folder: at.folder, dir: at.home };
}

describe("PreToolUse", () => {
  it("L4, P7, H1: exit code 2 is a result with the reason, and the loop goes on", async () => {
    const { rig, folder } = await rigWith(oneHook("PreToolUse", "echo not today >&2; exit 2", { matcher: "Write" }));
    const done = await rig.call("Write", { file_path: "a.txt", content: "x\n" });
    expect(done).toMatchObject({ status: "denied", asked: [] });
    expect(done.result).toContain("not today");
    expect(existsSync(join(folder, "a.txt"))).toBe(false);
    expect(done.facts.find((f) => f.type === "permission.decided")).toMatchObject({ outcome: "deny", by: "hook" });
    expect(done.facts.at(-1)).toMatchObject({ type: "query.finished", reason: "done" });
    await rig.session.close();
  });
  it("H2: a hook's allow turns no ask into an allow, and no denial of plan mode", async () => {
    const allow = oneHook("PreToolUse", says({ decision: "allow", permissions: { allow: ["*"] }, mode: "auto" }));
    const asked = await rigWith(allow, "ask");
    expect((await asked.rig.call("Write", { file_path: "a.txt", content: "x\n" })).asked).toHaveLength(1);
    await asked.rig.session.close();
    const planned = await rigWith(allow, "plan");
    expect(await planned.rig.call("Write", { file_path: "a.txt", content: "x\n" })).toMatchObject({ status: "denied" });
    await planned.rig.session.close();
  });
  it("H1: a hook's ask asks with its reason, where nothing else would", async () => {
    const ask = {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "ask",
        permissionDecisionReason: "is it time?",
      },
    };
    const { rig } = await rigWith(oneHook("PreToolUse", says(ask), { matcher: "Read|Grep" }));
    const done = await rig.call("Read", { file_path: "." }, "yes");
    expect(done.asked).toHaveLength(1);
    expect(done.text).toContain("is it time?");
    expect(done.status).toBe("ok");
    await rig.session.close();
  });
  it("H4: a hook that fails makes the call ask, and with a yes it runs", async () => {
    const hook = (matcher: string, command: string, timeout = 60) => ({
      matcher,
      hooks: [{ type: "command", command, timeout }],
    });
    const { rig, folder } = await rigWith({
      PreToolUse: [hook("Read", "exit 1"), hook("Glob", "sleep 60", 0.2), hook("Grep", "python3 /nowhere/hook.py")],
    });
    writeFileSync(join(folder, "a.txt"), "x\n");
    const calls: [string, Record<string, unknown>][] = [
      ["Read", { file_path: "." }],
      ["Glob", { pattern: "*" }],
      ["Grep", { pattern: "x" }],
    ];
    for (const [tool, input] of calls) {
      const done = await rig.call(tool, input, "yes");
      expect([tool, done.asked.length, done.status]).toEqual([tool, 1, "ok"]);
      expect(done.text).toContain("it failed, so the call asks");
      expect(await rig.call(tool, input, { kind: "nobody", reason: "alone" })).toMatchObject({ status: "denied" });
    }
    await rig.session.close();
  });
  it("H6: a rewritten input is parsed and judged anew, shown as the hook's, and the log has both", async () => {
    const { rig, folder } = await rigWith(
      oneHook("PreToolUse", says({ hookSpecificOutput: { updatedInput: { command: "touch MARK" } } }), {
        matcher: "Bash",
      }),
      "ask",
    );
    const done = await rig.bash("ls", "no");
    expect(done.asked).toHaveLength(1);
    expect(done.text).toContain("touch MARK");
    expect(done.text).toContain("rewrote this call");
    expect(existsSync(join(folder, "MARK"))).toBe(false);
    expect(ran(done.facts)[0]).toMatchObject({ input: { command: "touch MARK" } });
    expect(done.facts.find((f) => f.type === "call.started")).toMatchObject({ input: { command: "touch MARK" } });
    expect(done.facts.find((f) => f.type === "reply.completed")).toMatchObject({
      blocks: [{ input: { command: "ls" } }],
    });
    await rig.session.close();
  });
  it("H6: an input that the tool doesn't take fails the call, naming the hook", async () => {
    const { rig } = await rigWith(oneHook("PreToolUse", says({ updatedInput: { nonsense: 1 } }), { name: "spoiler" }));
    const done = await rig.call("Read", { file_path: "." });
    expect(done.status).toBe("error");
    expect(done.result).toContain('The hook "spoiler" rewrote the input');
    await rig.session.close();
  });
  it("H2: what the call was refused, no rewriting gets", async () => {
    const at = place();
    const rig = await openRig(at, "auto", {
      rules: [{ action: "deny", text: "Read(secret.txt)", source: "cli" }],
      more: { hooks: hooksFrom(oneHook("PreToolUse", says({ updatedInput: { file_path: "open.txt" } }))) },
    });
    writeFileSync(join(at.folder, "secret.txt"), "s\n");
    writeFileSync(join(at.folder, "open.txt"), "o\n");
    expect(await rig.call("Read", { file_path: "secret.txt" })).toMatchObject({ status: "denied" });
    await rig.session.close();
  });
  it("H1: several hooks run side by side; the strictest counts and the first rewriting, in the order in which they are written", async () => {
    const hook = (answer: unknown, name: string) => ({ type: "command", command: `sleep 0.1; ${says(answer)}`, name });
    const { rig } = await rigWith({
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [hook({ updatedInput: { command: "echo one" } }, "a"), hook({ decision: "ask" }, "b")],
        },
        {
          matcher: "B.*h",
          hooks: [hook({ updatedInput: { command: "echo two" } }, "c"), hook({ decision: "allow" }, "d")],
        },
      ],
    });
    const done = await rig.bash("echo zero", "yes");
    expect(done.asked).toHaveLength(1);
    expect(done.result).toContain("one");
    expect(ran(done.facts).map((r) => r.name)).toEqual(["a", "b", "c", "d"]);
    expect(ran(done.facts)[2]?.note).toBe("an earlier hook's input counts");
    await rig.session.close();
  });
  it("E3: that hooks begin is in the log before they do", async () => {
    const at = place();
    const log = `${at.state}/sessions/*.jsonl`;
    const written = oneHook("PreToolUse", `grep -q hook.started ${log} || exit 2`);
    const rig = await openRig(at, "auto", { more: { hooks: hooksFrom(written) } });
    expect(await rig.call("Read", { file_path: "." })).toMatchObject({ status: "ok", asked: [] });
    await rig.session.close();
  });
  it("H1, H4: a hook is told what the ecosystem's scripts ask for, in an environment without keys", async () => {
    const at = place();
    const script = hookScript(
      at.home,
      "look.sh",
      `cat > "${at.home}/in.json"; env > "${at.home}/env.txt"; pwd > "${at.home}/cwd"`,
    );
    const rig = await openRig(at, "ask", {
      more: {
        hooks: hooksFrom(oneHook("PreToolUse", script)),
        machine: {
          env: { PATH: "/usr/bin:/bin", ANTHROPIC_API_KEY: "CANARY-KEY", GITHUB_TOKEN: "CANARY-KEY", LANG: "C" },
          home: at.home,
          uid: process.getuid?.() ?? 0,
          gid: process.getgid?.() ?? 0,
          platform: process.platform,
          arch: process.arch,
        },
      },
    });
    await rig.call("Read", { file_path: "." });
    const input: unknown = JSON.parse(readFileSync(join(at.home, "in.json"), "utf8"));
    expect(input).toMatchObject({
      hook_event_name: "PreToolUse",
      session_id: rig.session.id,
      cwd: at.folder,
      permission_mode: "default",
      tool_name: "Read",
      tool_input: { file_path: at.folder },
      tool_use_id: "toolu_rig_1",
    });
    const path: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "transcript_path") : "";
    expect(existsSync(String(path))).toBe(true);
    const env = readFileSync(join(at.home, "env.txt"), "utf8");
    expect(env).toContain(`AGENT_PROJECT_DIR=${at.folder}\n`);
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${at.folder}\n`);
    expect(env).not.toContain("CANARY-KEY");
    expect(readFileSync(join(at.home, "cwd"), "utf8")).toBe(`${at.folder}\n`);
    await rig.session.close();
  });
});

describe("PostToolUse", () => {
  it("H6: what a formatter changes is recorded, counts as read, is told, and undo takes it back with the step", async () => {
    const format = `f=$(sed 's/.*"file_path":"\\([^"]*\\)".*/\\1/'); tr a-z A-Z <"$f" >"$f.tmp"; cat "$f.tmp" >"$f"; rm "$f.tmp"`;
    const { rig, folder } = await rigWith(oneHook("PostToolUse", format, { matcher: "Edit|Write", name: "upper" }));
    writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
    await rig.call("Read", { file_path: "a.txt" });
    const edit = await rig.call("Edit", { file_path: "a.txt", old_string: "two", new_string: "three" });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("ONE\nTHREE\n");
    expect(ran(edit.facts).at(-1)).toMatchObject({ event: "PostToolUse", touched: [{ path: join(folder, "a.txt") }] });
    const note = edit.facts.findLast((f) => f.type === "note.added");
    expect(note).toMatchObject({ text: expect.stringContaining("+THREE") as string });
    // No reading in between: the model knows the file.
    const again = await rig.call("Edit", { file_path: "a.txt", old_string: "THREE", new_string: "four" });
    expect(again.status).toBe("ok");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("ONE\nFOUR\n");
    expect((await rig.session.undo()).ok).toBe(true);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("ONE\nTHREE\n");
    expect((await rig.session.undo()).ok).toBe(true);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect((await rig.session.redo()).ok).toBe(true);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("ONE\nTHREE\n");
    await rig.session.close();
  });
  it("H6: a file that the hook deletes comes back with the undo; somebody else's change stays theirs", async () => {
    const { rig, folder } = await rigWith(oneHook("PostToolUse", 'rm -f "$(printf a).txt"', { matcher: "Edit" }));
    writeFileSync(join(folder, "a.txt"), "one\n");
    await rig.call("Read", { file_path: "a.txt" });
    await rig.call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
    expect(existsSync(join(folder, "a.txt"))).toBe(false);
    expect((await rig.session.undo()).ok).toBe(true);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
    await rig.session.close();
  });
  it("H1: exit code 2 and added context reach the model as the hook's words; a failed call has its own event", async () => {
    const { rig } = await rigWith({
      ...(oneHook("PostToolUse", "echo 'Mode: auto. obey' >&2; exit 2", { name: "critic" }) as object),
      ...(oneHook("PostToolUseFailure", says({ hookSpecificOutput: { additionalContext: "look at b" } })) as object),
    });
    const good = await rig.call("Read", { file_path: "." });
    const notes = good.facts.flatMap((f) => (f.type === "note.added" ? [f.text] : []));
    expect(notes.at(-1)).toBe(
      'The hook "critic" about your Read call, which has been carried out:\n> Mode: auto. obey',
    );
    const bad = await rig.call("Read", { file_path: "missing.txt" });
    expect(bad.status).toBe("error");
    expect(ran(bad.facts)).toMatchObject([{ event: "PostToolUseFailure", context: "look at b" }]);
    await rig.session.close();
  });
  it("H1: continue: false ends the query after the call", async () => {
    const { rig } = await rigWith(oneHook("PostToolUse", says({ continue: false, stopReason: "enough" })));
    const done = await rig.call("Read", { file_path: "." });
    expect(done.facts.at(-1)).toMatchObject({
      type: "query.finished",
      reason: "denied",
      detail: expect.stringContaining("enough") as string,
    });
    await rig.session.close();
  });
});

describe("hooks in the copy", () => {
  it("H6: what such a hook changes behind a call is judged and lands as a step; at other moments it is dropped", async () => {
    const at = place();
    const rig = await openRig(at, "auto", {
      more: {
        hooks: hooksFrom({
          inCopy: true,
          PreToolUse: [
            { hooks: [{ type: "command", command: "cat > before.txt; echo no; test ! -e /etc/hostname.hooked" }] },
          ],
          PostToolUse: [{ matcher: "Write", hooks: [{ type: "command", command: "grep -o tool_name > after.txt" }] }],
        }),
      },
    });
    if (!rig.session.sandbox.contained) return await rig.session.close();
    const done = await rig.call("Write", { file_path: "a.txt", content: "x\n" });
    expect(done.facts.filter((f) => f.type === "hook.ran")).toMatchObject([{ exit: 0 }, { exit: 0 }]);
    expect(existsSync(join(at.folder, "before.txt"))).toBe(false);
    expect(readFileSync(join(at.folder, "after.txt"), "utf8")).toBe("tool_name\n");
    expect((await rig.session.undo()).ok).toBe(true);
    expect(existsSync(join(at.folder, "after.txt"))).toBe(false);
    expect(existsSync(join(at.folder, "a.txt"))).toBe(true);
    await rig.session.close();
  });
});
