import { describe, expect, it, onTestFinished } from "vitest";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";
import { fakeScreen as makeScreen } from "../../../support/fake-screen.ts";

const ENTER = "\r";
const ESC = "\x1b";

function fakeScreen(options: Parameters<typeof makeScreen>[0] = {}) {
  const screen = makeScreen(options);
  onTestFinished(() => {
    screen.controller.leave();
    return screen.ended.then(() => {});
  });
  const has = (text: string) => () => [...screen.above, ...screen.region()].join("\n").includes(text);
  /** Sends a prompt and waits for what shows that it was taken. */
  const send = async (words: string, until: string) => {
    await screen.type(words);
    await screen.type(ENTER);
    await screen.settle(has(until));
  };
  return { ...screen, has, send, idle: () => screen.settle(() => !screen.controller.store.get().busy) };
}

describe("the screen", () => {
  it("U1: a prompt is sent, its answer is in the transcript once", async () => {
    const screen = fakeScreen();
    await screen.send("hello", "You said: hello");
    await screen.idle();
    expect(screen.above.filter((row) => row === "You said: hello")).toHaveLength(1);
    expect(screen.above).toContain("› hello");
  });
  it("T1: the status row tells background shells as they come and go, also while nothing else happens", async () => {
    const screen = fakeScreen();
    await screen.idle();
    screen.session.setShells([{ id: "bg_1", command: "npm run dev" }]);
    await screen.settle(screen.has("1 background shell ·"));
    screen.session.setShells([]);
    await screen.settle(() => !screen.region().join("\n").includes("background shell"));
    expect(screen.region().join("\n")).toContain("ask mode ·");
  });
  it("UX-Q-1 S11: Enter while it works queues for the next results, Alt+Enter for after the query", async () => {
    const screen = fakeScreen();
    await screen.send("sleep", "Running Bash");
    await screen.type("look here");
    await screen.type(ENTER);
    await screen.type("and then this");
    await screen.type("\x1b\r");
    expect(screen.session.queued()).toEqual(["look here"]);
    expect(screen.region()).toContain("next: look here");
    expect(screen.region()).toContain("after: and then this");
  });
  it("UX-Q-2: Up in an empty composer takes queued texts back; nothing is sent twice or dropped", async () => {
    const screen = fakeScreen();
    await screen.send("sleep", "Running Bash");
    await screen.type("one");
    await screen.type(ENTER);
    await screen.type("two");
    await screen.type(ENTER);
    await screen.type("\x1b[A");
    expect(screen.controller.store.get().editor.text).toBe("one\n\ntwo");
    expect(screen.session.queued()).toEqual([]);
  });
  it("UX-Q-3 UX-Q-4: Esc stops, leaves its row, and queued texts are in the composer again", async () => {
    const screen = fakeScreen();
    await screen.send("sleep", "Running Bash");
    await screen.type("one");
    await screen.type(ENTER);
    await screen.type(ESC);
    await screen.idle();
    expect(screen.above).toContain("■ Stopped by you");
    expect(screen.controller.store.get().editor.text).toBe("one");
    expect(screen.session.steeredTexts).toEqual([]);
  });
  it("UX-Q-4: Esc right after Enter gives the text back", async () => {
    const screen = fakeScreen({
      async *script(stage) {
        await new Promise((resolve) => stage.signal.addEventListener("abort", resolve));
        yield stage.fact({ type: "note.added", text: "nothing was answered" });
        return "interrupted";
      },
    });
    await screen.type("precious words");
    await screen.type(ENTER);
    await screen.type(ESC);
    await screen.idle();
    expect(screen.controller.store.get().editor.text).toBe("precious words");
  });
  it("UX-Q-3, UX-Q-4: what is sent while a stopped message still ends begins anew, and is not swallowed or given back", async () => {
    let end = () => {};
    const ending = new Promise<void>((resolve) => (end = resolve));
    const screen = fakeScreen({
      async *script(stage) {
        if (stage.prompt !== "first") {
          yield* stage.reply(`answer to ${stage.prompt}`);
          return "done";
        }
        yield* stage.reply("at work");
        await new Promise((resolve) => stage.signal.addEventListener("abort", resolve));
        await ending;
        return "interrupted";
      },
    });
    await screen.send("first", "at work");
    await screen.type("early");
    await screen.type(ENTER);
    await screen.type(ESC);
    await screen.type("second");
    await screen.type(ENTER);
    await screen.type("third");
    await screen.type(ENTER);
    end();
    await screen.settle(screen.has("answer to third"));
    await screen.idle();
    expect(screen.above.filter((row) => /^(›|answer)/.test(row))).toEqual([
      "› first",
      "› second",
      "answer to second",
      "› third",
      "answer to third",
    ]);
    expect(screen.controller.store.get().editor.text).toBe("early");
  });
  it("what was steered too late to be read is sent as the next prompt", async () => {
    const screen = fakeScreen({
      async *script(stage) {
        yield* stage.reply(`answer to ${stage.prompt}`, [], stage.prompt === "first" ? 40 : 0);
        return "done";
      },
    });
    await screen.send("first", "answer to");
    await screen.type("second");
    await screen.type(ENTER);
    await screen.settle(screen.has("answer to second"));
    expect(screen.above.filter((row) => row === "› second")).toHaveLength(1);
  });
  it("UX-Q-7: Ctrl-C clears the draft, then warns, then exits; one key never exits", async () => {
    const screen = fakeScreen();
    await screen.type("draft");
    await screen.type("\x03");
    expect(screen.controller.store.get().editor.text).toBe("");
    await screen.type("\x03");
    expect(screen.region().join("\n")).toContain("Ctrl-C again to exit");
    await screen.type("\x03", 500);
    await screen.ended;
  });
  it("UX-Q-7: Ctrl-D on an empty draft exits on the second press", async () => {
    const screen = fakeScreen();
    await screen.type("\x04");
    expect(screen.region().join("\n")).toContain("Ctrl-D again to exit");
    await screen.type("\x04", 500);
    await screen.ended;
  });
  it("P8 UX-F-3: Shift+Tab cycles plan → ask → auto, also while it runs, and the mode is on screen in words", async () => {
    const screen = fakeScreen();
    expect(screen.region().at(-1)).toMatch(/^ask mode/);
    await screen.send("sleep", "Running Bash");
    const modes: string[] = [];
    for (let n = 0; n < 3; n++) {
      await screen.type("\x1b[Z");
      modes.push(screen.region().at(-1)?.split(" ")[0] ?? "");
    }
    expect(modes).toEqual(["auto", "plan", "ask"]);
    expect(screen.session.log.filter((e) => e.type === "mode.changed")).toHaveLength(3);
  });
});

describe("questions on the screen", () => {
  const decided = (screen: ReturnType<typeof fakeScreen>) =>
    screen.session.log.flatMap((e) => (e.type === "permission.decided" ? [[e.outcome, e.note, e.ends]] : []));
  it("UX-P-3: 1 lets the change land, its card and one row about the answer stay", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "Land Edit’s changes?");
    await screen.type("1");
    await screen.settle(screen.has("The limit is 20 now."));
    expect(decided(screen)).toEqual([["allow", undefined, undefined]]);
    expect(screen.above).toContain("● Edit src/a.ts +2 −1 · 0.2 s");
    expect(screen.above).toContain("✓ allowed by you Edit src/a.ts");
    expect(screen.above).toContain("  11 +   return 20;");
  });
  it("UX-P-7: a bare no ends the query, a no with a note goes on", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "Land Edit’s changes?");
    await screen.type("3");
    await screen.settle(screen.has("⊘ denied by you Edit src/a.ts"));
    await screen.idle();
    await screen.send("edit", "Land Edit’s changes?");
    await screen.type("\x1b[B\x1b[B");
    await screen.type("\t");
    await screen.type("use 30");
    await screen.type(ENTER);
    await screen.settle(screen.has("You said: use 30"));
    expect(decided(screen)).toEqual([
      ["deny", undefined, true],
      ["deny", "use 30", undefined],
    ]);
  });
  it("UX-P-7: questions that are open together say which of how many they are, and each is answered by itself", async () => {
    const screen = fakeScreen();
    const put = (path: string) =>
      screen.controller.asker.ask(
        question({ id: path, callId: path, changes: summary([entry(path)]), diffs: [oneLineDiff(path)] }),
        new AbortController().signal,
      );
    const answers = [put("a.ts"), put("b.ts"), put("c.ts")];
    for (const [n, key] of ["1", "3", "1"].entries()) {
      await screen.settle(screen.has(`${n + 1} of 3`));
      await screen.type(key);
    }
    expect((await Promise.all(answers)).map((a) => a.kind)).toEqual(["yes", "no", "yes"]);
    const alone = put("d.ts");
    await screen.settle(screen.has("d.ts"));
    expect(screen.region().join("\n")).not.toContain(" of ");
    await screen.type("1");
    await alone;
  });
  it("UX-P-6, N-10: a terminal that is gone while a question is open answers it no", async () => {
    const screen = makeScreen();
    await screen.type("edit");
    await screen.type(ENTER);
    await screen.settle(() => screen.region().join("\n").includes("yes, once"));
    screen.controller.leave();
    await screen.ended;
    expect(screen.session.log.filter((e) => e.type === "permission.decided").map((e) => e.outcome)).toEqual(["deny"]);
    expect(screen.session.log.some((e) => e.type === "changes.landed")).toBe(false);
  });
  it("TUI-B14 UX-P-4: what was typed ahead or too early never answers; the same key again, alone, does", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "Land Edit’s changes?");
    await screen.type("1", 100);
    expect(decided(screen)).toEqual([]);
    expect(screen.region().join("\n")).toContain("press again");
    await screen.type("1", 500);
    await screen.settle(screen.has("The limit is 20 now."));
    expect(screen.controller.store.get().editor.text).toBe("");
  });
  it("UX-P-4: text that came too early is in the draft, and the draft keeps the keys", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "Land Edit’s changes?");
    for (const key of "yes 1") await screen.type(key, 90);
    await screen.type("1", 5000);
    expect(decided(screen)).toEqual([]);
    expect(screen.controller.store.get().editor.text).toBe("yes 11");
    expect(screen.region().join("\n")).toContain("Ctrl-Y answers");
    await screen.type("\x19");
    await screen.type("3");
    await screen.settle(() => decided(screen).length === 1);
  });
  it("UX-P-5: a draft that was there keeps the keys; Space and Enter never approve", async () => {
    const screen = fakeScreen();
    await screen.type("edit");
    await screen.type(ENTER);
    await screen.type("my next thought", 1);
    await screen.settle(screen.has("Land Edit’s changes?"));
    await screen.type("1");
    expect(decided(screen)).toEqual([]);
    await screen.type(ESC);
    await screen.type(" ");
    expect(decided(screen)).toEqual([]);
    await screen.type("1");
    await screen.settle(() => decided(screen).length === 1);
    expect(screen.controller.store.get().editor.text).toBe("my next thought1");
  });
  it("UX-Q-5: a question closes the search, and the keys that follow are its own", async () => {
    const screen = fakeScreen();
    await screen.type("edit");
    await screen.type(ENTER);
    await screen.type("\x12", 1);
    await screen.settle(screen.has("Land Edit’s changes?"));
    await screen.type("3");
    await screen.settle(() => decided(screen).length === 1);
    expect(screen.controller.store.get().search).toBeUndefined();
  });
  it("UX-P-4: a paste never answers", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "Land Edit’s changes?");
    await screen.type("\x1b[200~1\r\x1b[201~");
    await screen.type("y\r");
    expect(decided(screen)).toEqual([]);
  });
  it("P5: yes does not count until every deletion was on screen", async () => {
    const screen = fakeScreen();
    await screen.send("delete", "Land Bash’s changes?");
    await screen.type("1");
    expect(decided(screen)).toEqual([]);
    for (let page = 0; page < 4; page++) await screen.type(" ");
    await screen.type("1");
    await screen.settle(screen.has("Deleted."));
  });
  it("P7 P8 UX-P-8: a mode switch leaves a question open, but plan answers no", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "Land Edit’s changes?");
    await screen.type("\x1b[Z");
    expect(decided(screen)).toEqual([]);
    await screen.type("\x1b[Z");
    await screen.settle(() => decided(screen).length === 1);
    expect(decided(screen)).toEqual([["deny", "switched to plan mode", undefined]]);
  });
  it("S7: Ctrl-C while a question is open stops the query", async () => {
    const screen = fakeScreen();
    await screen.send("edit", "Land Edit’s changes?");
    await screen.type("\x03");
    await screen.idle();
    expect(decided(screen)[0]?.[0]).toBe("deny");
  });
  it("UX-Q-5 S7: Esc on a question of the model's stops the query", async () => {
    const screen = fakeScreen();
    await screen.send("ask", "Which colour?");
    await screen.type(ESC);
    await screen.idle();
    expect(screen.above).toContain("■ Stopped by you");
  });
  it("S6: a question of the model's is answered by choice or own words", async () => {
    const screen = fakeScreen();
    await screen.send("ask", "Which colour?");
    await screen.type("2");
    await screen.settle(screen.has("You chose blue."));
    await screen.idle();
    await screen.send("ask", "own words:");
    for (const key of "g 1") await screen.type(key);
    await screen.type(ENTER);
    await screen.settle(screen.has("You chose g 1."));
    expect(screen.above).toContain("You chose blue.");
  });
});

describe("commands on the screen", () => {
  it("UX-IN-10: Enter runs the chosen command of the menu; a path is no command", async () => {
    const screen = fakeScreen();
    await screen.type("/co");
    await screen.type("\x1b[B");
    expect(screen.region().join("\n")).toContain("› /cost");
    await screen.type(ENTER);
    await screen.settle(screen.has("cache read"));
    await screen.send("/etc/passwd is what?", "You said: /etc/passwd is what?");
  });
  it("U8: ! runs in the copy through the session, !! outside", async () => {
    const ran: string[] = [];
    const screen = fakeScreen({ outside: async (command) => (ran.push(command), { exit: 3 }) });
    await screen.send("!ls", "ran ls");
    await screen.idle();
    await screen.send("!!git push", "ended with 3");
    expect(ran).toEqual(["git push"]);
  });
  it("E2: /resume does not offer the session that is open", async () => {
    const row = { title: "Here", folder: "/p", age: 0, prompts: 1 };
    const screen = fakeScreen({ sessions: async () => [{ ...row, id: "s_fake" }] });
    await screen.send("/resume", "There is no other session yet.");
    expect(screen.above.join("\n")).not.toContain("Which session?");
  });
  it("E2: /resume shows the picker and changes to the chosen session", async () => {
    const screen = fakeScreen();
    await screen.send("/resume", "Which session?");
    await screen.type(ENTER);
    await screen.settle(screen.has("Understudy 0.1.0"));
    await screen.type("\x03");
    await screen.type("\x03", 200);
    expect(await screen.ended).toMatchObject({ id: "s_other" });
  });
  it("E3: Enter on nothing goes on with what was left unfinished", async () => {
    const screen = fakeScreen({ unfinished: "stopped in step 7" });
    expect(screen.above.join("\n")).toContain("stopped in step 7 · Enter goes on");
    await screen.type(ENTER);
    await screen.settle(screen.has("You said: go on"));
  });
  it("UX-N-7: leaving says how to come back", async () => {
    const screen = fakeScreen();
    await screen.send("hello", "You said: hello");
    await screen.idle();
    await screen.send("/exit", "agent --resume s_fake");
    await screen.ended;
    expect(screen.above.at(-1)).toBe("Go on with agent --resume s_fake");
  });
});

describe("history", () => {
  it("UX-IN-8: Up brings sent texts back, those of earlier days too; the draft is kept below; each is kept once", async () => {
    const added: string[] = [];
    const history = {
      entries: () => [{ text: "from yesterday" }],
      add: ({ text }: { text: string }) => (added.push(text), undefined),
    };
    const screen = fakeScreen({ history });
    const text = () => screen.controller.store.get().editor.text;
    await screen.send("first", "You said: first");
    await screen.idle();
    await screen.type("\x1b[A");
    expect(text()).toBe("first");
    await screen.type("\x1b[A");
    expect(text()).toBe("from yesterday");
    await screen.type("\x1b[B");
    await screen.type("\x1b[B");
    expect(text()).toBe("");
    expect(added).toEqual(["first"]);
  });
  it("UX-IN-8: what is typed is the beginning of what comes up; a cleared draft is kept", async () => {
    const screen = fakeScreen({
      history: { entries: () => [{ text: "fix a" }, { text: "other" }], add: () => undefined },
    });
    await screen.type("fi");
    await screen.type("\x1b[A");
    expect(screen.controller.store.get().editor.text).toBe("fix a");
    await screen.type("\x03");
    await screen.type("\x1b[A");
    expect(screen.controller.store.get().editor.text).toBe("fix a");
  });
  it("UX-IN-9: Ctrl-R searches sent texts, again is older, Enter takes and does not send, Esc brings the draft back", async () => {
    const history = {
      entries: () => [{ text: "fix the old parser" }, { text: "fix the new parser" }],
      add: () => undefined,
    };
    const screen = fakeScreen({ history });
    const text = () => screen.controller.store.get().editor.text;
    await screen.type("draft");
    await screen.type("\x12");
    await screen.type("the ");
    expect(screen.region().join("\n")).toContain("search this project: the");
    expect(screen.region().join("\n")).toContain("  fix the new parser");
    await screen.type("\x12");
    expect(screen.region().join("\n")).toContain("  fix the old parser");
    await screen.type("\x1b");
    expect(text()).toBe("draft");
    await screen.type("\x12");
    await screen.type("new");
    await screen.type("\r");
    expect(text()).toBe("fix the new parser");
    expect(screen.session.log.some((e) => e.type === "prompt.submitted")).toBe(false);
  });
});
