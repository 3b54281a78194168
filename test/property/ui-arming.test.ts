import fc from "fast-check";
import { deepRuns } from "../support/deep.ts";
import { describe, expect, it } from "vitest";
import { ARMING_MS, mayAnswer, questionGone, questionShown, UNARMED, type Arming } from "../../src/ui/input/arming.ts";
import { actionOf, DEFAULT_KEYMAP } from "../../src/ui/input/keymap.ts";
import { createTokenizer } from "../../src/ui/input/tokenizer.ts";

type Read = { at: number; bytes: string };

/** Feeds reads to the tokenizer and the arming, the question's frame at `shownAt`; times of the keys that said yes. */
function approvals(reads: readonly Read[], shownAt: number): number[] {
  const tokenizer = createTokenizer();
  let state: Arming = UNARMED;
  const out: number[] = [];
  for (const { at, bytes } of reads) {
    if (at >= shownAt && state.shownAt === undefined) state = questionShown(state, shownAt);
    for (const event of [...tokenizer.flush(at), ...tokenizer.feed(Buffer.from(bytes), at)]) {
      const verdict = mayAnswer(state, event);
      state = verdict.state;
      if (!verdict.counts || event.kind !== "key") continue;
      const action = actionOf(DEFAULT_KEYMAP, "prompt", event.key);
      if (action === "yes" || action === "yes-remember" || action === "pick") out.push(event.at);
    }
  }
  return out;
}

/** What a person or a program might have typed without having read the question. */
const bytes = fc.constantFrom(
  "y",
  "1",
  "2",
  "\r",
  "y\r",
  "1\r",
  "yes\r",
  "yy",
  "\x1b[13u",
  "\x1b[49u",
  "a",
  " ",
  "\x1b[A",
  "\x1b",
  "\x1b[200~1\r\x1b[201~",
  "\x1b[200~y",
  "\x1b[201~",
  "n",
  "\x1b[?62c",
  "é",
  "\x1bOM",
  "p",
  "r",
  "\t",
  "\x1b[B",
  "p \x1b[B \r",
  "\x1b[57400u",
);

describe("arming", () => {
  it("UX-P-4, TUI-B14: 10,000 random typed-ahead streams never approve", () => {
    // Typed ahead: never a rest of 400 ms from before the frame on, or in one read with something else.
    const stream = fc.record({
      gaps: fc.array(fc.tuple(fc.integer({ min: 0, max: ARMING_MS - 1 }), bytes), { minLength: 1, maxLength: 25 }),
      shown: fc.nat(8000),
    });
    fc.assert(
      fc.property(stream, ({ gaps, shown }) => {
        let at = 0;
        // What is no key is no sign of a person: it takes no time, so that the rest before the next key stays short.
        const reads = gaps.map(([gap, b]) => ({ at: (at += /\x1b\[(201~|\?)/.test(b) ? 0 : gap), bytes: b }));
        // A frame that comes after the stream's end can only meet a key that starts a new stream.
        const first = reads[0]?.at ?? 0;
        expect(approvals(reads, Math.min(shown, at)).filter((t) => t > first)).toEqual([]);
      }),
      {
        ...deepRuns(10_000, 100_000),
        examples: [
          [
            {
              gaps: [
                [0, "\x1b"],
                [6, "y"],
                [394, "y"],
                [0, "y"],
              ],
              shown: 0,
            },
          ],
        ],
      },
    );
  });
  it("UX-P-4: keys of a queue that the program was too busy to read come in one read and don't count", () => {
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 2, maxLength: 10 }), (list) => {
        expect(approvals([{ at: 10_000, bytes: list.filter((b) => !b.includes("200~")).join("y") + "yy" }], 0)).toEqual(
          [],
        );
      }),
      // A key ahead of what is taken for a paste, and held.
      { numRuns: 2000, examples: [[["\x1b[13u", "1\r", "y"]]] },
    );
  });
  it("UX-P-4: pastes never approve, however late and alone", () => {
    for (const paste of ["\x1b[200~1\x1b[201~", "\x1b[200~y\r\x1b[201~", "\x1b[200~\r\x1b[201~", "1\r2", "y\ry\ry"]) {
      expect(approvals([{ at: 10_000, bytes: paste }], 0)).toEqual([]);
    }
  });
  it("UX-P-4: the rest before a key counts from a paste's end", () => {
    const reads = (at: number) => [
      { at: 0, bytes: "\x1b[200~long" },
      { at: 900, bytes: " paste\x1b[201~" },
      { at, bytes: "y" },
    ];
    expect(approvals(reads(1299), 0)).toEqual([]);
    expect(approvals(reads(1300), 0)).toEqual([1300]);
  });
  it("UX-P-4: each condition alone is enough to not count; all of them met, the key counts", () => {
    expect(approvals([{ at: 1400, bytes: "y" }], 1000)).toEqual([1400]);
    expect(approvals([{ at: 1399, bytes: "y" }], 1000)).toEqual([]);
    expect(
      approvals(
        [
          { at: 1000, bytes: "a" },
          { at: 1399, bytes: "y" },
        ],
        0,
      ),
    ).toEqual([]);
    expect(
      approvals(
        [
          { at: 1000, bytes: "a" },
          { at: 1400, bytes: "y" },
        ],
        0,
      ),
    ).toEqual([1400]);
    expect(approvals([{ at: 1400, bytes: "yy" }], 0)).toEqual([]);
    expect(approvals([{ at: 1400, bytes: "\x1b[13u" }], 0)).toEqual([1400]);
    // Pressed before the frame was out, read after it.
    expect(approvals([{ at: 999, bytes: "y" }], 1000)).toEqual([]);
  });
  it("UX-P-7: the next question of a queue is armed anew", () => {
    const key = (at: number) =>
      ({
        kind: "key",
        key: { name: "y", text: "y", ctrl: false, alt: false, shift: false },
        chunk: 1,
        at,
        alone: true,
      }) as const;
    let state = questionShown(UNARMED, 0);
    const first = mayAnswer(state, key(1000));
    expect(first.counts).toBe(true);
    state = questionGone(first.state);
    expect(mayAnswer(state, key(2000)).counts).toBe(false);
    state = questionShown(state, 1100);
    expect(mayAnswer(state, key(1450)).counts).toBe(false);
    expect(mayAnswer(state, key(1500)).counts).toBe(true);
  });
});
