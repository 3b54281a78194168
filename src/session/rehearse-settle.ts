import type { LoopDeps } from "../loop/deps.ts";
import type { SettledPath } from "../loop/say.ts";
import { withSideEffects } from "../loop/pend.ts";
import { layersOf } from "../events/layers.ts";
import { showPath, toRaw } from "../util/bytes.ts";
import { SettleError, type SettleHow, type Settled } from "../workspace/pending-settle.ts";
import type { SettledSum } from "../workspace/pending.ts";
import type { LiveParts } from "./live-parts.ts";
import { RehearseError } from "./rehearse-error.ts";
import { covers, type Named, type Review } from "./rehearse-review.ts";

/** Conflicts by their place in the review, and how each ends. */
export type Choices = readonly { at: number; how: SettleHow }[];

/** What the command line says of conflicts, as paths (`#N`: the N-th hunk of a conflict as `agent review` counts them). */
export interface SettleWords {
  /** The rehearsed version lands over the folder's. */
  take: readonly Named[];
  /** What fits lands, what both sides changed stays pending. */
  fitting: readonly Named[];
  /** Both versions go into a new file beside the folder's. */
  beside: readonly Named[];
  /** The folder's version stays. */
  without: readonly Named[];
}

/**
 * What the command line says of the review's conflicts. `rest`: what of `without` names something that can land. Throws `RehearseError`
 * where a path names no conflict, or two ways name the same one.
 */
export function choicesBy(review: Review, words: SettleWords): { choices: Choices; rest: readonly Named[] } {
  const choosing = new Choosing(review);
  for (const named of words.take)
    if (!choosing.whole(named, "take") && !choosing.hunk(named, "take")) throw none(named);
  for (const named of words.beside) if (!choosing.whole(named, "beside")) throw none(named);
  for (const named of words.fitting) if (!choosing.part(named)) throw none(named);
  const rest = words.without.filter((named) => {
    const found = choosing.whole(named, "drop") || choosing.hunk(named, "drop");
    return !found || review.summary.entries.some((e) => covers(named, { root: e.root, path: toRaw(e.path) }));
  });
  return { choices: choosing.choices(), rest };
}

function none({ path }: Named): RehearseError {
  return new RehearseError(`nothing in conflict is at ${path}`);
}

type Hunks = { take: Set<number>; drop: Set<number> };

class Choosing {
  readonly #review: Review;
  readonly #whole = new Map<number, Exclude<SettleHow, object>>();
  readonly #parts = new Map<number, Hunks>();

  constructor(review: Review) {
    this.#review = review;
  }

  /** Every conflict at or below a path; false where there is none. */
  whole(named: Named, how: Exclude<SettleHow, object>): boolean {
    const found = this.#at(named);
    for (const at of found) {
      if (this.#whole.has(at)) throw this.#twice(at);
      this.#whole.set(at, how);
    }
    return found.length > 0;
  }

  /** What fits of these lands. */
  part(named: Named): boolean {
    const found = this.#at(named);
    for (const at of found) this.#hunksOf(at);
    return found.length > 0;
  }

  /** `path#N`; false where it names no conflict. */
  hunk({ root, path }: Named, how: "take" | "drop"): boolean {
    const [, file, n] = /^(.+)#(\d+)$/s.exec(path) ?? [];
    const at = this.#review.clashes.findIndex((c) => c.root === root && showPath(c.path) === file);
    if (at < 0) return false;
    const count = this.#review.clashes[at]?.hunks.length ?? 0;
    const hunk = Number(n) - 1;
    if (hunk < 0 || hunk >= count)
      throw new RehearseError(`${file ?? ""} has ${count > 0 ? `hunks 1 to ${count}` : "no hunks to choose from"}`);
    this.#hunksOf(at)[how].add(hunk);
    return true;
  }

  choices(): Choices {
    const parts = [...this.#parts].map(([at, hunks]): Choices[number] => {
      if (this.#whole.has(at)) throw this.#twice(at);
      return { at, how: this.#byHunk(at, hunks) };
    });
    return [...[...this.#whole].map(([at, how]) => ({ at, how })), ...parts].toSorted((a, b) => a.at - b.at);
  }

  /** What fits is taken unless it is dropped; what both sides changed only where it is named. */
  #byHunk(at: number, { take, drop }: Hunks): SettleHow {
    const both = [...take].find((n) => drop.has(n));
    if (both !== undefined) throw this.#twice(at);
    const all = this.#review.clashes[at]?.hunks ?? [];
    const fits = all.flatMap((hunk, n) => (hunk.was === undefined && !drop.has(n) ? [n] : []));
    const sorted = (list: Iterable<number>): number[] => [...list].toSorted((a, b) => a - b);
    return { take: sorted(new Set([...take, ...fits])), drop: sorted(drop) };
  }

  #hunksOf(at: number): Hunks {
    const known = this.#parts.get(at) ?? { take: new Set(), drop: new Set() };
    this.#parts.set(at, known);
    return known;
  }

  #at(named: Named): number[] {
    return this.#review.clashes.flatMap((clash, at) => (covers(named, clash) ? [at] : []));
  }

  #twice(at: number): RehearseError {
    return new RehearseError(`${this.#review.conflicts[at]?.path ?? ""} is named in two ways`);
  }
}

/** The review with conflicts settled: what lands now, and what stays. Throws `RehearseError` for what can't be settled so. */
export async function settleReview(
  { workspace, log }: LiveParts,
  deps: LoopDeps,
  review: Review,
  choices: Choices,
): Promise<{ review: Review; settled: SettledSum }> {
  const wanted = choices.flatMap(({ at, how }): Settled[] => {
    const clash = review.clashes[at];
    return clash === undefined ? [] : [{ root: clash.root, path: clash.path, how }];
  });
  try {
    const settled = await workspace.pending((c) => deps.regenerable(c)).settle(review.sum, wanted);
    const facts = deps.facts(log.state);
    const summary = await workspace.summarize(settled.set, facts, workspace.view([]));
    const all = withSideEffects(summary, log.state, layersOf(log.state));
    const sum = { ...review.sum, set: settled.set, stuck: settled.stuck };
    return { review: { ...review, sum, summary: all }, settled };
  } catch (error) {
    if (error instanceof SettleError) throw new RehearseError(error.message);
    throw error;
  }
}

/** The conflicts that stay, and in words what became of the others. */
export function afterChoices(
  { conflicts, clashes }: Review,
  choices: Choices,
  made: readonly string[],
): { open: readonly number[]; told: readonly SettledPath[] } {
  const chosen = new Map(choices.map(({ at, how }) => [at, how]));
  let beside = 0;
  const told = conflicts.flatMap(({ path }, at): SettledPath[] => {
    const how = chosen.get(at);
    if (how === undefined) return [];
    if (how === "beside") return [{ path, how, to: made[beside++] ?? "" }];
    if (typeof how === "string") return [{ path, how }];
    const of = clashes[at]?.hunks ?? [];
    const lines = (list: readonly number[]): number[] => list.flatMap((n) => of[n]?.oldStart ?? []);
    const waits = [...of.keys()].filter((n) => !how.take.includes(n) && !how.drop.includes(n));
    return [{ path, how: "part", taken: lines(how.take), dropped: lines(how.drop), waits: lines(waits) }];
  });
  return { open: [...conflicts.keys()].filter((at) => !chosen.has(at)), told };
}
