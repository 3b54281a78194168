import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReplyBlock } from "../../src/events/block.ts";
import type { LogBody, LogEvent, SessionEvent } from "../../src/events/event.ts";
import type { Entry } from "../../src/ui/store/entry.ts";
import { endStream, feedStream, NO_STREAM, type Block } from "../../src/ui/store/stream.ts";
import { reduceView, viewOf } from "../../src/ui/store/view-state.ts";
import { NO_VIEW } from "../../src/ui/store/view.ts";

const line = fc.constantFrom(
  "",
  "",
  "text",
  "# head",
  "- item",
  "  inner",
  "1. one",
  "```",
  "```ts",
  "~~~",
  "````",
  "    code",
  "| a | b |",
  "|---|---|",
  "> quote",
  "  ```",
  "---",
  "x".repeat(700),
);
const markdown = fc.array(line, { maxLength: 40 }).map((lines) => lines.join("\n"));

function cutUp(text: string, sizes: readonly number[]): string[] {
  const out: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? 1);
    out.push(text.slice(at, at + size));
    at += size;
  }
  return out;
}
function blocksOf(deltas: readonly string[]): Block[] {
  let stream = NO_STREAM;
  const out = deltas.flatMap((delta) => {
    const step = feedStream(stream, delta);
    stream = step.stream;
    return step.blocks;
  });
  return [...out, ...endStream(stream)];
}
const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });

describe("stream", () => {
  it("TUI-7: blocks joined are the text, and are the same however it arrives", () => {
    fc.assert(
      fc.property(markdown, sizes, (text, cut) => {
        const whole = blocksOf([text]);
        expect(whole.map((b) => b.raw).join("")).toBe(text);
        expect(blocksOf(cutUp(text, cut))).toEqual(whole);
      }),
      { numRuns: 1000 },
    );
  });
});

let seq = 0;
const fact = (body: LogBody): LogEvent => ({
  v: 1,
  seq: seq++,
  at: new Date(seq * 1000).toISOString(),
  mac: "",
  ...body,
});
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };

type Piece = { type: "text" | "thinking"; text: string } | { type: "tool_use" };
const piece: fc.Arbitrary<Piece> = fc.oneof(
  markdown.map((text) => ({ type: "text", text: `${text}x` }) as const),
  fc.string({ minLength: 1 }).map((text) => ({ type: "thinking", text }) as const),
  fc.constant({ type: "tool_use" } as const),
);
/** No two thinking blocks in a row: the API sends none, and nothing between them would tell them apart. */
const reply = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((list) => list.filter((p, i) => p.type !== "thinking" || list[i - 1]?.type !== "thinking"));

function blocks(pieces: readonly Piece[], turn: number): ReplyBlock[] {
  return pieces.map((p, i): ReplyBlock => {
    if (p.type === "text") return { type: "text", text: p.text };
    if (p.type === "thinking") return { type: "thinking", thinking: p.text, signature: "s" };
    return { type: "tool_use", id: `c${turn}.${i}`, name: "Read", input: { file_path: "a" } };
  });
}

/** A query's events: what the loop yields. `stopAt`: the reply breaks off there in its last turn. */
function events(replies: readonly (readonly Piece[])[], cut: readonly number[], cutLast: boolean): SessionEvent[] {
  const out: SessionEvent[] = [
    fact({ type: "session.opened", sessionId: "s", folder: "/f", roots: [], program: "1", mode: "ask", model: "m" }),
    fact({ type: "prompt.submitted", when: "start", content: [{ type: "text", text: "go" }] }),
  ];
  for (const [turn, pieces] of replies.entries()) {
    out.push(fact({ type: "turn.started", turn, model: "m" }), { type: "reply.started", turn });
    const whole = blocks(pieces, turn);
    for (const b of whole) {
      if (b.type === "text") out.push(...cutUp(b.text, cut).map((text) => ({ type: "text.delta", text }) as const));
      if (b.type === "thinking")
        out.push(...cutUp(b.thinking, cut).map((text) => ({ type: "thinking.delta", text }) as const));
      if (b.type === "tool_use") out.push({ type: "input.delta", callId: b.id, tool: b.name, json: "{}" });
    }
    if (cutLast && turn === replies.length - 1) {
      out.push(fact({ type: "reply.cut", turn, model: "m", blocks: whole, usage, reason: "gone" }));
      break;
    }
    out.push(
      fact({
        type: "reply.completed",
        turn,
        model: "m",
        blocks: whole,
        usage,
        stopReason: "tool_use",
        durationMs: 1,
        attempts: 1,
      }),
    );
    for (const b of whole) {
      if (b.type !== "tool_use") continue;
      out.push(
        fact({ type: "call.started", callId: b.id, operationId: "o", attempt: 1, tool: b.name, input: b.input }),
      );
      out.push({ type: "tool.output", callId: b.id, text: "out\n" });
      out.push(fact({ type: "call.finished", callId: b.id, status: "ok", content: [], touched: [], durationMs: 1 }));
    }
  }
  return [...out, fact({ type: "query.finished", reason: "done", turns: 1, durationMs: 1 })];
}

/** Entries with Markdown that follows itself joined: where it is cut depends on how it came. */
function joined(entries: readonly Entry[]): unknown[] {
  const out: { kind: string; text?: string; of?: unknown }[] = [];
  for (const e of entries) {
    const last = out.at(-1);
    // How long it was thought is known to whoever saw it come.
    if (e.kind === "thinking") out.push({ kind: e.kind, of: e.text });
    else if (e.kind !== "markdown") out.push({ kind: e.kind, of: e });
    else if (last?.kind === "markdown") last.text = (last.text ?? "") + e.raw;
    else out.push({ kind: "markdown", text: e.raw });
  }
  return out.map((e) => (e.text === undefined ? e : { ...e, text: e.text.replaceAll(/\s+/g, "") }));
}

describe("view", () => {
  it("E2, TUI: facts alone give the transcript that was on screen, everything once", () => {
    fc.assert(
      fc.property(fc.array(reply, { minLength: 1, maxLength: 4 }), sizes, fc.boolean(), (replies, cut, cutLast) => {
        const list = events(replies, cut, cutLast);
        let view = NO_VIEW;
        const live = list.flatMap((event, i) => {
          const step = reduceView(view, event, i);
          view = step.view;
          return step.entries;
        });
        const resumed = viewOf(list.filter((e): e is LogEvent => "seq" in e));
        expect(joined(live)).toEqual(joined(resumed.entries));
        const times = { lastSignAt: 0, startedAt: 0 };
        expect({ ...view, ...times }).toEqual({ ...resumed.view, ...times });
      }),
      { numRuns: 400 },
    );
  });
});
