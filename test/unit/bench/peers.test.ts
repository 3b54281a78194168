import { describe, expect, it } from "vitest";
import { collect, type Collected } from "../../../bench/peers/collect.ts";
import type { Ready } from "../../../bench/peers/place.ts";
import type { Json, Reply } from "../../../bench/peers/protocol.ts";
import { PROTOCOLS } from "../../../bench/peers/protocols.ts";
import { bestOf, clean, reachOf, report } from "../../../bench/peers/report.ts";
import { ROWS } from "../../../bench/peers/rows.ts";
import { gaps, otherWork, prefixShares, sizesOf } from "../../../bench/peers/same-work.ts";
import { fileOf, replyTo, words } from "../../../bench/peers/script.ts";
import type { Seen, Server } from "../../../bench/peers/server.ts";
import { quantile, spreadOf } from "../../../bench/peers/stats.ts";

const TOOL = { name: "read", description: "Reads.", input_schema: {} };
const result = (i: number): Json => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: `t${i}`, content: [{ type: "text", text: `1\t${fileOf(i).mark}` }] }],
});
const call = (i: number): Json => ({
  role: "assistant",
  content: [{ type: "tool_use", id: `t${i}`, name: "read", input: {} }],
});

/** Request `n` of a talk that reads a file a turn; each reply ended a millisecond after the request. */
function seen(n: number, more: Partial<Seen> = {}): Seen {
  const messages = [
    { role: "user", content: "go" },
    ...Array.from({ length: n }, (_, i) => [call(i + 1), result(i + 1)]).flat(),
  ];
  const raw = JSON.stringify({ system: [{ type: "text", text: "be brief" }], tools: [TOOL], messages });
  return { at: n * 10, answeredAt: n * 10 + 1, path: "/v1/messages", raw, main: true, ...more };
}

describe("the same work", () => {
  const work = { kind: "turns", count: 2 } as const;
  it("a log with all turns and results is the work that was given", () => {
    expect(otherWork(work, [seen(0), seen(1), seen(9, { main: false }), seen(2)])).toBeUndefined();
  });
  it("a turn too few, and results that never came, are other work", () => {
    expect(otherWork(work, [seen(0), seen(2)])).toBe("2 requests with tools instead of 3");
    expect(otherWork(work, [seen(0), seen(1), seen(1)])).toBe("1 of 2 results reached the model");
  });
  it("what a program adds to a turn, without what it asks beside", () => {
    expect(gaps([seen(0), seen(9, { main: false }), seen(1), seen(2)])).toEqual([9, 9]);
  });
  it("a prefix that only grows is kept whole; a changed system prompt keeps none of the messages", () => {
    const changed = { ...seen(1), raw: seen(1).raw.replace("be brief", "be short") };
    expect(prefixShares([seen(0), seen(1)])).toEqual([1]);
    expect(prefixShares([seen(0), changed])[0]).toBeLessThan(0.8);
  });
  it("sizes of a request", () => {
    const tool = JSON.stringify(TOOL).length;
    expect(sizesOf(seen(0))).toEqual({ bytes: seen(0).raw.length, tools: 1, medianTool: tool, fixed: tool + 8 });
  });
});

describe("every protocol", () => {
  const reply: Reply = { text: ["hel", "lo"], calls: [{ name: "read", input: { path: "/p/a" } }] };
  it.each(PROTOCOLS.map((one) => [one.name, one] as const))("%s carries text and calls", (_, protocol) => {
    const events = protocol.events(reply, 1);
    const all = events.join("").replaceAll("\\", "");
    expect(events.every((event) => /\r?\n\r?\n$/.test(event))).toBe(true);
    expect(["hel", "lo", "read", "/p/a"].filter((part) => all.includes(part))).toHaveLength(4);
  });
  it.each([
    [
      "chat",
      {
        tools: [TOOL],
        messages: [
          { role: "system", content: "s" },
          { role: "tool", content: "r" },
        ],
      },
    ],
    ["responses", { tools: [TOOL], instructions: "s", input: [{ type: "function_call_output", output: "r" }] }],
    [
      "google",
      {
        tools: [{ functionDeclarations: [TOOL] }],
        systemInstruction: { parts: [{ text: "s" }] },
        contents: [{ parts: [{ functionResponse: { response: { output: "r" } } }] }],
      },
    ],
    [
      "messages",
      { tools: [TOOL], system: "s", messages: [{ role: "user", content: [{ type: "tool_result", content: "r" }] }] },
    ],
  ])("%s tells system prompt, tools and results", (name, body) => {
    const asked = PROTOCOLS.find((one) => one.name === name)?.read(body);
    expect([asked?.system, asked?.tools, asked?.results]).toEqual(["s", [JSON.stringify(TOOL)], ["r"]]);
  });
});

describe("the script", () => {
  const read = { name: "read", input: (path: string) => ({ path }) };
  it("goes on by what came back, so that a request sent twice gets the same answer", () => {
    const turns = { kind: "turns", count: 2 } as const;
    expect(replyTo(turns, 1, read, "/p")).toEqual({ calls: [{ name: "read", input: { path: "/p/file-2.txt" } }] });
    expect(replyTo(turns, 2, read, "/p")).toEqual({ text: ["All read."] });
    expect(replyTo({ kind: "parallel", count: 3 }, 0, read, "/p").calls).toHaveLength(3);
  });
  it("every word of a stream is told from the others", () => {
    const found = words(1000)
      .join("")
      .match(/w\d+|Part \d+/g);
    expect(new Set(found).size).toBe(1000);
  });
});

describe("figures", () => {
  it("medians, ends and quantiles", () => {
    expect([spreadOf([3, 1, 2]), spreadOf([]), spreadOf([1, Number.NaN])]).toEqual([
      { median: 2, least: 1, most: 3, n: 3 },
      undefined,
      undefined,
    ]);
    expect(quantile([5, 1, 4, 2, 3], 0.95)).toBe(5);
    expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  });
  it("programs in turn; the first round doesn't count, and who fails once is left out with the reason", async () => {
    const order: string[] = [];
    const programs = ["a", "b"].map((name) => ({ program: { name } }) as Ready);
    const into = new Map<string, Collected>();
    const go = ({ program: { name } }: Ready) => {
      order.push(name);
      return order.length === 6 ? Promise.reject(new Error("other work")) : Promise.resolve({ x: order.length });
    };
    await collect({ name: "g", n: 2, go }, programs, {} as Server, into);
    expect(order.join("")).toBe("ababab");
    expect(Object.fromEntries(into)).toEqual({
      a: { figures: { x: { median: 4, least: 3, most: 5, n: 2 } }, missing: {} },
      b: { figures: {}, missing: { g: "other work" } },
    });
  });
  it("the best of a row, and its reach by a floor", () => {
    const [version, prefix] = ["version", "prefix"].map((id) => ROWS.find((row) => row.id === id) ?? never());
    const figure = (name: string) => ({ a: 10, b: 20, floor: 100 })[name];
    expect(bestOf(version ?? never(), ["a", "b", "c"], figure)).toEqual({ name: "a", value: 10 });
    expect(bestOf(prefix ?? never(), ["a", "b", "c"], figure)).toEqual({ name: "b", value: 20 });
    expect(reachOf(version ?? never(), figure)).toBeCloseTo(115);
  });
  it("a page without a path, that says what is missing", () => {
    const one = { median: 30, least: 29, most: 40, n: 3 };
    const collected = new Map<string, Collected>([
      ["understudy", { figures: { version: one }, missing: {} }],
      ["peer", { figures: {}, missing: { hi: "not seen: /home/somebody/x.js failed" } }],
      ["floor", { figures: { version: { ...one, median: 28 } }, missing: {} }],
    ]);
    const run = { date: "2026-12-01", node: "24", kernel: "6", cores: 2, seconds: 60, versions: { peer: "1.2" } };
    const page = report({ ...run, load: [0, 9], collected });
    expect(page).toContain("| `--version`, ms | 30 | – | 28 | ≤ 32 | yes |");
    expect(page).toContain("- peer, hi: not seen: … failed");
    expect(page).toContain("busy with other work");
    expect(clean("a /tmp/x/y b")).toBe("a … b");
  });
});

function never(): never {
  throw new Error("no such row");
}
