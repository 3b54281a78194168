import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRun } from "../../src/evals/run-folder.ts";
import { deep } from "../support/deep.ts";
import { startAgent, type AgentRun } from "../support/run-agent.ts";
import { filesIn } from "../support/evals.ts";
import { place, type Place } from "../support/session.ts";

const run = (at: Place, ...args: string[]): Promise<AgentRun> => startAgent(at, ["eval", ...args]).done;

const RESUME = ["run", "--resume", "last", "--jobs", "2", "--json"];
const evals = (at: Place): string => join(at.state, "understudy", "evals");

function onlyRun(at: Place): string {
  return join(evals(at), readdirSync(evals(at))[0] ?? "");
}
function hasRun(at: Place): boolean {
  return existsSync(evals(at)) && existsSync(join(onlyRun(at), "run.json"));
}

it(
  "V1: init, run and show: a suite that works, a verdict for each trial, its trace",
  { timeout: 120_000 },
  async () => {
    const at = place("eval-cli");
    expect((await run(at, "init", "mine")).code).toBe(0);
    const again = await run(at, "init", "mine");
    expect([again.code, again.err]).toEqual([
      2,
      "agent: mine is there already; name a folder that is not, nothing is written over.\n",
    ]);
    const ran = await run(at, "mine", "--model", "oracle", "--trials", "1", "--only", "explain");
    expect([ran.code, ran.err]).toEqual([0, ""]);
    expect(ran.out).toMatch(/^pass {2}explain\/1 {2}2 turns, [\d.]+ s$/m);
    expect(ran.out).toContain("1 of 1 trials: 1 passed, 0 failed\n");
    const shown = await run(at, "show", "explain/1");
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('#1 Read {"file_path":"README.md"}');
    expect(shown.out).toContain("✓ asked");
  },
);

it(
  "V1: exit codes: a share not reached 1, a suite that is wrong 2, too much that broke 75",
  { timeout: 120_000 },
  async () => {
    const at = place("eval-codes");
    filesIn(at.folder, {
      "s/suite.yaml": "name: s\ntrials: 1\n",
      "s/tasks/t/task.yaml": "prompt: go\ngraders:\n  - reply: { contains: Solved }\n",
      "broken/suite.yaml": "name: s\ntrials: 1\nfixture: { tar: x.tar }\n",
      "broken/x.tar": "no tar",
      "broken/tasks/t/task.yaml": "prompt: go\ngraders:\n  - absent: a\n",
      "wrong/suite.yaml": "name: s\nmodus: ask\n",
    });
    const bungled = await run(at, "run", "s", "--model", "bungler", "--at-least", "0.5");
    expect([bungled.code, bungled.err]).toEqual([1, "agent: 0 % passed, fewer than 50 %\n"]);
    const oracle = await run(at, "run", "s", "--model", "oracle");
    expect([oracle.code, oracle.err]).toEqual([
      2,
      expect.stringMatching(
        /^agent: task t has no replies of an oracle: .*oracle\.yaml is missing; or name the commit that solves it as solution\n$/,
      ),
    ]);
    const wrong = await run(at, "run", "wrong");
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(/wrong\/suite\.yaml:2: modus: Unrecognized key/),
    ]);
    const broken = await run(at, "run", "broken", "--model", "bungler");
    expect([broken.code, broken.err]).toEqual([
      75,
      expect.stringMatching(/^agent: this is no measurement: 3 of 3 attempts broke .*agent eval run --resume /),
    ]);
  },
);

it(
  "V1: killed at any moment, a run goes on: every trial has a verdict, each once",
  { timeout: deep(120_000, 1_800_000) },
  async () => {
    const at = place("eval-kill");
    await run(at, "init", "mine");
    const kills = deep(2, 10);
    const trials = deep(2, 12);
    const args = ["run", "mine", "--model", "oracle", "--trials", String(trials), "--jobs", "2", "--json"];
    let killed = 0;
    for (let i = 0; i < kills; i++) {
      const { child, done } = startAgent(at, ["eval", ...(i === 0 ? args : RESUME)]);
      // From the moment on at which there is a run: in its trials, between them, or while it is opened again.
      const wait = setInterval(() => {
        if (!hasRun(at)) return;
        clearInterval(wait);
        setTimeout(() => child.kill("SIGKILL"), (i * 977) % 2500);
      }, 20);
      if ((await done).signal === "SIGKILL") killed++;
    }
    const last = await run(at, ...RESUME);
    expect([last.code, last.err]).toEqual([0, ""]);
    const dir = onlyRun(at);
    const lines = readFileSync(join(dir, "trials.jsonl"), "utf8").trimEnd().split("\n");
    const verdicts = lines.map((line): string => {
      const { taskId, trial, outcome } = JSON.parse(line) as { taskId: string; trial: number; outcome: string };
      return `${taskId}/${trial} ${outcome}`;
    });
    const all = ["default-name", "explain"].flatMap((id) =>
      Array.from({ length: trials }, (_, n) => `${id}/${n + 1} pass`),
    );
    expect(verdicts.toSorted()).toEqual(all.toSorted());
    expect(readRun(dir).missing).toBe(0);
    expect(killed).toBeGreaterThan(0);
  },
);
