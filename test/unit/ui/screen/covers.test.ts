import { describe, expect, it, onTestFinished } from "vitest";
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
    expect((await screen.covered("That was long.")).at(-1)).toMatch(/^transcript end · \/ search/);
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
});
