import { describe, expect, it } from "vitest";
import { commandIn, matching } from "../../../../src/ui/commands/find.ts";
import { helpLines } from "../../../../src/ui/commands/help.ts";
import { COMMANDS } from "../../../../src/ui/commands/table.ts";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { filtered, openPick, pickKey, pickRows } from "../../../../src/ui/prompt/pick.ts";
import { ageWords } from "../../../../src/ui/render/menu.ts";
import { lineWidth, textOfLine } from "../../../../src/ui/render/spans.ts";
import { playScript } from "../../../support/fake-script.ts";
import { fakeSession } from "../../../support/fake-session.ts";
import { denyAll } from "../../../../src/permissions/asker.ts";

const names = (draft: string) => matching(draft)?.map((c) => c.name);

describe("slash commands", () => {
  it("UX-IN-10: fuzzy at column 0, never inside a path or behind a blank", () => {
    const all = COMMANDS.map((c) => c.name).filter((name) => name.startsWith("re"));
    expect(all).toEqual(expect.arrayContaining(["redo", "rehearse", "resume", "rename"]));
    expect(names("/re")?.slice(0, all.length)).toEqual(all);
    expect(names("/rsm")).toEqual(["resume"]);
    expect(names("/")).toHaveLength(COMMANDS.length);
    for (const draft of ["/etc/passwd", "/model x", " /re", "a/b", "/日本"]) expect(names(draft)).toBeUndefined();
  });
  it("reads a command and what follows; a path is none", () => {
    expect(commandIn("/model big one")).toMatchObject({ name: "model", args: "big one", command: { name: "model" } });
    expect(commandIn("/quit")?.command?.name).toBe("exit");
    expect(commandIn("/nosuch")).toMatchObject({ command: undefined, name: "nosuch" });
    expect(commandIn("/etc/passwd")).toBeUndefined();
  });
  it("every command does what it says with the session", async () => {
    const said: string[] = [];
    const session = {
      ...fakeSession({ asker: denyAll("test"), script: playScript }),
      background: () => ({ shells: [{ id: "bg_1", command: "npm run dev" }], ports: [{ port: 3000, at: 3001 }] }),
    };
    const resumed: (string | undefined)[] = [];
    let left = 0;
    const forked: (number | undefined)[] = [];
    const context = {
      session,
      say: (rows: (width: number) => readonly Parameters<typeof textOfLine>[0][]) =>
        void said.push(...rows(100).map(textOfLine)),
      resume: async (id?: string) => void resumed.push(id),
      fork: async (before?: number) => void forked.push(before),
      exportTo: async (...how: (string | undefined)[]) => `/p/${how.map(String).join("+")}`,
      help: (width: number) => helpLines(DEFAULT_KEYMAP, width),
      choose: async () => undefined,
      draft: () => undefined,
      exit: () => void left++,
    };
    for (const typed of [
      "/mode auto",
      "/mode what",
      "/model m-2",
      "/undo",
      "/redo",
      "/rewind",
      "/rehearse",
      "/rehearse on",
      "/rehearse",
      "/rehearse maybe",
      "/land",
      "/land all",
      "/rehearse off",
      "/shells",
      "/shells stop bg_1",
      "/shells end",
      "/port",
      "/port 3000",
      "/port http",
      "/port 70000",
      "/rename tidy",
      "/fork here",
      "/fork",
      "/fork there",
      "/export",
      "/export html talk.html",
      "/export md",
      "/export mdx.txt",
      "/clear",
      "/cost",
      "/help",
      "/resume s_1",
      "/exit",
    ]) {
      const { command, args = "" } = commandIn(typed) ?? {};
      await command?.run(args, context);
    }
    expect(session.state()).toMatchObject({ mode: "auto", model: "m-2", name: "tidy" });
    expect(session.log.map((e) => e.type)).toContain("context.reset");
    expect(resumed).toEqual(["s_1"]);
    expect(forked).toEqual([undefined]);
    expect(left).toBe(1);
    const text = said.join("\n");
    for (const words of [
      "Nothing was forked.",
      "/fork asks from where; /fork here goes on from here.",
      "Written to /p/undefined+undefined",
      "Written to /p/html+talk.html",
      "Written to /p/md+undefined",
      "Written to /p/undefined+mdx.txt",
      "No mode what.",
      "Undone: src/a.ts",
      "Nothing was undone.",
      "There is no message to go back to yet.",
      "Landed node_modules",
      "bg_1 was ended, with all that it started.",
      "/shells stop bg_1 ends one.",
      "No port of the copy is open.",
      "http://127.0.0.1:3000/ leads to port 3000",
      "No port http.",
      "No port 70000.",
      "fake-1",
      "Shift+Tab",
    ]) {
      expect(text).toContain(words);
    }
  });
  it("UX-N-5: help names every command and the keys as they are", () => {
    const rows = helpLines(DEFAULT_KEYMAP, 60);
    const text = rows.map(textOfLine).join("\n");
    for (const command of COMMANDS) expect(text).toContain(`/${command.name}`);
    expect(text).toMatch(/Shift\+Enter, Ctrl\+J +new line/);
    for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(60);
  });
});

describe("session picker", () => {
  const list = [
    { id: "s_1", title: "Fix the parser", folder: "/p/one", age: 60_000, prompts: 3 },
    { id: "s_2", title: "Write docs", folder: "/p/two", age: 3 * 86_400_000, prompts: 12 },
  ];
  const keys = (...typed: string[]) =>
    typed.reduce<ReturnType<typeof pickKey>>(
      (step, name) =>
        step.done === undefined ? pickKey(step.pick, makeKey(name, name.length === 1 ? { text: name } : {})) : step,
      { pick: openPick(list) },
    );
  it("UX-N-6: typing filters title and folder, Enter chooses, Esc leaves", () => {
    expect(filtered(keys("d", "o", "c").pick).map((row) => row.id)).toEqual(["s_2"]);
    expect(keys("t", "w", "o", "return").done).toEqual({ id: "s_2" });
    expect(keys("down", "return").done).toEqual({ id: "s_2" });
    expect(keys("z", "z", "z", "return").done).toBeUndefined();
    expect(keys("escape").done).toEqual({ id: undefined });
  });
  it("E2: what was written in a session is searched too, a name and pending changes are shown, and what is near is found", () => {
    const more = [
      { ...list[0], id: "s_1", title: "Fix", folder: "/p", age: 0, prompts: 1, words: "the Lexer as well", here: true },
      { ...list[1], id: "s_2", title: "Docs", folder: "/q", age: 0, prompts: 1, name: "weekly report", pending: 3 },
    ];
    const typed = (words: string) => filtered({ ...openPick(more), filter: { text: words, at: words.length } });
    expect(filtered(openPick(more)).map((row) => row.id)).toEqual(["s_1"]);
    expect(typed("lexer fix").map((row) => row.id)).toEqual(["s_1"]);
    expect(typed("wkrep").map((row) => row.id)).toEqual(["s_2"]);
    expect(pickRows({ ...openPick(more), all: true }, 90, 5).list.map(textOfLine)).toEqual([
      "›  0 min ago ·   1 message  · Fix",
      "   0 min ago ·   1 message  · 3 pending · weekly report: Docs /q",
    ]);
  });
  it("UX-N-6: shows age, prompts, title and folder", () => {
    const { list: rows } = pickRows(openPick(list), 80, 5);
    expect(rows.map(textOfLine)).toEqual([
      "›  1 min ago ·   3 messages · Fix the parser /p/one",
      "     3 d ago ·  12 messages · Write docs /p/two",
    ]);
    const one = list.map((row) => ({ ...row, folder: "/p", prompts: 1 }));
    expect(pickRows(openPick(one), 80, 5).list.map(textOfLine)[0]).toBe("›  1 min ago ·   1 message  · Fix the parser");
    expect([ageWords(0), ageWords(7_200_000), ageWords(3 * 86_400_000)]).toEqual(["0 min", "2 h", "3 d"]);
  });
});
