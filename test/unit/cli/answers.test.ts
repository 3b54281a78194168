import { describe, expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";
import { readAnswers } from "../../../src/cli/answers.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";
import type { PersonQuestion } from "../../../src/tools/tool.ts";

const indent: PersonQuestion = { question: "Tabs or blanks?", options: [{ label: "Tabs" }, { label: "Blanks" }] };
const name: PersonQuestion = { question: "Name?", options: [] };

function session(questions: PersonQuestion[], unfinished?: string) {
  return { id: "ses_1", questions: () => questions, unfinished: () => unfinished };
}
function problem(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "";
}

describe("--answer", () => {
  it("S6: numbers pick options, words are words, one for each question in their order", () => {
    expect(readAnswers(session([indent, name, { ...indent, multiple: true }]), ["2", "2", "1,2"])).toEqual([
      "Blanks",
      "2",
      "Tabs; Blanks",
    ]);
  });

  it.each<[string, ReturnType<typeof session>, string[], string]>([
    ["answered twice, or nothing was asked", session([]), ["1"], "session ses_1 waits for no answer"],
    [
      "cut off somewhere else",
      session([], "stopped in step 2"),
      ["1"],
      "session ses_1 waits for no answer; it stopped in step 2: agent -p --resume ses_1 goes on",
    ],
    ["too few", session([indent, name]), ["1"], "session ses_1 asks 2 questions: give --answer 2 times, not 1"],
    ["too many", session([indent]), ["1", "2"], "session ses_1 asks 1 question: give --answer 1 time, not 2"],
    [
      "no such option",
      session([indent]),
      ["3"],
      '--answer "3": there is no option 3; there are 1 to 2, or own words (not a number alone) (Tabs or blanks?)',
    ],
    ["nothing", session([name]), [" "], '--answer " ": the answer is empty; give a number or words (Name?)'],
  ])("S6: %s", (_name, on, typed, words) => expect(problem(() => readAnswers(on, typed))).toBe(words));
});

describe("the command line", () => {
  it("S3, S6: takes a time, and an answer for each question", () => {
    const parsed = parseArgs(["-p", "--resume", "x", "--max-time", "1.5m", "--answer", "a", "--answer", "2"], "1");
    expect(parsed).toMatchObject({
      ok: true,
      invocation: { options: { maxTime: 90_000, answers: ["a", "2"], resume: "x" } },
    });
    expect(parseArgs(["-p", "x", "--max-time", "soon"], "1")).toMatchObject({ ok: false, code: 2 });
  });
});
