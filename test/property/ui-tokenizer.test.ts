import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InputEvent } from "../../src/ui/input/key.ts";
import { createTokenizer, PASTE_SILENCE_MS } from "../../src/ui/input/tokenizer.ts";

const token = fc.constantFrom(
  "a",
  "é",
  "日",
  "😀",
  "\r",
  "\n",
  "\t",
  "\x7f",
  "\x03",
  "\x1b[A",
  "\x1b[1;5C",
  "\x1bOP",
  "\x1b[13;2u",
  "\x1b[27;2;13~",
  "\x1bb",
  "\x1b[Z",
  "\x1b[?62;4c",
  "\x1b]11;rgb:0000/0000/0000\x1b\\",
  "\x1bP>|tmux 3.4\x1b\\",
  "\x1b[200~two\rlines\x1b[201~",
  "\x1b[I",
  "\x1b[3;5R",
);
const bytes = fc.uint8Array({ maxLength: 200 });

function run(chunks: readonly Uint8Array[], step: number): InputEvent[] {
  const t = createTokenizer();
  let at = 0;
  return [
    ...chunks.flatMap((c) => t.feed(c, (at += step))),
    ...t.flush((at += PASTE_SILENCE_MS)),
    ...t.flush(at + 2000),
  ];
}
const bare = (events: InputEvent[]) =>
  events.map((e) => (e.kind === "key" ? e.key : e.kind === "focus" ? e.on : [e.kind, e.text]));

describe("tokenizer", () => {
  it("TUI-B13: one token a read or one byte a read, the events are the same", () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 20 }), (tokens) => {
        const whole = run(
          tokens.map((t) => Buffer.from(t)),
          15,
        );
        const apart = run(
          tokens.flatMap((t) => [...Buffer.from(t)].map((b) => Uint8Array.of(b))),
          15,
        );
        expect(bare(apart)).toEqual(bare(whole));
      }),
      { numRuns: 500 },
    );
  });
  it("TUI-4: random bytes never throw, never hang, and Ctrl-C after them always comes through", () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 6 }), (chunks) => {
        const t = createTokenizer();
        chunks.forEach((c, i) => t.feed(c, i * 10));
        const events = [...t.feed(Uint8Array.of(3), 1000), ...t.flush(10_000)];
        expect(events.some((e) => e.kind === "key" && e.key.ctrl && e.key.name === "c")).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
  it("no key holds an escape or a control as its text", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            bytes,
            token.map((t) => Buffer.from(t)),
          ),
          { maxLength: 10 },
        ),
        (chunks) => {
          const typed = run(chunks, 10).map((e) => (e.kind === "key" ? (e.key.text ?? "") : ""));
          expect(typed.join("")).not.toMatch(/[\x00-\x1f\x7f]/);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
