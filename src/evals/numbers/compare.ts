import { bootstrapDifference } from "./bootstrap.ts";
import { type Interval, within } from "./interval.ts";
import { deviation, mean } from "./mean.ts";
import { type McNemar, mcNemar } from "./mcnemar.ts";
import { differenceFound, spreadToPlanWith, tasksNeeded } from "./power.ts";
import { pointRange, points, pointWords } from "./words.ts";

/** Trials with a verdict, and those that passed. */
export interface Count {
  n: number;
  c: number;
}
/** One task under both. */
export interface TaskPair {
  id: string;
  base: Count;
  candidate: Count;
}

export interface CompareOptions {
  seed: number;
  resamples?: number;
  /** How much worse is still no worse, a share of 1. Set before the run, or it proves nothing. */
  margin?: number | undefined;
  /** It was not set before the run but with the result in sight. */
  marginNow?: boolean;
  /** What the person calls the two. */
  names?: { base: string; candidate: string } | undefined;
  /** The difference that the person wants to be able to tell, a share of 1; else the one that was seen. */
  find?: number | undefined;
}

export interface Comparison {
  /** Tasks that both have a verdict on. */
  tasks: number;
  base: number;
  candidate: number;
  /** Candidate less base, in shares of 1. */
  difference: number;
  interval: Interval;
  verdict: "better" | "worse" | "can't be told apart";
  /** The verdict as a sentence about the two by their names, or about "the candidate". */
  words: string;
  mcNemar: McNemar;
  nonInferior: { margin: number; shown: boolean; words: string } | undefined;
  power: Power;
}

/** What it would take to tell. */
export interface Power {
  /** Standard deviation of the differences by task. */
  spread: number;
  /** The difference that `tasks` is about; undefined where none was asked for and none was seen. */
  difference: number | undefined;
  /** So many tasks find it four times out of five. */
  tasks: number | undefined;
  /** What the tasks that there are find four times out of five; undefined of two or fewer. */
  found: number | undefined;
  words: string;
}

/**
 * Compares two models, prompts or settings on the same tasks. By task: what makes a task hard counts for both and falls out. The verdict is the interval's: where
 * 0 lies within, they can't be told apart, which is not the same as equal. Pure and deterministic.
 * @throws RangeError where no task has a verdict on both sides.
 */
export function compareTasks(pairs: readonly TaskPair[], options: CompareOptions): Comparison {
  const both = pairs.filter(({ base, candidate }) => base.n > 0 && candidate.n > 0);
  if (both.length === 0) throw new RangeError("no task has a verdict on both sides");
  const differences = both.map(({ base, candidate }) => candidate.c / candidate.n - base.c / base.n);
  const difference = mean(differences);
  const interval = bootstrapDifference(differences, options);
  const verdict = within(0, interval) ? "can't be told apart" : difference > 0 ? "better" : "worse";
  return {
    tasks: both.length,
    base: mean(both.map(({ base }) => base.c / base.n)),
    candidate: mean(both.map(({ candidate }) => candidate.c / candidate.n)),
    difference,
    interval,
    verdict,
    words: verdictWords(verdict, difference, interval, options.names),
    mcNemar: mcNemar(both.map(({ base, candidate }) => ({ base: solved(base), candidate: solved(candidate) }))),
    nonInferior:
      options.margin === undefined ? undefined : nonInferiority(interval, options.margin, options.marginNow === true),
    power: powerOf(differences, options.find ?? difference),
  };
}

/** For McNemar's table: more often than not. */
function solved({ n, c }: Count): boolean {
  return 2 * c > n;
}

function verdictWords(
  verdict: Comparison["verdict"],
  difference: number,
  interval: Interval,
  names: CompareOptions["names"],
): string {
  if (verdict === "can't be told apart")
    return `${names === undefined ? "The two" : `${names.base} and ${names.candidate}`} can't be told apart: ${points(difference)} points were seen, and the true difference may be anything from ${pointRange(interval)}.`;
  const [least, most] = [interval.low, interval.high].map(Math.abs).toSorted((a, b) => a - b);
  const is =
    names === undefined ? `The candidate is ${verdict}` : `${names.candidate} is ${verdict} than ${names.base}`;
  return `${is} by ${pointWords(difference)}; with 95 % confidence by ${pointWords(least ?? 0)} to ${pointWords(most ?? 0)}.`;
}

/**
 * Not worse by more than the margin: shown where the whole interval lies above −margin (one-sided 97.5 %; G. Piaggio et al., CONSORT for non-inferiority trials, JAMA 2012).
 */
function nonInferiority(
  interval: Interval,
  margin: number,
  now: boolean,
): { margin: number; shown: boolean; words: string } {
  const set = now ? "a margin given with the result in sight" : "the margin set before the run";
  const shown = interval.low > -margin;
  const worst = interval.low < 0 ? `at worst ${pointWords(interval.low)} worse` : "not worse at all";
  const words = shown
    ? `Not worse by ${pointWords(margin)}, ${set}: ${worst}.`
    : `Not shown to be within ${pointWords(margin)}, ${set}: it may be ${pointWords(interval.low)} worse.`;
  return { margin, shown, words };
}

function powerOf(differences: readonly number[], wanted: number): Power {
  const spread = deviation(differences);
  const planned = spreadToPlanWith(spread, differences.length);
  const found = differenceFound(planned, differences.length);
  const seen = Math.abs(wanted) < 1e-9 || spread === 0 ? undefined : Math.abs(wanted);
  const tasks = seen === undefined ? undefined : tasksNeeded(planned, seen);
  const now =
    found === undefined || spread === 0
      ? []
      : found > 1
        ? [`These ${differences.length} tasks are too few to find any difference four times out of five.`]
        : [`These ${differences.length} tasks find a difference of ${pointWords(found)} four times out of five.`];
  const more =
    seen === undefined || tasks === undefined
      ? []
      : [`To find one of ${pointWords(seen)} as surely takes about ${tasks.toLocaleString("en-US")} tasks.`];
  return { spread, difference: seen, tasks, found, words: [...now, ...more].join(" ") };
}
