import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadKey } from "../../src/events/key.ts";
import { loadLog } from "../../src/events/load.ts";
import { toMessages } from "../../src/events/messages.ts";
import { listSessions } from "../../src/events/sessions.ts";
import type { SessionState } from "../../src/events/state.ts";
import { openStore } from "../../src/session/store.ts";
import { deep } from "../support/deep.ts";
import { runAgent, scriptFile, startAgent } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place, type ScriptInput } from "../support/session.ts";
import { treeHash } from "../support/tree.ts";

/** `npm run deep` kills 40 times. */
const KILLS = Number(process.env["KILLS"] ?? deep(3, 40));

const bash = (command: string) => ({ name: "Bash", input: { command } });
/** Twelve calls; those that append would show twice if they happened twice. */
const script: ScriptInput = {
  turns: [
    {
      text: "I look around first.",
      calls: [
        { name: "Glob", input: { pattern: "**/*" } },
        { name: "Read", input: { file_path: "a.txt" } },
      ],
    },
    { calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } }] },
    { calls: [{ name: "Write", input: { file_path: "new/b.txt", content: "b\n" } }, bash("echo first >> log.txt")] },
    { calls: [bash("for i in 1 2 3 4; do echo $i >> many-$i.txt; done; echo second >> log.txt")] },
    { calls: [bash("mkdir -p node_modules/x && echo kept > node_modules/x/i.js"), bash("cat node_modules/x/i.js")] },
    {
      calls: [
        { name: "Delete", input: { file_path: "many-4.txt" } },
        bash("git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm step"),
      ],
    },
    { calls: [bash("export STEP=3; cd new; echo third >> ../log.txt")] },
    { calls: [bash('echo "$STEP $PWD" | sed "s#.*/##" >> ../log.txt')] },
    { text: "All of it is done." },
  ],
};

function prepare(): Place {
  const at = place("kill");
  const sh =
    "git init -q -b main . && printf 'one\\n' > a.txt && printf 'node_modules\\n' > .gitignore && git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm start";
  execFileSync("bash", ["-c", sh], {
    cwd: at.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: at.home,
      GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
      GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
    },
  });
  return at;
}

async function load(at: Place, sessionId: string): Promise<SessionState> {
  const store = openStore({ config: at.config, state: join(at.state, "understudy") });
  const key = loadKey(store.key);
  return (await loadLog({ sessionsDir: store.sessions, contentDir: store.content, sessionId, key })).state;
}

/** What came of it: the folder's files, git's own history in words, the talk. */
async function outcome(at: Place): Promise<{ tree: string; git: string; talk: unknown }> {
  const store = openStore({ config: at.config, state: join(at.state, "understudy") });
  const [entry] = listSessions(store.sessions);
  if (entry === undefined) throw new Error("no session");
  const state = await load(at, entry.id);
  const git = execFileSync("git", ["-C", at.folder, "log", "--format=%s", "--stat"], { encoding: "utf8" });
  // Only names of temporary places differ from run to run.
  const talk: unknown = JSON.parse(
    JSON.stringify(toMessages(state))
      .replaceAll(at.folder, "FOLDER")
      .replaceAll(/\b[0-9a-f]{7,40}\b/g, "HASH"),
  );
  return { tree: treeHash(at.folder, { git: false }), git, talk };
}

async function finish(at: Place, model: string): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const store = openStore({ config: at.config, state: join(at.state, "understudy") });
    const [entry] = listSessions(store.sessions);
    // Killed before its prompt was kept, a session has nothing to go on with: the person asks again.
    const prompt = entry !== undefined && (await load(at, entry.id)).prompts > 0 ? [] : ["go"];
    const run =
      entry === undefined
        ? await runAgent(at, ["-p", "go", "--model", model, "--mode", "auto"])
        : await runAgent(at, ["-p", "--resume", entry.id, ...prompt]);
    if (run.code === 0 || run.err.includes("is at its end")) return;
    if (tries === 4) throw new Error(`resume failed: ${run.code} ${run.err}`);
  }
}

describe("kill -9 of a session", () => {
  it(
    `E3, W5: killed at ${KILLS} random moments and resumed, tree and history equal the undisturbed run's`,
    { timeout: deep(900_000, 3_600_000) },
    async (ctx) => {
      needs(ctx, missingTool("git"));
      const calm = prepare();
      const model = scriptFile(calm, script);
      const began = Date.now();
      const run = await runAgent(calm, ["-p", "go", "--model", model, "--mode", "auto"]);
      const length = Date.now() - began;
      expect([run.code, run.err.split("; to land")[0]]).toEqual([
        0,
        "agent: 1 regenerable file (node_modules) kept in the copy",
      ]);
      const wanted = await outcome(calm);
      for (let i = 0; i < KILLS; i++) {
        const at = prepare();
        const name = scriptFile(at, script);
        const { child, done } = startAgent(at, ["-p", "go", "--model", name, "--mode", "auto"]);
        const moment = 300 + Math.random() * length;
        const timer = setTimeout(() => child.kill("SIGKILL"), moment);
        await done;
        clearTimeout(timer);
        await finish(at, name);
        expect(await outcome(at), `killed after ${Math.round(moment)} of ${length} ms`).toEqual(wanted);
      }
    },
  );
});
