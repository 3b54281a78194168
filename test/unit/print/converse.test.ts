import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { describe, expect, it } from "vitest";
import { converse } from "../../../src/print/converse.ts";
import { linesOf } from "../../../src/print/lines.ts";
import { StreamInput } from "../../../src/print/stream-input.ts";
import { openAt, type Place, place, type ScriptInput } from "../../support/session.ts";

const schema = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../../schemas/stream-output.v1.json"), "utf8"),
) as Record<string, unknown>;
const published = new AjvJsonSchemaValidator().getValidator(schema);

interface Written {
  type: string;
  [key: string]: unknown;
}

/** A session that takes lines; what it writes is parsed. */
async function talk(
  script: ScriptInput,
  questions = true,
  at: Place = place("converse"),
  mode: "ask" | "plan" = "ask",
) {
  const stdin = new PassThrough();
  const out: Written[] = [];
  const bad: string[] = [];
  const write = (line: object) => {
    out.push(line as Written);
  };
  const input = new StreamInput({
    bad: ({ n, problem }) => void bad.push(`${n}: ${problem}`),
    question: questions ? write : undefined,
    waits: ({ question }) => write({ type: "waits", question }),
  });
  const session = await openAt(at, { script, asker: input, more: { mode } });
  void input.read(linesOf(stdin));
  const to = {
    out: (text: string) => Promise.resolve(void out.push(JSON.parse(text) as Written)),
    err: () => undefined,
  };
  const how = { format: "stream-json", strict: false } as const;
  const code = converse(session, input, how, to, new AbortController().signal).finally(() => void session.close());
  return {
    at,
    bad,
    code,
    out,
    say: (...lines: object[]) => void stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
    end: () => void stdin.end(),
    /** The n-th line of a type, once it is there. */
    line: async (type: string, n = 0): Promise<Written> => {
      const found = () => out.filter((line) => line.type === type)[n];
      await expect.poll(found, { timeout: 10_000 }).toBeDefined();
      return found() ?? { type: "" };
    },
    types: (...types: string[]) => out.filter(({ type }) => types.includes(type)),
  };
}

const write = (file_path: string) => ({ calls: [{ name: "Write", input: { file_path, content: "x\n" } }] });
/** Lines that the published schema does not take. */
const unfit = (lines: readonly Written[]) => lines.filter((line) => !published(JSON.parse(JSON.stringify(line))).valid);
const ask = {
  calls: [{ name: "AskUser", input: { question: "Tabs?", options: [{ label: "yes" }, { label: "no" }] } }],
};
const message = (content: string) => ({ type: "message", content });

describe("U2: messages and answers on stdin", () => {
  it("a yes to a permission question lands the change, a no with a note goes on; both only by the question's id", async () => {
    const t = await talk({ turns: [write("a.txt"), write("b.txt"), { text: "done" }] });
    t.say(message("go"));
    const first = await t.line("question");
    expect(first).toMatchObject({ kind: "permission", tool: "Write", subject: "a.txt", version: 1 });
    expect(first["text"]).toContain("+x");
    expect(existsSync(join(t.at.folder, "a.txt"))).toBe(false);
    t.say({ type: "answer", question_id: "another", allow: true });
    t.say({ type: "answer", question_id: first["question_id"], allow: true });
    const second = await t.line("question", 1);
    t.say({ type: "answer", question_id: first["question_id"], allow: true });
    t.say({ type: "answer", question_id: second["question_id"], allow: false, note: "not that" });
    t.end();
    expect(await t.code).toBe(2);
    expect(t.bad).toEqual(["2: no question another is open", `4: no question ${String(first["question_id"])} is open`]);
    expect(["a.txt", "b.txt"].map((name) => existsSync(join(t.at.folder, name)))).toEqual([true, false]);
    expect(t.types("result")).toMatchObject([{ reason: "done", text: "done", denials: [{ subject: "b.txt" }] }]);
    expect(unfit(t.out)).toEqual([]);
    expect(unfit([{ type: "result", version: 1 }, { type: "nonsense" }])).toHaveLength(2);
  });

  it("what stands open when stdin ends is answered by nobody: a permission denied, a question waits (3)", async () => {
    const t = await talk({ turns: [write("a.txt"), ask] });
    t.say(message("go"));
    await t.line("question");
    t.end();
    expect(await t.code).toBe(3);
    expect(t.types("result")).toMatchObject([{ reason: "waiting", denials: [{ by: "nobody" }] }]);
    expect(unfit(t.out)).toEqual([]);
  });

  it("an answer to the model may come ahead of its question; one that does not fit is told and the next one taken", async () => {
    const t = await talk({ turns: [ask, { text: "thanks" }, { text: "again" }] }, false);
    t.say(message("go"), { type: "answer", text: "9" }, { type: "answer", text: "1" }, message("more"));
    t.say({ type: "answer", text: "to nothing" });
    t.end();
    expect(await t.code).toBe(2);
    expect(t.bad.map((line) => line.slice(0, 2))).toEqual(["2:", "5:"]);
    expect(t.types("result").map(({ text }) => text)).toEqual(["thanks", "again"]);
    expect(t.types("call.finished")).toMatchObject([{ content: [{ text: "yes" }] }]);
  });

  it("P1: a plan is accepted by its question's id alone: nothing said ahead, or to whatever is open, switches the mode", async () => {
    const plan = { calls: [{ name: "ExitPlan", input: { title: "Make it" } }] };
    const t = await talk(
      { turns: [plan, { text: "as you say" }, plan, { text: "on it" }] },
      true,
      place("plan"),
      "plan",
    );
    t.say(message("go"), { type: "answer", text: "2" });
    const first = await t.line("question");
    t.say({ type: "answer", text: "2" });
    t.say({ type: "answer", question_id: first["question_id"], text: "Keep planning" }, message("again"));
    const second = await t.line("question", 1);
    expect(t.types("mode.changed")).toEqual([]);
    t.say({ type: "answer", question_id: second["question_id"], text: "1" });
    t.end();
    expect(await t.code).toBe(2);
    expect(t.bad.map((line) => line.slice(0, 2))).toEqual(["3:", "2:"]);
    expect(t.types("mode.changed")).toMatchObject([{ mode: "ask", by: "plan" }]);
  });

  it("bad lines are told and lose nothing: what stands before and behind them is worked on, in order", async () => {
    const t = await talk({ turns: [{ text: "one" }, { text: "two" }, { text: "three" }] });
    t.say(message("1"), { type: "nonsense" }, message("2"), { type: "message" }, message("3"));
    t.end();
    expect(await t.code).toBe(2);
    expect(t.types("result").map(({ text }) => text)).toEqual(["one", "two", "three"]);
    expect(t.bad).toHaveLength(2);
  });

  it("the code is that of the last message that did not end well", async () => {
    const missing = (n: number) => ({ calls: [{ name: "Read", input: { file_path: `missing-${n}` } }] });
    const t = await talk({ turns: [missing(1), missing(2), missing(3), { text: "here" }] });
    t.say(message("1"), message("2"));
    t.end();
    expect(await t.code).toBe(5);
    expect(t.types("result").map(({ reason }) => reason)).toEqual(["tool-failing", "done"]);
  });

  it("Q-1: a steering line is read behind the next results, one that comes too late is a message of its own", async () => {
    const t = await talk({ turns: [ask, { text: "steered" }, { text: "late" }] });
    t.say(message("go"));
    const question = await t.line("question");
    t.say(
      { ...message("and this"), when: "steer" },
      { type: "answer", question_id: question["question_id"], text: "no" },
    );
    await t.line("result");
    t.say({ ...message("late"), when: "steer" });
    t.end();
    expect(await t.code).toBe(0);
    expect(t.types("prompt.submitted").map(({ when }) => when)).toEqual(["start", "steer", "start"]);
  });

  it("S7: an interrupt stops the message that runs, and the next one works", async () => {
    const sleep = { calls: [{ name: "Bash", input: { command: "sleep 600" } }] };
    const t = await talk({ turns: [sleep, { text: "next" }] });
    t.say(message("1"), message("2"));
    await t.line("call.started");
    t.say({ type: "interrupt" });
    t.end();
    expect(await t.code).toBe(130);
    expect(t.types("result").map(({ reason }) => reason)).toEqual(["interrupted", "done"]);
  });
});
