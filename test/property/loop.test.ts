import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { text } from "../../src/events/block.ts";
import { isFact } from "../../src/events/event.ts";
import { toMessages } from "../../src/events/messages.ts";
import type { Model } from "../../src/model/model.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import type { Answer, Asker } from "../../src/permissions/asker.ts";
import type { Session } from "../../src/session/session.ts";
import { systemClock } from "../../src/util/system.ts";
import { apiBreaches } from "../support/api-rules.ts";
import { deep, deepRuns } from "../support/deep.ts";
import { openAt, place, type Place, type ScriptInput } from "../support/session.ts";
import { treeHash } from "../support/tree.ts";

/** Calls of every kind: good, wrong, unknown, cut off, with an id used twice. */
const call = fc.oneof(
  fc.constantFrom(
    { name: "Read", input: { file_path: "a.txt" } },
    { name: "Read", input: { file_path: "missing" } },
    { name: "Read", input: { file_path: 5 } },
    { name: "Glob", input: { pattern: "**/*" } },
    { name: "Grep", input: { pattern: "o" } },
    { name: "Nothing", input: {} },
    { name: "Write", input: {}, broken: '{"file_path": "x' },
    { name: "TodoWrite", input: { todos: [{ text: "t", status: "active" }] } },
    { name: "AskUser", input: { question: "which?" } },
    { name: "Bash", input: { command: "true" } },
    { name: "Bash", input: { command: "exit 3" } },
    { name: "Bash", input: { command: "rm -f b.txt; mkdir -p d; echo x >> d/c.txt" } },
    { name: "Bash", input: { command: "mkdir -p node_modules && echo m > node_modules/m.js" } },
    { name: "Bash", input: { command: "for i in $(seq 12); do echo $i > n$i; done" } },
    { name: "Bash", input: { command: "curl -s http://localhost:9", network: true } },
    { name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } },
    { name: "Delete", input: { file_path: "b.txt" } },
  ),
  fc.record({
    name: fc.constant("Write"),
    input: fc.record({
      file_path: fc.constantFrom("w.txt", "d/e/f.txt", "a.txt", "../out.txt", "CLAUDE.md"),
      content: fc.string(),
    }),
  }),
  fc.constant({ name: "Glob", input: { pattern: "*" }, id: "twice" }),
);
const turn = fc.record(
  {
    text: fc.constantFrom("words", " ", "\ud83d half"),
    calls: fc.array(call, { maxLength: 4 }),
    stopReason: fc.constantFrom("tool_use", "end_turn", "max_tokens", "pause_turn", "refusal", "odd"),
  },
  { requiredKeys: ["calls"] },
);
const answer = fc.constantFrom<Answer>(
  { kind: "yes" },
  { kind: "no" },
  { kind: "no", note: "rather not" },
  { kind: "nobody", reason: "away" },
  { kind: "yes", withRegenerable: true },
);
const mode = fc.constantFrom("plan", "ask", "auto");

function asker(answers: readonly Answer[], person: string | undefined): Asker {
  const left = [...answers];
  return {
    ask: () => Promise.resolve(left.shift() ?? { kind: "no", note: "enough" }),
    askPerson: () => Promise.resolve(person),
  };
}

async function folder(): Promise<Place> {
  const at = place("loop");
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\n");
  writeFileSync(join(at.folder, "b.txt"), "b\n");
  return Promise.resolve(at);
}

/** Runs a query, stopped by the person after so many events; checks at each fact that the log on disk has it already. */
async function play(session: Session, at: Place, stopAfter: number, steer: boolean): Promise<void> {
  const abort = new AbortController();
  const file = join(at.state, "sessions", `${session.id}.jsonl`);
  let n = 0;
  for await (const event of session.submit([text("go")], abort.signal)) {
    if (isFact(event)) expect(readFileSync(file, "utf8")).toContain(`"seq":${event.seq},`);
    if (++n === stopAfter) abort.abort();
    if (steer && n === 3) session.steer("hurry");
  }
}

function checkCalls(session: Session): void {
  const state = session.state();
  const waiting = state.query?.ended === "waiting";
  const open = [...state.calls.values()].filter((c) => c.result === undefined);
  expect(open.filter((c) => !(waiting && c.tool === "AskUser"))).toEqual([]);
  expect(apiBreaches(toMessages(state), { request: false })).toEqual([]);
}

/** A model that remembers what was wrong with the requests it got. */
function strict(script: ScriptInput, wrong: string[]): Model {
  const model = scriptedModel(script, { clock: systemClock });
  return {
    ...model,
    stream(request, signal) {
      // Behind a pause the reply so far has the last word, as the API wants it.
      const paused = request.messages.at(-1)?.role === "assistant";
      wrong.push(...apiBreaches(request.messages, { request: !paused }));
      return model.stream(request, signal);
    },
  };
}

describe("the loop, whatever model, person and signal do", () => {
  it(
    "L4, E1: one result a call, a valid history, each fact kept before it is shown; plan never changes a byte; undo restores",
    { timeout: deep(600_000, 3_600_000) },
    async () => {
      const input = {
        turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
        answers: fc.array(answer, { maxLength: 8 }),
        mode,
        stopAfter: fc.integer({ min: 1, max: 60 }),
        stops: fc.boolean(),
        steer: fc.boolean(),
        person: fc.constantFrom(undefined, "this one"),
      };
      await fc.assert(
        fc.asyncProperty(
          fc.record(input),
          async ({ turns, answers, mode: chosen, stopAfter, stops, steer, person }) => {
            const at = await folder();
            const before = treeHash(at.folder);
            const script: ScriptInput = { turns: [...turns, { text: "the end" }, { text: "the end" }] };
            const wrong: string[] = [];
            const session = await openAt(at, {
              model: strict(script, wrong),
              asker: asker(answers, person),
              more: { mode: chosen },
            });
            try {
              await play(session, at, stops ? stopAfter : 0, steer);
              checkCalls(session);
              expect(wrong).toEqual([]);
              if (chosen === "plan") expect(treeHash(at.folder)).toBe(before);
              while ((await session.undo()).ok);
              expect(treeHash(at.folder)).toBe(before);
            } finally {
              await session.close();
            }
          },
        ),
        { ...deepRuns(15, 300) },
      );
    },
  );
});
