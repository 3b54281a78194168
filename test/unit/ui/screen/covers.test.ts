import { globSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { fakeScreen as makeScreen } from "../../../support/fake-screen.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

function fakeScreen(options: Parameters<typeof makeScreen>[0] = {}) {
  const screen = makeScreen(options);
  onTestFinished(() => {
    screen.controller.leave();
    return screen.ended.then(() => {});
  });
  const send = async (words: string, until: string) => {
    await screen.type(words);
    await screen.type("\r");
    await screen.settle(() => [...screen.above, ...screen.region()].join("\n").includes(until));
  };
  const covered = async (text: string) => {
    await screen.settle(() => screen.cover()?.join("\n").includes(text) === true);
    return screen.cover() ?? [];
  };
  return { ...screen, send, covered, idle: () => screen.settle(() => !screen.controller.store.get().busy) };
}

describe("what covers the screen", () => {
  it("UX-T-5, T-1: Ctrl-O on an empty draft shows the session in full, with times; q is back on the same screen", async () => {
    const screen = fakeScreen();
    await screen.send("long 40", "That was long.");
    await screen.idle();
    expect(screen.above.join("\n")).toContain("+ 35 lines (Ctrl-O)");
    const region = screen.region();
    await screen.type("\x0f");
    expect((await screen.covered("That was long.")).at(-1)).toMatch(/^transcript end · q back · \/ search/);
    await screen.type("g");
    const top = (await screen.covered("› long 40")).join("\n");
    expect(top).toMatch(/── \d\d:\d\d:\d\d\n› long 40/);
    expect(top).toContain("output line 0");
    await screen.type("q");
    expect(screen.cover()).toBeUndefined();
    expect(screen.region()).toEqual(region);
    expect(screen.above.filter((row) => row.includes("output line 0"))).toEqual([]);
  });
  it("UX-T-5: what comes while it is open is appended; s writes it to the scrollback, c copies the raw answer", async () => {
    let go = () => {};
    const wait = new Promise<void>((resolve) => (go = resolve));
    const screen = fakeScreen({
      async *script(stage) {
        yield* stage.reply("first *words*");
        await wait;
        yield* stage.reply("later words");
        return "done";
      },
    });
    await screen.send("hello", "first words");
    await screen.type("/transcript");
    await screen.type("\r");
    await screen.covered("first words");
    go();
    await screen.covered("later words");
    await screen.idle();
    await screen.type("c");
    expect(screen.asides.at(-1)).toBe(`\x1b]52;c;${Buffer.from("later words").toString("base64")}\x07`);
    await screen.type("s");
    await screen.type("q");
    await screen.settle(() => screen.above.filter((row) => row === "later words").length === 2);
  });
  it("UX-T-6: /copy gives the raw Markdown of the last answer", async () => {
    const screen = fakeScreen();
    await screen.send("say **this**", "You said: say this");
    await screen.idle();
    await screen.send("/copy", "copied");
    expect(screen.asides.at(-1)).toContain(Buffer.from("You said: say **this**").toString("base64"));
  });
  it("UX-T-6, TUI-B16: what can't be seen of an answer is not copied", async () => {
    const screen = fakeScreen({
      async *script(stage) {
        yield* stage.reply("rm a\u202e \u200bb\x1b[201~\x07 👩‍💻 end");
        return "done";
      },
    });
    await screen.send("hello", "end");
    await screen.idle();
    await screen.send("/copy", "copied");
    expect(screen.asides.at(-1)).toBe(`\x1b]52;c;${Buffer.from("rm a b 👩‍💻 end").toString("base64")}\x07`);
  });
  it("UX-T-5, P-4: a question that comes is told in the last row, answered by no key there, and armed anew afterwards", async () => {
    let go = () => {};
    const wait = new Promise<void>((resolve) => (go = resolve));
    const screen = fakeScreen({
      async *script(stage) {
        yield* stage.reply("at work");
        await wait;
        const asked = question({ changes: summary([entry("src/a.ts")]), diffs: [oneLineDiff("src/a.ts")] });
        const answer = await stage.asker.ask(asked, stage.signal);
        yield* stage.reply(`answered ${answer.kind}`);
        return "done";
      },
    });
    await screen.send("hello", "at work");
    await screen.type("\x0f");
    await screen.covered("transcript end");
    go();
    await screen.covered("a question waits: Edit · q answers");
    await screen.type("1");
    await screen.type("y");
    await screen.type("q");
    expect(screen.cover()).toBeUndefined();
    expect(screen.controller.store.get().prompts).toHaveLength(1);
    // Too early after the screen came back.
    await screen.type("1", 100);
    expect(screen.controller.store.get().prompts).toHaveLength(1);
    await screen.type("1", 1000);
    await screen.settle(() => screen.above.join("\n").includes("answered yes"));
  });
  it("UX-P-3, P-4: Ctrl-O in a question shows its changes; what is left out there does not land, and no key there answers", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "1 yes, once");
    const armedAt = screen.controller.store.get().arming.shownAt ?? Infinity;
    await screen.type("\x0f");
    await screen.covered("Edit’s changes · 1 file · 2 of 2 parts land");
    for (const keys of ["1", "y", "\t", "\x1b[B", " "]) await screen.type(keys);
    await screen.covered("1 of 2 parts land");
    await screen.type("c");
    await screen.type("why the limit?");
    await screen.type("\r");
    await screen.type("q");
    expect(screen.cover()).toBeUndefined();
    expect(screen.controller.store.get().arming.shownAt).toBeGreaterThan(armedAt);
    expect(screen.region().join("\n")).toContain("yes, once, only 1 of 2 parts");
    expect(screen.region().join("\n")).toContain("With the answer goes: why the limit?");
    const answers: unknown[] = [];
    const [open] = screen.controller.store.get().prompts;
    if (open?.kind !== "permission") throw new Error("no question");
    const resolve = open.resolve.bind(open);
    open.resolve = (answer) => (answers.push(answer), resolve(answer));
    await screen.type("1", 100);
    expect(answers).toEqual([]);
    await screen.type("1", 1000);
    expect(answers).toEqual([
      { kind: "yes", left: [{ root: 0, path: "src/a.ts", hunks: [0] }], note: "why the limit?" },
    ]);
  });
  it("UX-Q-6: double Esc lists the messages; before anything happens the changes can be looked at, and a fork is one choice", async () => {
    const screen = fakeScreen();
    await screen.idle();
    const way = { steps: [], diffs: [oneLineDiff("src/a.ts")], conflicts: [], merged: [] };
    screen.session.rewindPoints = () => [{ to: 7, text: "the first", at: "", steps: 1, files: 1 }];
    screen.session.previewRewind = async () => ({
      to: 7,
      prompts: 1,
      replies: 1,
      files: { kind: "undo", asked: [], alone: way },
      outside: [],
      pending: 0,
      undone: 0,
    });
    await screen.type("\x1b");
    await screen.type("\x1b", 100);
    await screen.settle(() => screen.region().join("\n").includes("the first · 1 file"));
    await screen.type("\r");
    await screen.settle(() => screen.region().join("\n").includes("4 fork"));
    await screen.type("5");
    await screen.covered("src/a.ts +1 −1");
    await screen.type("q");
    await screen.settle(() => screen.region().join("\n").includes("1 files and conversation"));
    await screen.type("\x1b");
    await screen.settle(() => screen.above.join("\n").includes("Nothing was rewound."));
    expect(screen.cover()).toBeUndefined();
  });
  it("UX-N-5, UX-T-5: help that a window can't hold is read on a screen of its own, and leaves the scrollback alone", async () => {
    const keys = { keymap: () => DEFAULT_KEYMAP, allKeys: () => true, file: "/home/me/keymap.json" };
    const screen = fakeScreen({ keys });
    await screen.idle();
    await screen.type("?");
    const first = await screen.covered("keys 0 % · q back · / search");
    expect(first).toHaveLength(24);
    expect(first[0]).toBe("Everywhere (any)");
    await screen.type("]");
    expect(screen.cover()?.[0]).toBe("While you write (composer)");
    await screen.type("G");
    expect((await screen.covered("keys end")).join("\n")).toContain("Your own: /home/me/keymap.json");
    await screen.type("q");
    expect(screen.cover()).toBeUndefined();
    await screen.type("/help");
    await screen.type("\r");
    await screen.covered("help 0 %");
    await screen.type("q");
    expect(screen.above.join("\n")).not.toMatch(/Ctrl\+|Commands and keys/);
    const tall = fakeScreen({ rows: 200, keys });
    await tall.send("/keys", "Everywhere (any)");
    expect(tall.cover()).toBeUndefined();
  });
  it("W4: /diff shows what the session changed, and says so where that is nothing", async () => {
    const screen = fakeScreen();
    await screen.idle();
    await screen.send("/diff", "Nothing of this session is in your folder.");
    screen.session.looks.changed = async (step) =>
      step === undefined ? { title: "what this session changed", diffs: [oneLineDiff("src/a.ts")] } : undefined;
    await screen.send("/diff op_9", "There is no step op_9");
    await screen.type("/diff");
    await screen.type("\r");
    await screen.covered("what this session changed · 1 file");
    await screen.type("q");
    expect(screen.cover()).toBeUndefined();
  });
  it("UX-T-7: a turn begins with a mark where the terminal wants one; only /clear-scrollback takes rows out of the scrollback", async () => {
    const marked = fakeScreen({ marks: true });
    await marked.send("hello", "You said: hello");
    expect(marked.above.filter((row) => row.includes("\x1b]133"))).toEqual(["\x1b]133;A\x07› hello"]);
    const screen = fakeScreen();
    await screen.send("hello", "You said: hello");
    await screen.idle();
    expect(screen.above.join("")).not.toContain("\x1b]133");
    expect(screen.asides).toEqual([]);
    await screen.type("/clear-scrollback");
    await screen.type("\r");
    await screen.settle(() => screen.asides.includes("\x1b[3J"));
    const sources = globSync("src/**/*.{ts,tsx}").filter((file) => /\[3J/.test(readFileSync(file, "utf8")));
    expect(sources).toEqual(["src/ui/screen/covers.ts"]);
  });
  it("UX-T-4: thinking is one row with its seconds; the pager shows it all", async () => {
    const screen = fakeScreen({
      async *script(stage) {
        yield stage.fact({ type: "turn.started", turn: 1, model: "fake-1" });
        yield { type: "thinking.delta", text: "first I wonder\nwhy it is so" };
        yield { type: "text.delta", text: "the answer" };
        const blocks = [
          { type: "thinking" as const, thinking: "first I wonder\nwhy it is so", signature: "s" },
          { type: "text" as const, text: "the answer" },
        ];
        const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
        yield stage.fact({
          type: "reply.completed",
          turn: 1,
          model: "fake-1",
          blocks,
          usage,
          stopReason: "end_turn",
          durationMs: 1,
          attempts: 1,
        });
        return "done";
      },
    });
    await screen.send("hello", "the answer");
    await screen.idle();
    expect(screen.above.filter((row) => row.includes("thought"))).toEqual(["✻ thought 0.0 s (Ctrl-O)"]);
    expect(screen.above.join("\n")).not.toContain("wonder");
    await screen.type("\x0f");
    expect((await screen.covered("wonder")).join("\n")).toContain("  first I wonder\n  why it is so");
  });
});
