import { describe, expect, it } from "vitest";
import type { ContentStore } from "../../../src/events/content.ts";
import { canonicalBody, MAX_DEPTH, tooDeep } from "../../../src/events/canonical.ts";
import type { LogBody } from "../../../src/events/event.ts";
import { decodeLine, encodeLine, MAX_LINE } from "../../../src/events/line.ts";
import { finished, NO_CHANGES, reply, toolUse } from "../../support/event-log.ts";

function memory(): ContentStore & { kept: Map<string, Buffer> } {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    get: (hash) => kept.get(hash),
    put: (bytes) => {
      const hash = `${kept.size}`.padStart(64, "0");
      kept.set(hash, Buffer.from(bytes));
      return Promise.resolve(hash);
    },
  };
}
const envelope = { v: 1 as const, seq: 3, at: "2026-01-01T00:00:00.000Z" };
const encode = (body: LogBody, store = memory()) => encodeLine(envelope, body, store);
const decode = (json: string, store: ContentStore = memory()) => decodeLine(Buffer.from(json), store);
const note = (text: string): LogBody => ({ type: "note.added", text });
function nested(levels: number): Record<string, unknown> {
  let value = {};
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
}

describe("encodeLine and decodeLine", () => {
  it.each([
    ["one long text", note("z".repeat(200_000)), 1],
    ["a text of wide signs", note("\u{1F600}".repeat(40_000)), 1],
    ["a long text that is no Unicode", note(`${"z".repeat(70_000)}\ud800`), 1],
    ["some long texts", reply([1, 2, 3].map((i) => toolUse(`t${i}`, "Write", { content: `${i}`.repeat(50_000) }))), 3],
    [
      "one of many long texts",
      reply([toolUse("t", "X", { list: Array.from({ length: 500 }, (_, i) => `${i}`.repeat(3000)) })]),
      1,
    ],
    [
      "very many short texts",
      reply([toolUse("t", "X", { list: Array.from({ length: 20_000 }, (_, i) => `item ${i}`) })]),
      1,
    ],
    ["a long key", reply([toolUse("t", "X", { ["k".repeat(100_000)]: "z".repeat(3000) })]), 1],
    [
      "a long key in a field of two",
      { type: "hook.ran", event: "e", name: "z".repeat(70_000), exit: 0, note: "n".repeat(70_000) } as LogBody,
      2,
    ],
    [
      "a change set of thousands of deletions",
      {
        type: "changes.landed",
        operationId: "o",
        by: "s",
        touched: [],
        summary: {
          ...NO_CHANGES,
          entries: Array.from({ length: 8000 }, (_, i) => ({
            root: 0,
            path: `some/folder/file-${i}.ts`,
            op: "delete",
            type: "file",
            marks: ["delete"],
          })),
        },
      } as LogBody,
      1,
    ],
  ])("E1: %s fits into a line of 64 KB and comes back", async (_, body, contents) => {
    const store = memory();
    const json = await encode(body, store);
    expect(Buffer.byteLength(json) + 100).toBeLessThanOrEqual(MAX_LINE);
    expect(store.kept.size).toBe(contents);
    expect(decode(json, store)).toEqual({ ok: true, ...envelope, body, missing: [] });
  });
  it("E1: what fits stays in the line", async () => {
    const store = memory();
    await encode(note("z".repeat(60_000)), store);
    expect(store.kept.size).toBe(0);
  });
  it("storage-008: no text makes a second line", async () => {
    const json = await encode(note("a\nb\r\n\u2028\u2029\u0085\v\f\0"));
    expect(json).not.toMatch(/[\n\r\u2028\u2029\u0085\v\f\0]/);
    expect(decode(json)).toMatchObject({ body: { text: "a\nb\r\n\u2028\u2029\u0085\v\f\0" } });
  });
  it("E1: a text that looks like the mark of a long one is a text", async () => {
    const input = { long: [[["type"], "0".repeat(64), "text"]], mac: "m", seq: 9, v: 7, type: "context.reset" };
    const body = reply([toolUse("t", "X", input)]);
    expect(decode(await encode(body))).toMatchObject({ ok: true, seq: 3, body });
  });
  it("E1: a missing content is named and its place says so; a missing part of the form is no event", async () => {
    const body = note("z".repeat(100_000));
    const hash = "0".repeat(64);
    expect(decode(await encode(body))).toMatchObject({
      ok: true,
      missing: [hash],
      body: { text: expect.stringContaining(hash) as string },
    });
    const many = reply([toolUse("t", "X", { list: Array.from({ length: 20_000 }, (_, i) => `item ${i}`) })]);
    expect(decode(await encode(many))).toMatchObject({ ok: false });
  });
  it("SEC-18: a path out of a damaged line reaches no prototype", () => {
    const store = memory();
    store.kept.set("0".repeat(64), Buffer.from('{"polluted":true}'));
    for (const path of [
      ["__proto__"],
      ["__proto__", "polluted"],
      ["constructor", "prototype"],
      ["text", "x"],
      [],
      ["nope", 1],
    ]) {
      const line = { ...envelope, type: "note.added", text: "t", long: [[path, "0".repeat(64), "json"]] };
      expect(decode(JSON.stringify(line), store)).toMatchObject({ ok: true, body: { text: "t" } });
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
  it.each([
    ["not JSON", "{", "not valid JSON"],
    ["session-009: a hundred thousand levels", "[".repeat(100_000), "not valid JSON"],
    ["session-008: a prototype key", '{"__proto__":{"mode":"auto"}}', "no event"],
    ["a list", "[]", "no event"],
    ["no number", JSON.stringify({ ...envelope, seq: undefined, type: "context.reset" }), "no event"],
    ["version 0", JSON.stringify({ ...envelope, v: 0, type: "context.reset" }), "no event"],
    ["version 2", JSON.stringify({ ...envelope, v: 2, type: "context.reset" }), "format version 2"],
    ["an unknown kind", JSON.stringify({ ...envelope, type: "x.y" }), 'unknown kind "x.y"'],
    ["a wrong field", JSON.stringify({ ...envelope, type: "note.added", text: 1 }), "its text is not as it should be"],
  ])("E4: %s is said", (_, json, why) => {
    expect(decode(json)).toMatchObject({ ok: false, why: expect.stringContaining(why) as string });
  });
});

describe("canonicalBody", () => {
  it("E1: gives the body as it will be read back", () => {
    const input = {
      a: undefined,
      b: [undefined, NaN, -0, () => 1],
      c: new Date(0),
      d: Infinity,
      e: { f: null, __proto__x: 1 },
    };
    const body = Object.assign({ extra: 1 }, reply([toolUse("t", "X", input)]));
    const clean = canonicalBody(body);
    expect(clean).toEqual(
      JSON.parse(JSON.stringify(reply([toolUse("t", "X", { ...input, b: [null, null, 0, null] })]))),
    );
  });
  it("E1: refuses what is no event and says where", () => {
    expect(() => canonicalBody({ type: "note.added", text: 1 } as unknown as LogBody)).toThrow("note.added.text");
    expect(() => canonicalBody(reply([toolUse("t", "X", { n: 1n })]))).toThrow("bigint");
    expect(() => canonicalBody(reply([toolUse("t", "X", nested(MAX_DEPTH))]))).toThrow(`${MAX_DEPTH} levels`);
    expect(() => canonicalBody(reply([toolUse("t", "X", nested(100_000))]))).toThrow(`${MAX_DEPTH} levels`);
  });
  it("session-009: a line nested deeper than any of ours is refused, the deepest of ours is read", async () => {
    const deep = `${'{"a":'.repeat(5000)}0${"}".repeat(5000)}`;
    const line = JSON.stringify({ ...envelope, type: "context.reset", x: 0 }).replace('"x":0', `"x":${deep}`);
    expect(decode(line)).toMatchObject({ ok: false, why: expect.stringContaining("levels deep") as string });
    let levels = MAX_DEPTH;
    const details = (n: number): LogBody => ({ ...finished("t1"), details: nested(n) }) as LogBody;
    for (;;) {
      try {
        canonicalBody(details(levels));
        break;
      } catch {
        levels--;
      }
    }
    expect(levels).toBeGreaterThan(MAX_DEPTH - 5);
    expect(decode(await encode(canonicalBody(details(levels))))).toMatchObject({ ok: true });
  });
  it("E1: what is not too deep for an input can be recorded", () => {
    let levels = 1;
    while (!tooDeep(nested(levels))) levels++;
    expect(levels).toBeGreaterThan(100);
    expect(() => canonicalBody(reply([toolUse("t", "X", nested(levels - 1))]))).not.toThrow();
    expect(tooDeep(nested(100_000))).toBe(true);
  });
});
