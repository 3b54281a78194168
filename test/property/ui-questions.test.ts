import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, Question } from "../../src/permissions/asker.ts";
import { ARMING_MS, questionGone } from "../../src/ui/input/arming.ts";
import { DEFAULT_KEYMAP } from "../../src/ui/input/keymap.ts";
import { createTokenizer } from "../../src/ui/input/tokenizer.ts";
import { openPermission } from "../../src/ui/prompt/permission.ts";
import type { Actions } from "../../src/ui/screen/actions.ts";
import { onInput } from "../../src/ui/screen/keys.ts";
import { shown } from "../../src/ui/screen/painter.ts";
import { hasDraft, NO_SCREEN, type ScreenState } from "../../src/ui/screen/state.ts";
import { deep, deepRuns } from "../support/deep.ts";
import { entry, oneLineDiff, question, summary } from "../support/questions.ts";

const diffs = ["a", "b"].map((path) => oneLineDiff(path));
const QUESTIONS: readonly Question[] = [
  question({
    changes: summary([entry("a"), entry("b")]),
    diffs,
    offer: { session: "Edit(a)", always: "Edit(a)" },
    regenerable: { text: "with dist: 3 files", preset: false },
  }),
  question({
    risk: "high",
    needs: [{ kind: "network", host: "example.com", port: 443 }],
    command: { text: "ls", cwd: "/" },
  }),
  {
    ...question({ changes: summary([entry("x", { op: "delete", marks: ["delete"] }), entry("logo")]) }),
    diffs: [{ ...oneLineDiff("logo"), hunks: [], hidden: "PNG image" }],
    open: () => Promise.reject(new Error("not here")),
  },
];

/** What hands, other programs and terminals send: keys that would answer, editing, pastes whole and cut off, reports. */
const WORDS = [
  "y",
  "1",
  "2",
  "3",
  "n",
  "\r",
  "\n",
  "\x1b",
  " ",
  "\t",
  "o",
  "p",
  "r",
  "e",
  "yes\r",
  "1\r",
  "y\ry\r",
  "2\r\r",
  "\x1b[A",
  "\x1b[B",
  "\x1b[C",
  "\x1b[6~",
  "\x1b[F",
  "\x19",
  "\x0f",
  "\x15",
  "\x1b[Z",
  "\x7f",
  "\x1b[200~1\r\x1b[201~",
  "\x1b[200~y\ry\r",
  "\x1b[201~",
  "\x1b[13u",
  "\x1b[49u",
  "\x1b[121;1:3u",
  "\x1bOM",
  "\x1b[?62c",
  "\x1b[I",
  "\x1b[O",
  "\x1b[<0;5;5M\x1b[<0;5;5m",
  "é",
  "日",
  "git commit -m y\r",
] as const;

const NO_KEY = /^\x1b\[(201~|\?|I|O|<|121;1:3u)/;

const SIZES = [
  [80, 24],
  [40, 12],
  [24, 8],
  [140, 50],
  [20, 5],
] as const;

type Step = { gap: number; bytes: string; cut: number; size: number };

/** Plays them on a screen, reads cut anywhere, the window resized in between; gives the answers. */
function play(steps: readonly Step[], asked: Question, shownAt: number, draft: string): Answer[] {
  const answers: Answer[] = [];
  const never = () => {};
  const actions: Actions = {
    send: never,
    sendLater: never,
    goOn: never,
    stop: never,
    openFile: never,
    answerPerson: never,
    explain: never,
    // As good as a yes.
    runSelf: () => void answers.push({ kind: "yes" }),
    showOutput: never,
    background: never,
    completePath: never,
    editDraft: never,
    nextMode: never,
    takeBack: () => [],
    expand: never,
    repaint: never,
    suspend: never,
    exit: never,
    exitHard: never,
    answer: (_, answer) => void answers.push(answer),
  };
  const tokenizer = createTokenizer();
  let state: ScreenState = {
    ...NO_SCREEN,
    busy: true,
    editor: { ...NO_SCREEN.editor, text: draft, cursor: draft.length },
  };
  let [cols, rows] = [80, 24];
  let now = 0;
  const take = (bytes: Buffer) => {
    const events = [...tokenizer.flush(now), ...tokenizer.feed(bytes, now)];
    for (const event of events) state = onInput(state, event, { actions, at: now, cols, rows, keymap: DEFAULT_KEYMAP });
    // Every change is drawn, and the frame is with the terminal.
    if (state.prompts.length > 0) state = shown(state, cols, rows, now);
  };
  for (const { gap, bytes, cut, size } of steps) {
    // What is no key is no sign of a person: it takes no time, so that the rest before the next key stays short.
    now += NO_KEY.test(bytes) ? 0 : gap;
    [cols, rows] = SIZES[size] ?? [80, 24];
    if (now >= shownAt && state.prompts.length === 0) {
      const prompts = [{ kind: "permission" as const, key: 1, prompt: openPermission(asked), resolve: never }];
      state = { ...state, prompts, focused: !hasDraft(state), arming: questionGone(state.arming) };
      state = shown(state, cols, rows, now);
    }
    const all = Buffer.from(bytes);
    const at = Math.min(cut, all.length);
    if (at > 0) take(all.subarray(0, at));
    if (at < all.length) take(all.subarray(at));
  }
  return answers;
}

describe("questions and typed-ahead streams", () => {
  it(
    "UX-P-4, UX-P-5, UX-P-6, TUI-B14: whatever is typed, pasted, split, burst or resized without a rest of 400 ms never approves",
    { timeout: deep(60_000, 3_600_000) },
    () => {
      const step = fc.record({
        gap: fc.integer({ min: 0, max: ARMING_MS - 1 }),
        bytes: fc.constantFrom(...WORDS),
        cut: fc.nat(6),
        size: fc.nat(SIZES.length - 1),
      });
      const stream = fc.record({
        steps: fc.array(step, { minLength: 1, maxLength: 25 }),
        asked: fc.constantFrom(...QUESTIONS),
        shownAt: fc.nat(3000),
        draft: fc.constantFrom("", "", "a draft"),
      });
      fc.assert(
        fc.property(stream, ({ steps, asked, shownAt, draft }) => {
          const kinds = play(steps, asked, shownAt, draft).map((a) => a.kind);
          expect(kinds).not.toContain("yes");
        }),
        deepRuns(300, 10_000),
      );
    },
  );
  it("UX-P-4: after a rest the same keys do count, so the property above is none of a screen that takes no keys", () => {
    const lone = (bytes: string) => [
      { gap: 1000, bytes: "", cut: 0, size: 0 },
      { gap: 1000, bytes, cut: 0, size: 0 },
    ];
    expect(QUESTIONS.map((asked) => play(lone("1"), asked, 0, "").map((a) => a.kind))).toEqual([
      ["yes"],
      ["yes"],
      ["yes"],
    ]);
    expect(QUESTIONS.map((asked) => play(lone("\r"), asked, 0, "").length)).toEqual([1, 0, 1]);
  });
});
