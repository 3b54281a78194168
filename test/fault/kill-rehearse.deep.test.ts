import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadKey } from "../../src/events/key.ts";
import { layersOf } from "../../src/events/layers.ts";
import { loadLog } from "../../src/events/load.ts";
import { listSessions } from "../../src/events/sessions.ts";
import type { SessionState } from "../../src/events/state.ts";
import { openStore } from "../../src/session/store.ts";
import { deep } from "../support/deep.ts";
import { runAgent, scriptFile, startAgent } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place, type ScriptInput } from "../support/session.ts";
import { treeHash } from "../support/tree.ts";

/** `npm run deep` kills more often; each round kills the work and then the landing. */
const ROUNDS = Number(process.env["KILLS"] ?? deep(1, 30));

const bash = (command: string) => ({ name: "Bash", input: { command } });
const commit = "git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm step";
/** Calls of every kind that changes files; those that append would show twice if they happened twice. */
const script: ScriptInput = {
  turns: [
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } }] },
    {
      calls: [
        { name: "Write", input: { file_path: "new/b.txt", content: "b\n" } },
        bash("echo first >> log.txt; cat new/b.txt >> log.txt"),
      ],
    },
    {
      calls: [bash("mkdir -p node_modules/x && echo kept > node_modules/x/i.js; echo second >> log.txt; mv new moved")],
    },
    {
      calls: [
        { name: "Delete", input: { file_path: "old", recursive: true } },
        bash(`mkdir old; cat node_modules/x/i.js > old/n; ${commit}`),
      ],
    },
    { calls: [bash("for n in 1 2 3; do echo $n >> log.txt; done; rm moved/b.txt; echo c > moved/c.txt")] },
    { text: "All of it is done." },
  ],
};

function prepare(): Place {
  const at = place("kill");
  const sh =
    "git init -q -b main . && printf 'one\\n' > a.txt && mkdir old && echo o > old/o && printf 'node_modules\\n' > .gitignore && git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm start";
  execFileSync("bash", ["-c", sh], { cwd: at.folder, env: { PATH: process.env["PATH"] ?? "", HOME: at.home } });
  return at;
}

function idOf(at: Place): string | undefined {
  return listSessions(join(at.state, "understudy", "sessions"))[0]?.id;
}

async function stateOf(at: Place): Promise<SessionState> {
  const store = openStore({ config: at.config, state: join(at.state, "understudy") });
  return (
    await loadLog({
      sessionsDir: store.sessions,
      contentDir: store.content,
      sessionId: idOf(at) ?? "",
      key: loadKey(store.key),
    })
  ).state;
}

/** Goes on until the work is done, as a person would after each crash. */
async function finish(at: Place, model: string): Promise<void> {
  for (let tries = 0; tries < 6; tries++) {
    const id = idOf(at);
    const begun = id !== undefined && (await stateOf(at)).prompts > 0;
    const args = begun ? ["--resume", id] : id === undefined ? ["go", "--model", model] : ["--resume", id, "go"];
    const run = await runAgent(at, ["-p", "--rehearse", "--mode", "auto", ...args]);
    if (run.code === 0 || run.err.includes("is at its end")) return;
    if (tries === 5) throw new Error(`resume failed: ${run.code} ${run.err}`);
  }
}

async function land(at: Place): Promise<void> {
  for (let tries = 0; tries < 4; tries++) {
    const { code, err } = await runAgent(at, ["land", idOf(at) ?? ""]);
    if (code !== 0) throw new Error(`landing failed: ${code} ${err}`);
    if (!layersOf(await stateOf(at)).some((l) => l.pended)) return;
  }
}

/** Killed at a random moment of its run. */
async function killed(at: Place, args: readonly string[], length: number): Promise<number> {
  const { child, done } = startAgent(at, args);
  const moment = 250 + Math.random() * length;
  const timer = setTimeout(() => child.kill("SIGKILL"), moment);
  await done;
  clearTimeout(timer);
  return Math.round(moment);
}

/** What the log says last before a landing is killed, by round: each gap between two facts of it. */
const MARKS = [
  '"type":"permission.decided"',
  '"type":"note.added","text":"The person reviewed',
  '"type":"changes.squashed"',
  '"type":"changes.proposed"',
  '"type":"changes.landed"',
];

/** Killed as soon as the log says so behind what it said before. */
async function killedAt(at: Place, args: readonly string[], mark: string): Promise<void> {
  const log = join(at.state, "understudy", "sessions", `${idOf(at)}.jsonl`);
  const before = readFileSync(log, "utf8").length;
  const { child, done } = startAgent(at, args);
  const timer = setInterval(() => {
    if (readFileSync(log, "utf8").slice(before).includes(mark)) child.kill("SIGKILL");
  }, 1);
  await done;
  clearInterval(timer);
}

function leftSteps(at: Place, state: SessionState): string[] {
  const live = new Set(layersOf(state).map((l) => l.operationId));
  const base = join(at.state, "understudy", "folders");
  return readdirSync(base)
    .map((name) => join(base, name, "steps"))
    .filter((steps) => existsSync(steps))
    .flatMap((steps) => readdirSync(steps))
    .filter((name) => !live.has(name) && state.steps.some((s) => s.operationId === name && s.status === "squashed"));
}

describe("kill -9 of a rehearsal", () => {
  it(
    `W6, E3: killed at ${3 * ROUNDS} moments of its work and its landing, the sum that lands is whole`,
    { timeout: deep(900_000, 3_600_000) },
    async (ctx) => {
      needs(ctx, missingTool("git"));
      const calm = prepare();
      const model = scriptFile(calm, script);
      const began = Date.now();
      const run = await runAgent(calm, ["-p", "go", "--model", model, "--mode", "auto", "--rehearse"]);
      const length = Date.now() - began;
      expect(run.code).toBe(0);
      const before = treeHash(prepare().folder, { git: false });
      expect(treeHash(calm.folder, { git: false })).toBe(before);
      const started = Date.now();
      await land(calm);
      const landing = Date.now() - started;
      const wanted = treeHash(calm.folder, { git: false });
      const history = (at: Place) => execFileSync("git", ["-C", at.folder, "log", "--format=%s"], { encoding: "utf8" });
      expect(history(calm)).toBe("step\nstart\n");
      for (let round = 0; round < ROUNDS; round++) {
        const at = prepare();
        const name = scriptFile(at, script);
        const work = await killed(at, ["-p", "go", "--model", name, "--mode", "auto", "--rehearse"], length);
        expect([treeHash(at.folder, { git: false }), work]).toEqual([before, work]);
        await finish(at, name);
        expect(treeHash(at.folder, { git: false })).toBe(before);
        const mark = MARKS[round % MARKS.length] ?? "";
        await killedAt(at, ["land", idOf(at) ?? ""], mark);
        const last = await killed(at, ["land", idOf(at) ?? ""], landing);
        await land(at);
        // Again: nothing is left to land.
        await land(at);
        const fsck = execFileSync("git", ["-C", at.folder, "fsck"], { encoding: "utf8" });
        // When it was killed stands beside what came of it.
        expect({
          killed: [work, mark, last],
          tree: treeHash(at.folder, { git: false }),
          history: history(at),
          fsck,
          left: leftSteps(at, await stateOf(at)),
        }).toEqual({ killed: [work, mark, last], tree: wanted, history: "step\nstart\n", fsck: "", left: [] });
      }
    },
  );
});
