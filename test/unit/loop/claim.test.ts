import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { ChangeEntry } from "../../../src/events/effect.ts";
import type { LogBody, LogEvent } from "../../../src/events/event.ts";
import { print } from "../../../src/print/print.ts";
import { paint } from "../../../src/ui/render/spans.ts";
import { factLines } from "../../../src/ui/render/transcript.ts";
import { plainTheme } from "../../../src/ui/theme.ts";
import { claimOfTests, testsRan } from "../../../src/loop/claim.ts";
import { collect, openAt, place, type ScriptInput } from "../../support/session.ts";
import { events, NO_CHANGES } from "../../support/event-log.ts";

const CLAIMS = [
  "All tests pass.",
  "I fixed the parser and the test suite passes now.",
  "**All 14 tests are passing** ✅",
  "Everything is green.",
  "The unit tests ran clean",
  "I ran `npm test`: 12 passed, 0 failed.",
  "The code passes all existing tests.",
  "Done!\n\n- tests: passing\n- lint: fine",
];
const NO_CLAIMS = [
  "Run the tests to see whether they pass.",
  "The tests should pass now.",
  "If the tests pass, merge it.",
  "I could not run the tests.",
  "Two tests fail; the others pass when run alone, I'd say they will not.",
  "Please make sure all tests pass.",
  "I didn't check that the tests pass.",
  "Let me see that the tests pass.",
  "I pass the options to the tester.",
  "The password check was moved.",
  "```\nall tests pass\n```\nThat is the log from before.",
  "",
];

describe("a claim of passing tests", () => {
  it.each(CLAIMS)("S9: claims it: %j", (words) => expect(claimOfTests(words)).toBeDefined());
  it.each(NO_CLAIMS)("S9: claims nothing: %j", (words) => expect(claimOfTests(words)).toBeUndefined());

  const finished = (command: string, exit: number | null, more = {}): LogBody => ({
    type: "call.finished",
    callId: "t1",
    status: "ok",
    content: [],
    touched: [],
    durationMs: 1,
    details: { command, exit, ...more },
  });
  const entry: ChangeEntry = { root: 0, path: "a", op: "modify", type: "file", marks: [] };
  const landed = (entries: ChangeEntry[]): LogBody => ({
    type: "changes.landed",
    operationId: "o",
    summary: { ...NO_CHANGES, entries, git: [{ text: "commit", high: false }] },
    by: "policy",
    touched: [],
  });
  it.each<[string, boolean, LogBody[]]>([
    ["a test that passed since the last change", true, [landed([entry]), finished("npm test", 0)]],
    ["a test before the last change", false, [finished("npm test", 0), landed([entry])]],
    ["a commit behind the test changes nothing that it saw", true, [finished("cargo test", 0), landed([])]],
    ["a test that failed", false, [finished("npm test", 1)]],
    ["a test that was ended", false, [finished("npm test", null)]],
    ["another command", false, [finished("npm run build", 0)]],
    ["a completion check", true, [landed([entry]), { type: "check.ran", command: "npm test", exit: 0, output: "" }]],
    ["a failed completion check", false, [{ type: "check.ran", command: "npm test", exit: 1, output: "" }]],
    ["the person's own run", true, [shellRan("pytest -q")]],
    [
      "an undo since",
      false,
      [finished("npm test", 0), { type: "changes.undone", operationId: "o", by: "person", paths: [] }],
    ],
    [
      "a test in the background that ended well",
      true,
      [
        { type: "group.ended", groupId: "bg_1", how: { reason: "exit", code: 0, signal: null }, told: true },
        finished("npm test", null, { shell: "bg_1" }),
      ],
    ],
    ["nothing at all", false, []],
  ])("S9: %s: %s", (_name, expected, bodies) => expect(testsRan(events(bodies))).toBe(expected));

  function shellRan(command: string): LogBody {
    return { type: "shell.ran", operationId: "o", command, outside: false, exit: 0, output: "" };
  }

  it("S9: is marked in the query's end and in its result where no test stands behind it, and done all the same", async () => {
    const edit = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };
    const test = { calls: [{ name: "Bash", input: { command: "true npm test" } }] };
    const run = async (turns: ScriptInput["turns"]) => {
      const session = await openAt(place("claim"), { script: { turns }, more: { mode: "auto" } });
      const { result } = await collect(session.submit([text("go")], new AbortController().signal));
      await session.close();
      return result;
    };
    const words = { text: "Fixed. All tests pass." };
    expect(await run([edit, words])).toMatchObject({ reason: "done", unverified: "All tests pass." });
    expect(await run([edit, test, words])).not.toHaveProperty("unverified");
    expect(await run([test, edit, words])).toHaveProperty("unverified");
  });

  it("S9: the mark is seen on screen, on stderr and in json", async () => {
    const session = await openAt(place("claim"), { script: { turns: [{ text: "All tests pass." }] } });
    const out: string[] = [];
    const err: string[] = [];
    const to = { out: async (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
    const code = await print(session.submit("go"), session, "stream-json", to, false);
    await session.close();
    const end = JSON.parse(out.at(-2) ?? "") as LogEvent;
    expect(JSON.parse(out.at(-1) ?? "")).toMatchObject({ reason: "done", unverified: "All tests pass." });
    expect(err).toEqual(['agent: unverified: "All tests pass.", but no test ran since the last change\n']);
    expect(paint(factLines(end, 100, "/") ?? [], plainTheme)).toEqual([
      "? unverified: “All tests pass.” — no test ran since the last change",
    ]);
    expect(code).toBe(0);
  });
});
