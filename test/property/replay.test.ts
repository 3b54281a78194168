import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadKey } from "../../src/events/key.ts";
import { loadLog } from "../../src/events/load.ts";
import type { Answer } from "../../src/permissions/asker.ts";
import { copyStart } from "../../src/session/recording.ts";
import { defaultToolSettings } from "../../src/session/settings.ts";
import { openStore } from "../../src/session/store.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { LIMITS } from "../../src/session/defaults.ts";
import { systemClock } from "../../src/util/system.ts";
import { savedSteps } from "../../src/workspace/open.ts";
import { deep, deepRuns } from "../support/deep.ts";
import { checked } from "../support/recorded.ts";
import { collect, openAt, place } from "../support/session.ts";

const bash = (command: string, more: Record<string, unknown> = {}) => ({ name: "Bash", input: { command, ...more } });
const call = fc.constantFrom(
  { name: "Read", input: { file_path: "a.txt" } },
  { name: "Read", input: { file_path: "missing" } },
  { name: "Glob", input: { pattern: "**/*" } },
  { name: "Grep", input: { pattern: "o" } },
  { name: "Nothing", input: {} },
  { name: "Write", input: {}, broken: '{"file_path": "x' },
  { name: "Write", input: { file_path: "w.txt", content: "w\n" } },
  { name: "Write", input: { file_path: "CLAUDE.md", content: "# rules\n" } },
  { name: "Write", input: { file_path: "../out.txt", content: "x" } },
  { name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } },
  { name: "Delete", input: { file_path: "b.txt" } },
  { name: "TodoWrite", input: { todos: [{ text: "t", status: "active" }] } },
  { name: "AskUser", input: { question: "which?" } },
  bash("exit 3"),
  bash("cat a.txt; pwd"),
  bash("rm -f b.txt; mkdir -p d; echo x >> d/c.txt"),
  bash("mkdir -p node_modules && echo m > node_modules/m.js"),
  bash("for i in $(seq 12); do echo $i > n$i; done"),
  bash("chmod +x a.txt"),
  bash("curl -s http://localhost:9", { network: true }),
);
const turn = fc.record(
  { text: fc.constantFrom("words", " "), calls: fc.array(call, { maxLength: 4 }) },
  { requiredKeys: ["calls"] },
);
const answer = fc.constantFrom<Answer>(
  { kind: "yes" },
  { kind: "no" },
  { kind: "no", note: "rather not" },
  { kind: "nobody", reason: "away" },
  { kind: "yes", withRegenerable: true },
);
/** What the person does between two messages. */
const between = fc.constantFrom("nothing", "plan", "auto", "undo", "shell", "rehearse", "land", "clear");

const input = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  answers: fc.array(answer, { maxLength: 6 }),
  mode: fc.constantFrom("plan" as const, "ask" as const, "auto" as const),
  between: fc.array(between, { minLength: 1, maxLength: 2 }),
  steer: fc.boolean(),
  person: fc.constantFrom(undefined, "this one"),
});
type Input = typeof input extends fc.Arbitrary<infer T> ? T : never;

function fill(folder: string): void {
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  writeFileSync(join(folder, "b.txt"), "b\n");
}

/** What the copy keeps lands without a review. */
const LAND_KEPT: Input = {
  turns: [{ calls: [bash("mkdir -p node_modules && echo m > node_modules/m.js")] }, { calls: [] }],
  answers: [],
  mode: "ask",
  between: ["land"],
  steer: false,
  person: undefined,
};

/** A message in the place of the answer that a question waited for, after something else was changed. */
const ASKED_IN_VAIN: Input = {
  turns: [{ calls: [{ name: "AskUser", input: { question: "which?" } }] }],
  answers: [],
  mode: "ask",
  between: ["plan", "nothing"],
  steer: false,
  person: undefined,
};

/** A round is named by what its results say, and these say where the folder is. */
const ROUND: Input = {
  turns: [1, 2, 3].map(() => ({ calls: [{ name: "Write", input: { file_path: "CLAUDE.md", content: "# rules\n" } }] })),
  answers: [],
  mode: "plan",
  between: ["nothing"],
  steer: false,
  person: undefined,
};

/** A real session, and its log with the journal of its folder. */
async function recordOne({ turns, answers, mode, between: acts, steer, person }: Input) {
  const at = place("prop");
  const start = join(at.home, "start");
  mkdirSync(start);
  fill(start);
  copyStart(start, at.folder);
  const left = [...answers];
  const session = await openAt(at, {
    script: { turns: [...turns, { text: "the end" }], loop: true },
    asker: {
      ask: () => Promise.resolve(left.shift() ?? { kind: "no", note: "enough" }),
      askPerson: () => Promise.resolve(person),
    },
    more: { mode, config: { limits: LIMITS, tools: defaultToolSettings, prices: {}, rules: [] } },
  });
  const say = () => collect(session.submit([{ type: "text", text: "go" }], new AbortController().signal));
  try {
    if (steer) session.steer("hurry");
    await say();
    for (const act of acts) {
      if (act === "plan" || act === "auto") await session.setMode(act);
      if (act === "undo") await session.undo();
      if (act === "clear") await session.clear();
      if (act === "rehearse") await session.setRehearsal(true);
      if (act === "land") await session.land();
      if (act !== "shell") continue;
      const typed = session.shell("echo typed >> typed.txt", new AbortController().signal);
      while ((await typed.next()).done !== true);
    }
    await say();
  } finally {
    await session.close();
  }
  const { sessions, content, key, folders } = openStore({ config: at.config, state: at.state });
  const log = await loadLog({ sessionsDir: sessions, contentDir: content, sessionId: session.id, key: loadKey(key) });
  return { log, journal: savedSteps(folders, log.state.roots, systemClock) ?? "no journal", start };
}

describe("whatever a session was", () => {
  it(
    "E5, E6: its log proves every claim, and the same comes when it is played again",
    { timeout: deep(600_000, 3_600_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(input, async (given) => {
          const { log, journal, start } = await recordOne(given);
          const broken = verifyLog(log, log.state.id, journal).filter((claim) => claim.breaches.length > 0);
          expect(broken).toEqual([]);
          expect((await checked(log.events, start)).divergence).toBeUndefined();
        }),
        { ...deepRuns(2, 200), examples: [[LAND_KEPT], [ASKED_IN_VAIN], [ROUND]] },
      );
    },
  );
});
