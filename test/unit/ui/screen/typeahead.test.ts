import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { questionShown } from "../../../../src/ui/input/arming.ts";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { createTokenizer } from "../../../../src/ui/input/tokenizer.ts";
import { openPermission } from "../../../../src/ui/prompt/permission.ts";
import type { Actions } from "../../../../src/ui/screen/actions.ts";
import { onInput } from "../../../../src/ui/screen/keys.ts";
import { sawPrompt } from "../../../../src/ui/screen/prompt-keys.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

const EDIT = question({
  changes: summary([entry("a")]),
  diffs: [oneLineDiff("a")],
  offer: { session: "Edit(a)", always: "Edit(a)" },
});
const CHUNKS = [
  "1",
  "2",
  "3",
  "y",
  "n",
  "\r",
  "\x1b",
  " ",
  "\t",
  "\x1b[A",
  "\x1b[B",
  "\x1b[C",
  "\x19",
  "e",
  "p",
  "abc",
  "1\r",
  "y\r",
  "\x1b[200~1\r\x1b[201~",
  "\x1b[200~y",
  "\x1b[Z",
  "\x7f",
  "\x15",
  "\x10",
];

/** Plays chunks with the pauses before them on a screen whose question is shown at `shownAt`; gives the answers. */
function play(chunks: readonly (readonly [bytes: string, pause: number])[], shownAt: number, draft = ""): string[] {
  const answers: string[] = [];
  const actions: Actions = {
    send: () => {},
    sendLater: () => {},
    goOn: () => {},
    stop: () => {},
    answer: (_open, answer) => void answers.push(answer.kind),
    answerPerson: () => {},
    nextMode: () => {},
    takeBack: () => [],
    expand: () => {},
    repaint: () => {},
    suspend: () => {},
    exit: () => {},
    exitHard: () => {},
  };
  const tokenizer = createTokenizer();
  const withText: ScreenState = {
    ...NO_SCREEN,
    busy: true,
    editor: { ...NO_SCREEN.editor, text: draft, cursor: draft.length },
  };
  const prompts = [{ kind: "permission" as const, key: 1, prompt: openPermission(EDIT), resolve: () => {} }];
  let state = withText;
  let now = 0;
  for (const [bytes, pause] of chunks) {
    now += pause;
    if (now >= shownAt && state.prompts.length === 0) {
      const open = { ...state, prompts, focused: state.editor.text === "" };
      state = sawPrompt({ ...open, arming: questionShown(open.arming, shownAt) }, 80, 24);
    }
    const context = { actions, at: now, cols: 80, rows: 24, keymap: DEFAULT_KEYMAP };
    for (const event of [...tokenizer.feed(Buffer.from(bytes), now), ...tokenizer.flush(now + 5000)])
      state = onInput(state, event, context);
  }
  return answers;
}

describe("typed ahead", () => {
  const fast = fc.array(fc.tuple(fc.constantFrom(...CHUNKS), fc.integer({ min: 0, max: 399 })), { maxLength: 30 });
  it("TUI-B14 UX-P-4: no stream of keys without a rest of 400 ms answers anything but by a note", () => {
    fc.assert(
      fc.property(fast, fc.integer({ min: 0, max: 2000 }), (chunks, shownAt) => {
        expect(play(chunks, shownAt)).not.toContain("yes");
      }),
      { numRuns: 3000 },
    );
  });
  it("TUI-B14 UX-P-4: pasted text never approves, however long the rests", () => {
    const slow = fc.array(
      fc.tuple(
        fc.constantFrom("\x1b[200~1\r\x1b[201~", "\x1b[200~y\x1b[201~", "\x1b[200~2\r", "1\r", "yes\r"),
        fc.integer({ min: 400, max: 9000 }),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(slow, (chunks) => {
        expect(play(chunks, 0)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
  it("UX-P-5: while a draft has the keys, nothing but Ctrl-Y or Esc leads to an answer", () => {
    const typed = fc.array(
      fc.tuple(fc.constantFrom("1", "2", "3", "y", "n", " ", "\x1b[A", "a", "\r1"), fc.integer({ min: 0, max: 2000 })),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(typed, (chunks) => {
        expect(play(chunks, 0, "a draft")).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
  it("a key after a rest, alone, does answer", () => {
    expect(
      play(
        [
          ["", 0],
          ["1", 900],
        ],
        100,
      ),
    ).toEqual(["yes"]);
    expect(
      play(
        [
          ["x", 0],
          ["\x7f", 50],
          ["1", 900],
        ],
        100,
      ),
    ).toEqual(["yes"]);
  });
});
