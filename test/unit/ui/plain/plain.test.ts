import { PassThrough, Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPlain } from "../../../../src/ui/plain/plain.ts";
import { readAnswer } from "../../../../src/ui/plain/question.ts";
import { playScript } from "../../../support/fake-script.ts";
import { type FakeOptions, fakeSession, type Script } from "../../../support/fake-session.ts";
import { entry, question, summary } from "../../../support/questions.ts";

function open(options: Partial<FakeOptions> & { marks?: boolean } = {}) {
  let now = 0;
  let text = "";
  const stdin = new PassThrough();
  const stdout = new Writable({ write: (chunk: Buffer, _e, done) => ((text += chunk.toString()), done()) });
  const plain = createPlain({
    stdin,
    stdout,
    clock: { now: () => now, sleep: () => Promise.resolve() },
    welcome: { version: "0.1.0", home: "/home/p" },
    openOther: async (id) => fakeSession({ asker: plain.asker, script: playScript, id }),
    exportTo: () => Promise.resolve("/tmp/talk.md"),
    outside: async () => ({ exit: 0 }),
    sessions: async () => [
      { id: "s_fake", title: "this one", folder: "/p", age: 0, prompts: 1 },
      { id: "s_other", title: "Fix the parser", folder: "/p", age: 3_600_000, prompts: 4 },
    ],
    marks: options.marks === true,
  });
  const session = fakeSession({ script: playScript, ...options, asker: plain.asker });
  const ended = plain.run(session);
  onTestFinished(() => void stdin.end());
  return {
    session,
    ended,
    stdin,
    text: () => text,
    /** Types a line, `ms` after the last one. */
    line(words: string, ms = 1000) {
      now += ms;
      stdin.write(`${words}\n`);
    },
    async until(what: string, times = 1) {
      for (let turn = 0; turn < 3000; turn++) {
        if (text.split(what).length > times) return;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      throw new Error(`never said ${what}:\n${text}`);
    },
  };
}

/** A call that finds something, and one that a rule denies. */
const deniedScript: Script = async function* (stage) {
  const found = { id: "c1", tool: "ToolSearch", input: { query: "ping" }, output: "mcp__t__ping" };
  yield* stage.reply("", [found]);
  yield* stage.run(found);
  yield* stage.reply("", [{ id: "c2", tool: "Bash", input: { command: "make" } }]);
  yield stage.fact({
    type: "permission.decided",
    callId: "c2",
    outcome: "deny",
    by: "rule",
    gate: "needs",
    risk: "low",
    reason: "not here",
    rule: { text: "Bash(*)", action: "deny", source: "user" },
    effect: { tool: "Bash", subject: "make", needs: [], contained: true },
  });
  const content = [{ type: "text" as const, text: "(no output)" }];
  yield stage.fact({ type: "call.finished", callId: "c2", status: "denied", content, touched: [], durationMs: 1 });
  yield* stage.reply("Then not.");
  return "done";
};

describe("the line front-end", () => {
  it("U1: leaving closes the session, and with it what would keep the program alive", async () => {
    const plain = open();
    let closed = 0;
    Object.assign(plain.session, { close: () => Promise.resolve(void closed++) });
    plain.line("/exit");
    expect([await plain.ended, closed]).toEqual([0, 1]);
  });
  it("UX-N-4: every speaker has a label, and there is no escape at all", async () => {
    const plain = open();
    plain.line("md");
    await plain.until("you: ", 2);
    plain.line("edit");
    await plain.until("answer: ");
    plain.line("1");
    await plain.until("agent: The limit is 20 now.");
    const text = plain.text();
    expect(text).toContain("agent: What I found");
    expect(text).toContain("permission needed: Land Edit’s changes? medium risk");
    expect(text).toContain("11 +   return 20;");
    expect(text).toContain("tool: ● Edit src/a.ts +2 −1 · 0.2 s");
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
  it("UX-N-4: on a terminal that takes them, marks around prompts and outputs, a bell when a question waits; nothing else", async () => {
    const plain = open({ marks: true });
    plain.line("edit");
    await plain.until("answer: ");
    plain.line("1");
    await plain.until("\x1b]133;D");
    const text = plain.text();
    for (const part of ["\x1b]133;A\x07you: \x1b]133;B\x07", "\x1b]133;C\x07", "\x07answer: "])
      expect(text).toContain(part);
    expect(text.replaceAll(/\x1b\]133;[ABCD]\x07|\x07/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
  it("UX-P-8 UX-N-4: a denial is one row; a call is told once, and what it is that changes the mode here", async () => {
    const plain = open({ script: deniedScript });
    plain.line("go");
    await plain.until("agent: Then not.");
    const said = plain.text().split("\n");
    expect(said.filter((row) => row.includes("⊘"))).toEqual(["note: ⊘ denied by rule Bash(*) Bash make: not here"]);
    expect(said.filter((row) => row.includes("ToolSearch"))).toHaveLength(1);
    expect(plain.text()).toContain("/mode changes the mode");
  });
  it("UX-N-4: /resume is a list of numbers, # asks for a file the same way, errors have their label", async () => {
    const plain = open();
    plain.line("# tests first");
    await plain.until("answer: ");
    expect(plain.text()).toContain("+ - tests first");
    plain.line("1");
    await plain.until("landed: AGENTS.md: - tests first");
    plain.line("/nosuch");
    await plain.until("error: no command /nosuch");
    plain.line("/resume");
    await plain.until("1 Fix the parser (1 h ago, 4 messages, /p)");
    expect(plain.text()).not.toContain("this one");
    plain.line("1");
    await plain.until("Understudy 0.1.0", 2);
  });
  it("UX-N-4: only appends: nothing that was written is written again", async () => {
    const plain = open();
    plain.line("stream 200");
    await plain.until("w199");
    expect(plain.text().match(/\bw\d+\b/g)).toHaveLength(200);
  });
  it("UX-P-4: a line typed ahead or in a heap answers nothing", async () => {
    const plain = open();
    plain.line("edit");
    await plain.until("answer: ");
    plain.line("1", 10);
    await plain.until("not answered");
    plain.stdin.write("1\n1\n");
    await plain.until("not answered", 3);
    expect(plain.session.log.some((e) => e.type === "permission.decided")).toBe(false);
    plain.line("3 use 30");
    await plain.until("agent: You said: use 30");
  });
  it("UX-N-4, W4: an undo that later changes are in the way of is a numbered choice; rewind asks twice", async () => {
    const plain = open();
    const way = {
      steps: [{ operationId: "op_1", at: "", text: "a.txt" }],
      diffs: [],
      conflicts: [],
      merged: ["a.txt"],
    };
    const conflicts = [{ path: "a.txt", why: "it was changed since" }];
    const asked: unknown[] = [];
    plain.session.undo = async (id, how) => {
      asked.push([id, how]);
      return { ok: how === "merge", text: how === "merge" ? "Undone: a.txt." : "Nothing was undone.", paths: [] };
    };
    plain.session.previewStep = async () => ({
      kind: "undo",
      asked: ["op_1"],
      alone: { ...way, conflicts },
      along: { ...way, steps: [...way.steps, { operationId: "op_2", at: "", text: "a.txt" }] },
      merged: way,
    });
    plain.line("/undo op_1");
    await plain.until("or your own words");
    expect(plain.text()).toMatch(
      /a\.txt: it was changed since[^]*1 undo 1 later step as well \(op_2: a\.txt\)[^]*2 keep the later lines/,
    );
    await plain.until("answer: ");
    plain.line("2");
    await plain.until("Undone: a.txt.");
    expect(asked).toEqual([
      ["op_1", undefined],
      ["op_1", "merge"],
    ]);
    plain.line("/undo op_1 merge");
    await plain.until("Undone: a.txt.", 2);

    plain.session.rewindPoints = () => [{ to: 7, text: "the first", at: "", steps: 1, files: 2 }];
    plain.session.previewRewind = async (to) => ({
      to,
      prompts: 1,
      replies: 2,
      outside: ["Bash npm i (network: h)"],
      undone: 0,
      pending: 2,
    });
    const rewound: unknown[] = [];
    plain.session.rewind = async (...args) => {
      rewound.push(args);
      return { ok: true, text: "Rewound.", paths: [] };
    };
    plain.line("/rewind");
    await plain.until("answer: ", 2);
    plain.line("1");
    await plain.until("answer: ", 3);
    expect(plain.text()).toMatch(
      /1 message and 2 replies leave it[^]*2 steps since then wait in the rehearsal[^]*No undo takes these back:[^]*Bash npm i \(network: h\)/,
    );
    plain.line("leave it");
    await plain.until("Nothing was rewound.");
    expect(rewound).toEqual([]);
    plain.line("/rewind");
    await plain.until("answer: ", 4);
    plain.line("1");
    await plain.until("answer: ", 5);
    plain.line("1");
    await plain.until("Rewound.");
    expect(rewound).toEqual([[7, "conversation", "alone"]]);
    expect(plain.text()).toContain("note: the message was: the first");
  });
  it("S11: lines typed while it works steer", async () => {
    const plain = open();
    plain.line("sleep");
    await new Promise((resolve) => setTimeout(resolve, 20));
    plain.line("look here");
    await plain.until("queued:");
    expect(plain.session.queued()).toEqual(["look here"]);
  });
  it("UX-IN-10 E2: commands work; the end of input leaves with the way back", async () => {
    const plain = open();
    plain.line("/cost");
    await plain.until("fake-1");
    plain.line("/nosuch");
    await plain.until("error: no command /nosuch");
    plain.line("hello");
    await plain.until("agent: You said: hello");
    await plain.until("you: ", 4);
    plain.stdin.end();
    expect(await plain.ended).toBe(0);
    expect(plain.text()).toContain("Go on with agent --resume s_fake");
  });
  it("UX-P-3: numbers and words to answers; what is not offered is no answer", () => {
    const offer = { session: "Edit(a)", always: "Edit(a)" };
    const q = question({ changes: summary([entry("a")]), offer });
    expect(readAnswer(q, "1")).toEqual({ kind: "yes" });
    expect(readAnswer(q, "2")).toEqual({ kind: "yes", remember: { scope: "session", rule: "Edit(a)" } });
    expect(readAnswer(q, "4")).toEqual({ kind: "yes", remember: { scope: "always", rule: "Edit(a)" } });
    expect(readAnswer(q, " 3 ")).toEqual({ kind: "no" });
    expect(readAnswer(q, "no, too risky")).toEqual({ kind: "no", note: "too risky" });
    for (const typed of ["", "maybe", "11", "yesterday"]) expect(readAnswer(q, typed)).toBeUndefined();
    const high = question({ risk: "high", changes: summary([entry("a")]), offer });
    expect(readAnswer(high, "2")).toBeUndefined();
  });
});
