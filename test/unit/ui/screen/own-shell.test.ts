import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Answer } from "../../../../src/permissions/asker.ts";
import type { Script } from "../../../support/fake-session.ts";
import { fakeScreen as makeScreen } from "../../../support/fake-screen.ts";
import { question } from "../../../support/questions.ts";
import { scratch } from "../../../support/scratch.ts";

const PUSH = question({
  tool: "Bash",
  subject: "git push",
  risk: "high",
  reason: "runs outside the copy, as you",
  needs: [{ kind: "unsandboxed", words: "git push" }],
  command: { text: "git push", cwd: "/home/p/project" },
  also: ["edit", "self"],
});

/** Puts the question to the screen as a call does, and keeps what was answered. */
function asking(answers: Answer[]): Script {
  return async function* (stage) {
    yield* stage.reply("I push.", []);
    answers.push(await stage.asker.ask(PUSH, stage.signal));
    return "done";
  };
}

function screenOf(options: Parameters<typeof makeScreen>[0]) {
  const screen = makeScreen(options);
  onTestFinished(() => {
    screen.controller.leave();
    return screen.ended.then(() => {});
  });
  const has = (text: string) => () => [...screen.above, ...screen.region()].join("\n").includes(text);
  const send = async (words: string, until: string) => {
    await screen.type(words);
    await screen.type("\r");
    await screen.settle(has(until));
  };
  return { ...screen, has, send, idle: () => screen.settle(() => !screen.controller.store.get().busy) };
}

describe("the person's own shell", () => {
  it("U8: s hands the terminal over, and what came of it is the answer", async () => {
    const [ran, answers]: [string[], Answer[]] = [[], []];
    const screen = screenOf({
      script: asking(answers),
      outside: async (command, cwd) => (ran.push(`${cwd}$ ${command}`), { exit: 0, output: "Everything up-to-date" }),
    });
    await screen.send("push", "s run it myself");
    await screen.type("s");
    await screen.settle(() => answers.length > 0);
    expect(ran).toEqual(["/home/p/project$ git push"]);
    expect(answers).toEqual([{ kind: "self", exit: 0, output: "Everything up-to-date" }]);
  });
  it("U8: what can't be run leaves the question open, with why", async () => {
    const answers: Answer[] = [];
    const screen = screenOf({ script: asking(answers), outside: () => Promise.reject(new Error("no shell")) });
    await screen.send("push", "s run it myself");
    await screen.type("s");
    await screen.settle(screen.has("It could not be run: no shell"));
    expect(answers).toEqual([]);
  });
  it("UX-P-3: Ctrl-E explains the question out of the log, above it", async () => {
    const answers: Answer[] = [];
    const screen = screenOf({ script: asking(answers) });
    await screen.send("push", "s run it myself");
    await screen.type("\x05");
    await screen.settle(screen.has("high risk: runs outside the copy, as you"));
    await screen.type("\x05");
    await screen.settle(() => !screen.has("high risk: runs outside the copy")());
    expect(answers).toEqual([]);
  });
  it("UX-IN-12 U8: the model sees what !! said only if Tab is pressed; sending something else takes the offer away", async () => {
    const screen = screenOf({ outside: async () => ({ exit: 0, output: "secret plan" }) });
    await screen.send("!!cat plan", "Tab lets the model see what !!cat plan said");
    const facts = () => screen.session.log.map((e) => e.type);
    expect(facts()).toContain("shell.ran");
    expect(facts()).not.toContain("note.added");
    await screen.type("\t");
    await screen.settle(screen.has("The model sees what !!cat plan said"));
    expect(screen.session.log.at(-1)).toMatchObject({ type: "note.added", text: "$ cat plan\nsecret plan" });
    expect(screen.region().join("\n")).not.toContain("Tab lets");
    await screen.send("!!cat plan", "Tab lets the model see what !!cat plan said");
    await screen.send("hello", "You said: hello");
    await screen.idle();
    await screen.type("\t");
    expect(facts().filter((type) => type === "note.added")).toHaveLength(1);
  });
  it("UX-IN-12, P-4: a Tab that was meant for the command itself shows nothing to the model", async () => {
    const screen = screenOf({ outside: async () => ({ exit: 0, output: "secret plan" }) });
    await screen.send("!!cat plan", "Tab lets the model see what !!cat plan said");
    await screen.type("\t", 399);
    await screen.settle(screen.has("Tab lets the model see"));
    expect(screen.session.log.map((e) => e.type)).not.toContain("note.added");
    await screen.type("\t");
    await screen.settle(screen.has("The model sees what !!cat plan said"));
  });
  it("UX-Q-9: Ctrl-B says that a running command can't be moved, and has the words ready that start it again", async () => {
    const screen = screenOf({});
    await screen.send("sleep", "Running Bash");
    await screen.type("\x02");
    await screen.settle(screen.has("A command can't be moved while it runs"));
    expect(screen.controller.store.get().editor.text).toMatch(/^Start that again, to go on in the background/);
  });
  it("UX-IN-4: with a draft, Ctrl-B is the cursor's", async () => {
    const screen = screenOf({});
    await screen.send("sleep", "Running Bash");
    await screen.type("abc");
    await screen.type("\x02");
    expect(screen.controller.store.get().editor).toMatchObject({ text: "abc", cursor: 2 });
  });
  it("UX-IN-12: Tab completes paths in a shell line, tells those that fit, and leaves alone what was typed meanwhile", async () => {
    const folder = scratch("own-shell");
    for (const name of ["alpha.txt", "alpine.txt", "beta"]) writeFileSync(join(folder, name), "");
    const screen = screenOf({ folder });
    const typed = () => screen.controller.store.get().editor.text;
    await screen.type("!cat b\t");
    await screen.settle(() => typed() === "!cat beta ");
    await screen.type("a\t");
    await screen.settle(screen.has("alpha.txt  alpine.txt"));
    expect(typed()).toBe("!cat beta alp");
  });
  it("UX-IN-12: its history is its own, its sign another one, and Backspace on nothing leaves it", async () => {
    const screen = screenOf({ outside: async () => ({ exit: 0 }) });
    await screen.send("!ls", "ran ls");
    await screen.idle();
    await screen.send("!!date", "!!date");
    await screen.send("hello", "You said: hello");
    await screen.idle();
    const typed = () => screen.controller.store.get().editor.text;
    await screen.type("!");
    expect(screen.region().join("\n")).toMatch(/^!/m);
    await screen.type("\x1b[A");
    expect(typed()).toBe("!ls");
    await screen.type("\x1b[A");
    expect(typed()).toBe("!ls");
    await screen.type("\x7f\x7f\x7f");
    expect(typed()).toBe("");
    expect(screen.region().join("\n")).not.toMatch(/^!/m);
  });
});

describe("after a stop", () => {
  it("UX-Q-4: by setting what waits is sent, words together and in order, a shell line for itself; the composer stays as it is", async () => {
    const screen = screenOf({ sendAfterStop: true });
    await screen.send("sleep", "Running Bash");
    for (const words of ["one", "two"]) {
      await screen.type(words);
      await screen.type("\r");
    }
    for (const words of ["three", "!ls"]) {
      await screen.type(words);
      await screen.type("\x1b\r");
    }
    await screen.type("draft");
    await screen.type("\x1b");
    await screen.settle(screen.has("You said: one"));
    await screen.settle(screen.has("ran ls"));
    const prompts = screen.session.log.flatMap((e) => (e.type === "prompt.submitted" ? [e.content] : []));
    expect(JSON.stringify(prompts.at(-1))).toContain("one\\n\\ntwo\\n\\nthree");
    expect(screen.controller.store.get().editor.text).toBe("draft");
  });
});
