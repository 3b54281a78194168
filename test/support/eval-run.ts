import type { Run, RunHeader, Trial } from "../../src/evals/trial.ts";

/** Trials as letters: P passed, F failed, ! broke around the agent, a dot is missing. */
export type Letters = Readonly<Record<string, string>>;

const OUTCOMES: Readonly<Record<string, Trial["outcome"]>> = { P: "pass", F: "fail", "!": "infra" };

/** A run that never was. */
export function madeRun(tasks: Letters, header: Partial<RunHeader> = {}, trial: Partial<Trial> = {}): Run {
  const k = Math.max(...Object.values(tasks).map((letters) => letters.length));
  const whole: RunHeader = {
    v: 1,
    id: "20261201-120000-made",
    suite: "made",
    suiteDir: "/suites/made",
    suiteHash: "ab".repeat(32),
    model: "stochastic:p=0.8",
    variant: "",
    variantHash: "",
    seed: 1,
    k,
    tasks: Object.keys(tasks).map((id) => ({ id, title: `Title of ${id}`, tags: [] })),
    maxInfraShare: 0.1,
    version: "0.1.0",
    date: "2026-12-01T12:00:00.000Z",
    ...header,
  };
  const trials = Object.entries(tasks).flatMap(([taskId, letters]) =>
    letters.split("").flatMap((letter, i) => {
      const outcome = OUTCOMES[letter];
      return outcome === undefined ? [] : [madeTrial({ taskId, trial: i + 1, outcome, ...trial })];
    }),
  );
  const infra = trials.filter((t) => t.outcome === "infra");
  const missing = whole.tasks.length * k - trials.length + infra.length;
  return { dir: "/state/evals/made", header: whole, trials, infra, missing };
}

/** One trial; a failed one says so. */
export function madeTrial(of: Partial<Trial>): Trial {
  const outcome = of.outcome ?? "pass";
  return {
    v: 1,
    taskId: "a",
    trial: 1,
    variant: "",
    mode: "ask",
    outcome,
    reason: outcome === "pass" ? "" : "file equals a.txt: it differs",
    graders: [{ name: "file equals a.txt", ok: outcome === "pass", text: outcome === "pass" ? "" : "it differs" }],
    end: "done",
    steps: 3 + (of.trial ?? 1),
    calls: 4,
    tokens: { input: 1000, output: 200, cacheRead: 5000, cacheWrite: 300 },
    usd: 0.0123,
    durationMs: 4000,
    startedAt: "2026-12-01T12:00:00.000Z",
    attempt: 1,
    permissions: {
      asked: 1,
      denied: 0,
      byMode: { ask: { writes: 2, writesUnasked: 0, deletes: 1, deletesAsked: 1 } },
      breaches: [],
    },
    log: "",
    ...of,
  };
}

/** What a model or file may say to whoever reads a report. */
export const HOSTILE =
  '</title></style><script src="http://127.0.0.1/x.js"></script><img src=http://127.0.0.1/y onerror=alert(1)>"\'| a | @ada #12 [x](http://127.0.0.1/z) https://127.0.0.1 `code` \u001b[2J\u001b]52;c;eA==\u0007 \u202e漢字';

/** A run in which every text is hostile; `address`: where its pictures and scripts would come from. */
export function hostileRun(address = "127.0.0.1"): Run {
  const words = HOSTILE.replaceAll("127.0.0.1", address);
  const run = madeRun({ a: "PFP", b: "F!." }, { suite: words, model: words, variant: words, variantHash: "ab" });
  const graders = [{ name: words, ok: false, text: words, rubric: true }];
  const tasks = run.header.tasks.map((task) => ({ ...task, title: words }));
  const trials = run.trials.map((t) => ({ ...t, graders, ...(t.outcome === "pass" ? {} : { reason: words }) }));
  return { ...run, header: { ...run.header, tasks }, trials };
}
