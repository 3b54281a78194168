import { describe, expect, it } from "vitest";
import type { PersonQuestion } from "../../../../src/tools/tool.ts";
import { questionShown } from "../../../../src/ui/input/arming.ts";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { createTokenizer } from "../../../../src/ui/input/tokenizer.ts";
import { openPerson } from "../../../../src/ui/prompt/person.ts";
import { frameRows } from "../../../../src/ui/render/frame.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
import { screenFrame } from "../../../../src/ui/screen/frame.ts";
import { onInput } from "../../../../src/ui/screen/keys.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";

const SEVERAL = { question: "Which?", options: [{ label: "a" }, { label: "b" }, { label: "c" }], multiple: true };
const ONE = { question: "Which?", options: [{ label: "a" }, { label: "b" }] };
const WORDS = { question: "What is it called?", options: [] };

/** Keys, each with the pause before it in milliseconds, on a screen that shows the question since time 0. */
function play(question: PersonQuestion, ...keys: readonly (readonly [bytes: string, pause: number])[]) {
  const answers: string[] = [];
  const sent: string[] = [];
  const never = () => {};
  const actions = {
    send: (text: string) => void sent.push(text),
    answerPerson: (_: unknown, answer: string | undefined) => void answers.push(answer ?? ""),
    takeBack: () => [],
    sendLater: never,
    goOn: never,
    stop: never,
    openFile: never,
    answer: never,
    explain: never,
    runSelf: never,
    showOutput: never,
    background: never,
    completePath: never,
    nextMode: never,
    expand: never,
    repaint: never,
    suspend: never,
    exit: never,
    exitHard: never,
  };
  const prompts = [{ kind: "person" as const, key: 1, prompt: openPerson(question), resolve: never }];
  let state: ScreenState = { ...NO_SCREEN, busy: true, prompts, focused: true };
  state = { ...state, arming: questionShown(state.arming, 0) };
  const tokenizer = createTokenizer();
  let now = 0;
  for (const [bytes, pause] of keys) {
    now += pause;
    const context = { actions, at: now, cols: 60, rows: 24, keymap: DEFAULT_KEYMAP };
    for (const event of tokenizer.feed(Buffer.from(bytes), now)) state = onInput(state, event, context);
  }
  const rows = frameRows(screenFrame(state, { home: "/", contained: true }, 60, 24)).map(textOfLine);
  return { answers, sent, state, rows };
}

describe("S6: keys of an open question of the model's", () => {
  it("S6: ticks may come as fast as they like, and own words too, once the question was there", () => {
    expect(play(SEVERAL, ["1", 500], ["3", 50], ["\r", 500]).answers).toEqual(["a; c"]);
    expect(play(WORDS, ["till-pos", 500], ["\r", 500]).answers).toEqual(["till-pos"]);
    expect(play(WORDS, ["\x1b[200~till\x1b[201~", 500], ["\r", 500]).answers).toEqual(["till"]);
    expect(play(ONE, ["\x1b[200~neither\x1b[201~", 500], ["\r", 500]).answers).toEqual(["neither"]);
  });

  it("S6 UX-P-4: what answers, and what came before the question was there, goes to the draft; the screen says so", () => {
    for (const early of [
      play(WORDS, ["till", 100]),
      play(SEVERAL, ["1", 100]),
      play(ONE, ["x", 500], ["\x7f", 9], ["2", 9]),
    ])
      expect(early.answers).toEqual([]);
    const early = play(SEVERAL, ["2", 100], ["x", 500]);
    expect(early.state.editor.text).toBe("2x");
    expect(early.rows.join("\n")).toContain("You are writing: keys go to your text · Ctrl-Y answers");
    expect(play(SEVERAL, ["\r", 100]).rows.join("\n")).toContain("Not answered: press again");
  });

  it("S6: a draft that was sent, or deleted, gives the question its keys again", () => {
    const sent = play(WORDS, ["be quick", 100], ["\r", 500], ["till", 500], ["\r", 500]);
    expect(sent).toMatchObject({ sent: ["be quick"], answers: ["till"] });
    const queued = screenFrame({ ...sent.state, queued: ["be quick"] }, { home: "/", contained: true }, 60, 24);
    expect(frameRows(queued).map(textOfLine)).toContain("next: be quick");
    expect(play(WORDS, ["x", 100], ["\x7f", 500], ["till", 500], ["\r", 500]).answers).toEqual(["till"]);
  });
});
