import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { questionShown } from "../../../../src/ui/input/arming.ts";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { createTokenizer } from "../../../../src/ui/input/tokenizer.ts";
import type { Answer } from "../../../../src/permissions/asker.ts";
import { openPermission } from "../../../../src/ui/prompt/permission.ts";
import type { Actions } from "../../../../src/ui/screen/actions.ts";
import { onInput } from "../../../../src/ui/screen/keys.ts";
import { sawPrompt } from "../../../../src/ui/screen/prompt-keys.ts";
import { hasDraft, NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { deepRuns } from "../../../support/deep.ts";
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
  "s",
  "d",
  "\x05",
  "\tfine\r",
  "els\r",
  "p",
  "r",
  "p\x1b[B \r",
  "p \r\r1",
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

const TWO = question({
  changes: summary([entry("a"), entry("b"), entry("c")]),
  diffs: ["a", "b", "c"].map((path) => oneLineDiff(path)),
  offer: { session: "Edit(a)", always: "Edit(a)" },
  regenerable: { text: "dist/", preset: false },
});

const OUT = question({
  tool: "Bash",
  subject: "git push",
  needs: [{ kind: "unsandboxed", words: "git push" }],
  command: { text: "git push", cwd: "/p" },
  also: ["edit", "self"],
});

type Chunks = readonly (readonly [bytes: string, pause: number])[];

/** Plays chunks with the pauses before them on a screen whose question is shown at `shownAt`; gives the answers. */
function play(chunks: Chunks, shownAt: number, draft = "", of = EDIT): string[] {
  return played(chunks, shownAt, draft, of).answers.map((a) => a.kind);
}

function played(chunks: Chunks, shownAt: number, draft = "", of = EDIT): { answers: Answer[]; state: ScreenState } {
  const answers: Answer[] = [];
  const actions: Actions = {
    send: () => {},
    sendLater: () => {},
    goOn: () => {},
    stop: () => {},
    openFile: () => undefined,
    answer: (_open, answer) => void answers.push(answer),
    answerPerson: () => {},
    explain: () => {},
    // As good as a yes.
    runSelf: () => void answers.push({ kind: "yes" }),
    showOutput: () => {},
    background: () => {},
    completePath: () => {},
    nextMode: () => {},
    takeBack: () => [],
    expand: () => {},
    editDraft: () => {},
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
  const prompts = [{ kind: "permission" as const, key: 1, prompt: openPermission(of), resolve: () => {} }];
  let state = withText;
  let now = 0;
  for (const [bytes, pause] of chunks) {
    now += pause;
    if (now >= shownAt && state.prompts.length === 0) {
      const open = { ...state, prompts, focused: !hasDraft(state) };
      state = sawPrompt({ ...open, arming: questionShown(open.arming, shownAt) }, 80, 24);
    }
    const context = { actions, at: now, cols: 80, rows: 24, keymap: DEFAULT_KEYMAP };
    for (const event of [...tokenizer.feed(Buffer.from(bytes), now), ...tokenizer.flush(now + 5000)])
      state = onInput(state, event, context);
  }
  return { answers, state };
}

describe("typed ahead", () => {
  const fast = fc.array(fc.tuple(fc.constantFrom(...CHUNKS), fc.integer({ min: 0, max: 399 })), { maxLength: 30 });
  it("TUI-B14 UX-P-4: no stream of keys without a rest of 400 ms answers anything but by a note", () => {
    fc.assert(
      fc.property(fast, fc.integer({ min: 0, max: 2000 }), (chunks, shownAt) => {
        for (const of of [EDIT, TWO, OUT])
          expect(play(chunks, shownAt, "", of).filter((kind) => kind !== "no")).toEqual([]);
      }),
      deepRuns(1000, 10_000),
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
  it("UX-P-4, UX-P-5: keys that answer nothing may come as fast as they like, in one read too; blanks are no draft", () => {
    const shown = ["", 0] as const;
    for (const keys of [
      [["p\x1b[B \x1b[B ", 1000]],
      [
        ["p", 1000],
        ["\x1b[B", 20],
        [" ", 20],
        ["\x1b[B", 20],
        [" ", 20],
      ],
    ] as Chunks[]) {
      const { answers, state } = played([shown, ...keys, ["\r", 30], ["1", 900]], 0, "", TWO);
      expect(answers).toEqual([
        expect.objectContaining({
          kind: "yes",
          left: [
            { root: 0, path: "b" },
            { root: 0, path: "c" },
          ],
        }),
      ]);
      expect(state.editor.text).toBe("");
    }
    // Typed before the question was there for a while: letters are text, blanks are nothing.
    const early = played([shown, ["  ", 0], ["p", 100]], 50, "", TWO).state;
    expect([early.editor.text.trim(), early.focused]).toEqual(["p", false]);
    const blanks = played(
      [
        ["  ", 0],
        [" ", 100],
        [" ", 20],
        ["1", 900],
      ],
      50,
      "",
      TWO,
    );
    expect(blanks.answers.map((a) => a.kind)).toEqual(["yes"]);
    // The answer itself stays armed.
    expect(play([shown, ["p", 1000], ["\r", 20], ["1", 20]], 0, "", TWO)).toEqual([]);
    expect(play([shown, ["p \r\r1", 1000]], 0, "", TWO)).toEqual([]);
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
