import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { readRun } from "../../src/evals/run-folder.ts";
import { summarise } from "../../src/evals/numbers/summary.ts";
import { deep } from "../support/deep.ts";
import { filesIn } from "../support/evals.ts";
import { type AgentRun, startAgent } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { scratch } from "../support/scratch.ts";
import { place, type Place } from "../support/session.ts";

const TRIALS = deep(6, 60);
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  server.close();
  await once(server, "close");
  return port;
}

/** A Redis of our own, which keeps what it has when it ends. */
async function redis(dir: string, port: number): Promise<ChildProcess> {
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "3600 1", "--daemonize", "no"];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  let out = "";
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  await expect.poll(() => out, { timeout: 20_000 }).toContain("Ready to accept connections");
  return child;
}

/** Five tasks that a model of known rates solves or not: what comes out is drawn by seed, task and trial. */
function suite(at: Place): string {
  const task = (p: number): string => `prompt: go\np: ${p}\ngraders:\n  - file: a.md\n    contains: two\n`;
  const files = Object.fromEntries(
    [0.2, 0.5, 0.7, 0.9, 1].flatMap((p, i) => [
      [`many/tasks/t${i}/task.yaml`, task(p)],
      [
        `many/tasks/t${i}/oracle.yaml`,
        "turns:\n  - calls: [{ name: Edit, input: { file_path: a.md, old_string: one, new_string: two } }]\n  - text: Done.\n",
      ],
    ]),
  );
  return filesIn(at.folder, {
    ...files,
    "many/suite.yaml": `name: many\ntrials: ${TRIALS}\nseed: 3\nanswers: allow\nfixture: notes\n`,
    "many/notes/a.md": "one\n",
  });
}

/** What a report says, without what depends on the clock, on paths' lengths and on the run's name. */
function figures(at: Place): unknown {
  const evals = join(at.state, "understudy", "evals");
  const run = readRun(join(evals, readdirSync(evals)[0] ?? ""));
  const { tasks, measures, header, ...same } = summarise(run);
  const outcomes = tasks.map((t) => [t.id, t.passes, t.n, t.trials.map((trial) => trial?.outcome)]);
  return { ...same, outcomes, steps: measures.steps, seed: header.seed, suite: header.suiteHash };
}

it(
  "V8: three workers, one killed, one stopped for a while, Redis started anew: each trial once, the report as of a local run",
  { timeout: 1_800_000 },
  async (ctx) => {
    needs(ctx, missingTool("redis-server"));
    const [local, main] = [place("queue-local"), place("queue-main")];
    for (const at of [local, main]) suite(at);
    const run = ["eval", "run", "many", "--model", "stochastic", "--json"];
    const done: AgentRun = await startAgent(local, [...run, "--jobs", "2"]).done;
    expect([done.code, done.err]).toEqual([0, ""]);
    const port = await freePort();
    const data = scratch("redis");
    let server = await redis(data, port);
    const address = `redis://127.0.0.1:${port}`;
    const workers = [1, 2, 3].map((n) => {
      const worker = startAgent(place(`queue-worker${n}`), ["eval", "worker", "--queue", address, "--jobs", "1"]);
      started.push(worker.child);
      return worker;
    });
    const running = startAgent(main, [...run, "--queue", address]);
    started.push(running.child);
    const evals = join(main.state, "understudy", "evals");
    const written = (): number => {
      const file = join(evals, existsSync(evals) ? (readdirSync(evals)[0] ?? "") : "", "trials.jsonl");
      return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
    };
    const after = (n: number): Promise<void> =>
      expect.poll(written, { timeout: 600_000, interval: 100 }).toBeGreaterThanOrEqual(n);
    await after(2);
    workers[0]?.child.kill("SIGKILL");
    workers[1]?.child.kill("SIGSTOP");
    await after(5);
    server.kill("SIGTERM");
    await once(server, "exit");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    server = await redis(data, port);
    // Longer than a lock holds: what it had is another's by now.
    await new Promise((resolve) => setTimeout(resolve, 25_000));
    workers[1]?.child.kill("SIGCONT");
    const ended = await running.done;
    expect(ended.code).toBe(0);
    expect(written()).toBe(5 * TRIALS);
    expect(figures(main)).toEqual(figures(local));
    for (const { child } of workers.slice(1)) child.kill("SIGTERM");
    expect(await Promise.all(workers.map(async ({ done: end }) => (await end).code ?? "killed"))).toEqual([
      "killed",
      143,
      143,
    ]);
    server.kill("SIGTERM");
    await once(server, "exit");
  },
);

it("V8: no Redis at the address, and no address, are told with what to do", { timeout: 60_000 }, async () => {
  const at = place("queue-none");
  suite(at);
  const none = await startAgent(at, [
    "eval",
    "run",
    "many",
    "--queue",
    `redis://ada:secret@127.0.0.1:${await freePort()}`,
  ]).done;
  expect([none.code, none.err]).toEqual([
    1,
    expect.stringMatching(
      /^agent: There is no Redis at 127\.0\.0\.1:\d+: .*Start one \(Debian: apt install redis-server\), or mend --queue\.\n$/,
    ),
  ]);
  const wrong = await startAgent(at, ["eval", "worker", "--queue", "127.0.0.1"]).done;
  expect(wrong.err).toBe("agent: --queue takes the address of a Redis, such as redis://127.0.0.1:6379.\n");
});
