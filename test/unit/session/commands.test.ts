import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { text, type ContentBlock } from "../../../src/events/block.ts";
import type { LogEventOf, SessionEvent } from "../../../src/events/event.ts";
import type { ModelRequest } from "../../../src/model/model.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import type { OpenOptions } from "../../../src/session/options.ts";
import { surveyFolder } from "../../../src/session/trust-survey.ts";
import { isBuiltIn, matching } from "../../../src/ui/commands/find.ts";
import { helpLines } from "../../../src/ui/commands/help.ts";
import { skillRows } from "../../../src/ui/commands/skills.ts";
import { DEFAULT_KEYMAP } from "../../../src/ui/input/keymap.ts";
import { parseCommand } from "../../../src/skills/commands.ts";
import { argumentWords, filled, filledLine } from "../../../src/skills/fill.ts";
import { systemClock } from "../../../src/util/system.ts";
import { collect, openAt, place, type Place } from "../../support/session.ts";

function put(base: string, files: Readonly<Record<string, string>>): void {
  for (const [path, body] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), body);
  }
}

/** Says words in a session; gives the events and all that the model was sent. */
async function said(
  at: Place,
  words: string | readonly ContentBlock[],
  more: Partial<OpenOptions> = { trusted: "flag" },
  rules: readonly Rule[] = [],
) {
  const requests: ModelRequest[] = [];
  const scripted = scriptedModel({ turns: [{ text: "Done." }] }, { clock: systemClock });
  const model: typeof scripted = {
    ...scripted,
    stream(request, signal) {
      requests.push(structuredClone({ ...request }));
      return scripted.stream(request, signal);
    },
  };
  const session = await openAt(at, { model, more, rules });
  const { events } = await collect(session.submit(words));
  const found = await session.beside.texts?.skills();
  await session.close();
  return { events, sent: JSON.stringify(requests.at(-1)?.messages.map(({ content }) => content)), found };
}

const loadedIn = (events: readonly SessionEvent[]) =>
  events.filter((event): event is LogEventOf<"skill.loaded"> => event.type === "skill.loaded");

const REVIEW = `---
description: Looks through a change
argument-hint: [branch] [focus]
allowed-tools: Bash(git diff:*), Read
model: some-model
---
Look at branch $1 with an eye on $2; all of it: $ARGUMENTS.
State: !\`echo at-$1; echo kept > left.txt\`
See @notes.md.
`;

describe("U6: commands from files", () => {
  it("U6: a project's command is filled in: arguments, what its line says in the copy, a file that it names; nothing of the line stays", async () => {
    const at = place("commands");
    put(at.folder, { ".claude/commands/git/review.md": REVIEW, "notes.md": "NOTE-CANARY\n" });
    const { events, sent, found } = await said(at, "/git:review main 'error handling'");
    const [loaded] = loadedIn(events);
    expect(loaded).toMatchObject({ kind: "command", name: "git:review", source: "project", by: "person" });
    expect(loaded?.text).toContain(
      "Look at branch main with an eye on error handling; all of it: main 'error handling'.",
    );
    expect(loaded?.text).toContain("State: at-main\n");
    expect(loaded?.ran).toMatchObject([{ exit: 0 }]);
    expect(sent).toContain("NOTE-CANARY");
    expect(sent).toContain("/git:review main");
    expect(existsSync(join(at.folder, "left.txt"))).toBe(false);
    expect(found?.skills.find(({ name }) => name === "git:review")).toMatchObject({
      hint: "[branch] [focus]",
      description: "Looks through a change",
      model: "some-model",
      byModel: false,
    });
  });

  it("U6, U2: what is piped in is part of what is worked on, and no parameter of a line; nor is what an @file holds", async () => {
    const at = place("commands");
    put(at.config, { "commands/x.md": "Work on $ARGUMENTS\n!`echo got:$1:$2`" });
    const content = [text("/x one\n\nPIPED $(touch x)"), text("(Attached) two")];
    const { events } = await said(at, content);
    expect(loadedIn(events)[0]?.text).toContain("Work on one\n\nPIPED $(touch x)\ngot:one:\n");
    expect(loadedIn(events)[0]?.text).not.toContain("(Attached)");
  });

  it("U6, H5: a folder that is not trusted has no commands, and none of their lines runs; the person's own are there", async () => {
    const at = place("commands");
    put(at.folder, { ".agent/commands/x.md": "BODY-X !`touch ran`", ".agent/commands/mine.md": "THEIRS" });
    put(at.home, { ".claude/commands/mine.md": "BODY-MINE $1 $2" });
    const no = await said(at, "/x now", {});
    expect(loadedIn(no.events)).toEqual([]);
    expect(no.sent).not.toContain("BODY-X");
    const own = await said(at, "/mine a", { trusted: "flag" });
    expect(loadedIn(own.events)[0]).toMatchObject({ source: "user", path: "~/.claude/commands/mine.md" });
    expect(own.found?.problems.join("\n")).toMatch(/\.agent\/commands\/mine\.md: .* has this name already/);
  });

  it("U6, G3: a line that the person's rules deny is not run, and the model is told", async () => {
    const at = place("commands");
    put(at.config, { "commands/x.md": "Now !`echo OUT-$((6*7)) $1`" });
    const deny = { action: "deny", text: "Bash(echo *)", source: "user" } as const;
    const { events } = await said(at, "/x 'a;b'", { trusted: "flag" }, [deny]);
    expect(loadedIn(events)[0]?.text).toMatch(/\(not run: /);
    expect(loadedIn(events)[0]?.text).not.toContain("OUT-42");
  });

  it("U6, H5: the question of trust shows each line that a command would run, by the name that calls it", () => {
    const at = place("commands");
    put(at.folder, { ".claude/commands/git/review.md": REVIEW });
    expect(surveyFolder(at.folder).parts).toMatchObject([
      { kind: "command", name: "/git:review", runs: ["echo at-$1; echo kept > left.txt"] },
    ]);
  });

  it("U6: arguments that are no plain words reach a line as the shell's parameters, never as shell", () => {
    expect(argumentWords(`a "b c" 'd "e' "f\\"g"`)).toEqual(["a", "b c", `d "e`, `f"g`]);
    expect(filled("$1|$2|$9|$10|$ARGUMENTS|$ARGUMENTSX", "$2 x")).toBe("$2|x||$10|$2 x|$ARGUMENTSX");
    expect(filledLine("git show $1", "main")).toBe("git show main");
    expect(filledLine("git status", "; rm -rf x")).toBe("git status");
    expect(filledLine("git show $1", "a;b c")).toBe("set -- 'a;b' 'c'; ARGUMENTS='a;b c'; git show $1");
  });

  it("U6: the menu and the help show commands with their hints; one with a built-in name is not called, and /skills says so", async () => {
    const at = place("commands");
    put(at.folder, { ".agent/commands/clear.md": "MINE", ".agent/commands/git/log.md": "X" });
    const session = await openAt(at, { more: { trusted: "flag" } });
    const rows = (await skillRows(session, isBuiltIn)).map(({ text }) => text).join("\n");
    await session.close();
    expect(rows).toMatch(/\.agent\/commands\/clear\.md: \/clear is a command of the program's.*not used/);
    expect(rows).toContain("/git:log  X  (command; this project's; .agent/commands/git/log.md)");
    const listed = [
      { name: "clear", text: "MINE" },
      { name: "git:log", text: "X", args: "[since]" },
    ];
    expect(matching("/git:l", listed)?.map(({ name, args }) => [name, args])).toEqual([["git:log", "[since]"]]);
    expect(matching("/clear", listed)?.filter(({ text }) => text === "MINE")).toEqual([]);
    const help = helpLines(DEFAULT_KEYMAP, 80, listed).map((spans) => spans.map(({ text }) => text).join(""));
    expect(help.filter((row) => row.includes("MINE"))).toEqual([]);
    expect(help.find((row) => row.includes("/git:log"))).toMatch(/\/git:log \[since\] +X/);
  });

  it("U6: a head that can't be read is told with its line; without a head the first row says what it is", () => {
    expect(parseCommand("---\ndescription: [x\n---\nbody")).toEqual({ problems: [expect.stringMatching(/^\d+: /)] });
    expect(parseCommand("# Do it\n\nnow")).toMatchObject({ command: { description: "Do it" }, problems: [] });
    expect(parseCommand("---\ndescription: d\n---\n")).toMatchObject({
      problems: ["1: there is nothing behind its head"],
    });
    expect(parseCommand("---\nagnt: d\n---\nx")).toMatchObject({
      problems: ["2: agnt is not known, and changes nothing"],
    });
  });
});
