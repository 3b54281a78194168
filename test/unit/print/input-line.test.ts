import { describe, expect, it } from "vitest";
import { readLine } from "../../../src/print/input-line.ts";
import { type Line, linesOf } from "../../../src/print/lines.ts";

const read = (line: unknown) => readLine(JSON.stringify(line));
const said = (text: string) => [{ type: "text", text }];

describe("U2: a line of --input-format stream-json", () => {
  it("is a message, as words, as blocks, or as other programs write one", () => {
    expect(read({ type: "message", content: "hi" })).toEqual({ kind: "message", content: said("hi"), steer: false });
    expect(read({ type: "message", content: said("hi"), when: "steer" })).toMatchObject({ steer: true });
    const user = { type: "user", message: { role: "user", content: said("hi") }, session_id: "x" };
    expect(read(user)).toEqual({ kind: "message", content: said("hi"), steer: false });
  });

  it("is an answer to the model, or a yes or no that names its question", () => {
    expect(read({ type: "answer", text: "2" })).toEqual({ kind: "answer", text: "2" });
    expect(read({ type: "answer", question_id: "q", allow: true })).toMatchObject({ kind: "answer", allow: true });
  });

  it.each([
    ["nonsense", /no JSON/],
    ["[1]", /expected object/i],
    ['{"type":"massage","content":"x"}', /type/],
    ['{"type":"message","content":" "}', /content/],
    ['{"type":"message","content":"x","wehn":"steer"}', /wehn/],
    ['{"type":"message","content":[{"type":"tool_use"}]}', /content/],
    ['{"type":"answer","allow":true}', /question_id is missing/],
    ['{"type":"answer"}', /either text/],
    ['{"type":"answer","text":"x","note":"y"}', /go with allow/],
    ['{"type":"answer","question_id":"q","allow":false,"remember":"session"}', /allow: true/],
  ])("%s is told: %s", (line, why) => {
    expect(readLine(line)).toMatchObject({ problem: expect.stringMatching(why) as string });
  });
});

async function lines(chunks: readonly Buffer[], most?: number): Promise<Line[]> {
  async function* stream() {
    await Promise.resolve();
    yield* chunks;
  }
  const found: Line[] = [];
  for await (const line of linesOf(stream(), most)) found.push(line);
  return found;
}

describe("U2: lines out of bytes", () => {
  it("are whole however they arrive, blank ones left out, the last one without its end too", async () => {
    const bytes = Buffer.from("één\r\n\n \nzwei\u{1f600}\nlast");
    const each = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
    const whole = [
      { n: 1, text: "één\r" },
      { n: 4, text: "zwei\u{1f600}" },
      { n: 5, text: "last" },
    ];
    expect(await lines([bytes])).toEqual(whole);
    expect(await lines(each)).toEqual(whole);
  });

  it("that are too long or no UTF-8 are told by their number; those behind them are read", async () => {
    const chunks = [Buffer.from("a\nxxx"), Buffer.from("xxxxxxx\nb\n"), Buffer.from([0xff, 10]), Buffer.from("c")];
    expect(await lines(chunks, 5)).toEqual([
      { n: 1, text: "a" },
      { n: 2, problem: "longer than 0 MB" },
      { n: 3, text: "b" },
      { n: 4, problem: "no UTF-8" },
      { n: 5, text: "c" },
    ]);
  });
});
