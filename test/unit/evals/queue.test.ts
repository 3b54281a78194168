import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { putJson } from "../../../src/evals/queue/blobs.ts";
import { jobId, type QueueJob, type QueueResult } from "../../../src/evals/queue/job.ts";
import { sendParcel } from "../../../src/evals/queue/parcel.ts";
import { keptParcel, sendTrials } from "../../../src/evals/queue/send.ts";
import { layPlace, sendPlace } from "../../../src/evals/queue/tree.ts";
import { queueWork } from "../../../src/evals/queue/work.ts";
import { snapshotOf } from "../../../src/evals/snapshot.ts";
import { loadSuite, type Suite } from "../../../src/evals/suite.ts";
import type { TrialDeps } from "../../../src/evals/trial-session.ts";
import type { Run } from "../../../src/evals/trial.ts";
import { systemClock } from "../../../src/util/system.ts";
import { beginAt, filesIn, outcomes, ranAt } from "../../support/evals.ts";
import { memoryBlobs, MemoryQueue } from "../../support/memory-queue.ts";
import { scratch } from "../../support/scratch.ts";
import { place, type Place } from "../../support/session.ts";

it("V8: a folder travels by content: laid out it is the same, what is known is not sent again", async () => {
  const dir = filesIn(join(scratch("queue"), "notes"), { "a.md": "one", "b/c.sh": "two", "b/same.md": "one" });
  chmodSync(join(dir, "b/c.sh"), 0o755);
  mkdirSync(join(dir, "empty"));
  symlinkSync("a.md", join(dir, "link"));
  const blobs = memoryBlobs();
  const sent = await sendPlace(dir, blobs);
  // Two contents and the list.
  expect(blobs.sent).toBe(3);
  const at = await layPlace(sent, scratch("laid"), blobs);
  expect(await snapshotOf(at)).toEqual(await snapshotOf(dir));
  expect(statSync(join(at, "a.md")).mtimeMs).toBe(Math.round(statSync(join(dir, "a.md")).mtimeMs));
  expect(await sendPlace(dir, blobs)).toEqual(sent);
  expect(blobs.sent).toBe(3);
});

const FILE = { kind: "file", mode: 0o600, mtime: 0, hash: "ab".repeat(32) };
it.each([
  ["out of the folder", [{ ...FILE, path: "../a" }]],
  ["an absolute one", [{ ...FILE, path: "/tmp/a" }]],
  [
    "through a link",
    [
      { kind: "link", path: "a", to: "/tmp" },
      { ...FILE, path: "a/b" },
    ],
  ],
])("V8: a list of files that leads elsewhere lays nothing out: %s", async (_, entries) => {
  const blobs = memoryBlobs();
  const tree = await putJson(blobs, { v: 1, entries });
  const to = join(scratch("laid"), "to");
  await expect(layPlace({ tree, name: "a" }, to, blobs)).rejects.toThrow();
  expect(existsSync(to)).toBe(false);
});

it("V8: a tree under another name than its own lays nothing out", async () => {
  const blobs = memoryBlobs();
  const { tree } = await sendPlace(filesIn(join(scratch("queue"), "notes"), { "a.md": "one" }), blobs);
  const to = join(scratch("laid"), "to");
  await expect(layPlace({ tree, name: "hidden" }, to, blobs)).rejects.toThrow(/another tree than hidden/);
  expect(existsSync(to)).toBe(false);
});

it("V8: content that is not what its hash says is not used", async () => {
  const blobs = memoryBlobs();
  const dir = filesIn(join(scratch("queue"), "notes"), { "a.md": "one" });
  const sent = await sendPlace(dir, blobs);
  for (const [hash, bytes] of blobs.kept)
    if (Buffer.from(bytes).toString() === "one") blobs.kept.set(hash, Buffer.from("two"));
  await expect(layPlace(sent, scratch("laid"), blobs)).rejects.toThrow(/other bytes/);
});

/** A suite with what lies outside of it: a fixture, and a file that a grader compares with. */
async function suiteOf(at: Place): Promise<Suite> {
  const task = (text: string): string => `prompt: go\nfixture: ../shared/notes\ngraders:\n${text}`;
  const oracle = (word: string): string =>
    `turns:\n  - calls: [{ name: Write, input: { file_path: b.md, content: "${word}" } }]\n  - text: Done.\n`;
  filesIn(at.folder, {
    "suite/suite.yaml": "name: far\nanswers: allow\ntrials: 1\n",
    "suite/tasks/a/task.yaml": task("  - file: b.md\n    same: ../shared/wanted.md\n  - onlyChanged: [b.md]\n"),
    "suite/tasks/a/oracle.yaml": oracle("two\\n"),
    "suite/tasks/b/task.yaml": `${task("  - command: sh check.sh\n")}hidden: ../../../shared/hidden\n`,
    "suite/tasks/b/oracle.yaml": oracle("three\\n"),
    "shared/notes/a.md": "one\n",
    "shared/wanted.md": "two\n",
    "shared/hidden/check.sh": "grep -q three b.md\n",
  });
  return loadSuite(join(at.folder, "suite"));
}

/** The part of a report that may not depend on where a trial ran; a scripted model reckons its tokens from the length of paths. */
function verdicts({ trials }: Run): unknown[] {
  return trials.map((t) => ({ ...t, durationMs: 0, startedAt: "", log: "", tokens: {} }));
}

const worker = (blobs: ReturnType<typeof memoryBlobs>, deps: TrialDeps, version = "test") =>
  queueWork({ ...deps, dir: scratch("worker"), blobs, version });

it(
  "V8: trials that other machines ran give the run that ran here; a queue that forgot is told again, what two ran counts once",
  { timeout: 120_000 },
  async () => {
    const at = place("evals");
    const suite = await suiteOf(at);
    const here = await ranAt(suite, beginAt(at, suite, { model: "oracle" }));
    const deps = beginAt(at, suite, { model: "oracle" });
    const blobs = memoryBlobs();
    const queue = new MemoryQueue();
    const work = worker(blobs, deps);
    const parcel = keptParcel(
      () => sendParcel(suite, { ...deps, path: deps.env["PATH"] ?? "" }, blobs),
      blobs,
      systemClock,
    );
    const { runOne, settled } = sendTrials({ queue, blobs, clock: systemClock, parcel, everyMs: 20, again: 2 });
    const running = ranAt(suite, deps, 4, { runOne });
    await expect.poll(() => queue.jobs.size).toBe(2);
    // Everything is lost once: jobs and content.
    queue.forget();
    blobs.kept.clear();
    await expect.poll(() => queue.jobs.size).toBe(2);
    const jobs = [...queue.jobs.values()];
    const slow = jobs.slice(0, 1);
    for (const job of [...slow, ...jobs]) queue.end(job, { result: await work(job) });
    const { run } = await running;
    expect(outcomes(run)).toEqual(["a 1 pass", "b 1 pass"]);
    expect(verdicts(run)).toEqual(verdicts(here.run));
    expect(run.trials.filter((t) => !existsSync(join(run.dir, t.log))).map((t) => t.log)).toEqual([]);
    expect(readFileSync(join(run.dir, "trials.jsonl"), "utf8").trimEnd().split("\n").length).toBe(2);
    await settled();
    expect(queue.done.size).toBe(0);
  },
);

it("V8: what a machine can't run, or gives back for another trial, is a trial that broke", async () => {
  const at = place("evals");
  const suite = await suiteOf(at);
  const deps = beginAt(at, suite, { model: "oracle", only: ["a"], trials: 1 });
  const blobs = memoryBlobs();
  const queue = new MemoryQueue();
  const parcel = () => sendParcel(suite, { ...deps, path: deps.env["PATH"] ?? "" }, blobs);
  const { runOne } = sendTrials({ queue, blobs, clock: systemClock, parcel, everyMs: 5 });
  const running = ranAt(suite, deps, 4, { runOne });
  const other = worker(blobs, deps, "another");
  const next = async (n: number): Promise<QueueJob> => {
    await expect.poll(() => queue.added.length).toBe(n);
    return [...queue.jobs.values()].find((job) => job.attempt === n) as QueueJob;
  };
  const first = await next(1);
  await expect(other(first)).rejects.toThrow("This machine has version another, the run was begun by test.");
  queue.end(first, { failed: "no" });
  const second = await next(2);
  const result = (await worker(blobs, deps)(second)) as QueueResult;
  queue.end(second, { result: { ...result, trial: { ...result.trial, trial: 2 } } });
  queue.end(await next(3), { result: {} });
  const { run } = await running;
  expect(run.infra.map((t) => t.reason.split(": ").slice(0, 2).join(": "))).toEqual([
    "no",
    "what came back can't be used: a machine gave back another trial",
    expect.stringMatching(/^what came back can't be used/),
  ]);
  expect(run.missing).toBe(1);
});

it("V8: a job's id tells the run, task, trial and attempt, and nothing else", () => {
  const job = { run: "20261201-x", taskId: "a-b", trial: 2, attempt: 1 };
  expect(jobId(job)).toBe("20261201-x.a-b.2.1");
  expect(new Set([job, { ...job, attempt: 2 }, { ...job, trial: 1 }].map(jobId)).size).toBe(3);
});

it("V8: what was sent and has no verdict is taken out of the queue when the run stops", async () => {
  const at = place("evals");
  const suite = await suiteOf(at);
  const stop = new AbortController();
  const deps = beginAt(at, suite, { model: "oracle", signal: stop.signal });
  const blobs = memoryBlobs();
  const queue = new MemoryQueue();
  const { runOne } = sendTrials({
    queue,
    blobs,
    clock: systemClock,
    parcel: () => Promise.resolve("ab".repeat(32)),
    everyMs: 5,
  });
  const running = ranAt(suite, deps, 4, { runOne });
  await expect.poll(() => queue.jobs.size).toBe(2);
  stop.abort();
  expect((await running).run.missing).toBe(2);
  await expect.poll(() => queue.jobs.size).toBe(0);
});
