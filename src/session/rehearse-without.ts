import type { LeftOut } from "../permissions/asker.ts";
import { toRaw } from "../util/bytes.ts";
import { RehearseError } from "./rehearse-error.ts";
import { covers, type Named, type Review } from "./rehearse-review.ts";

/**
 * What the command line leaves out of a landing: files, folders, or with `#N` the N-th hunk of a file as `agent review` counts them.
 * Throws for what is not pending.
 */
export function leftBy(review: Review, without: readonly Named[]): LeftOut[] {
  const whole = new Map<string, LeftOut>();
  const hunks = new Map<string, Set<number>>();
  for (const named of without) {
    const found = review.summary.entries.filter((e) => covers(named, { root: e.root, path: toRaw(e.path) }));
    for (const { root, path } of found) whole.set(`${root}/${path}`, { root, path });
    if (found.length === 0) addHunk(review, named, hunks);
  }
  const parts = [...hunks].flatMap(([key, numbers]): LeftOut[] => {
    const diff = review.diffs.find((d) => `${d.root}/${d.path}` === key);
    if (diff === undefined || whole.has(key)) return [];
    const { root, path } = diff;
    return [numbers.size === diff.hunks.length ? { root, path } : { root, path, hunks: [...numbers] }];
  });
  return [...whole.values(), ...parts];
}

function addHunk(review: Review, { root, path }: Named, hunks: Map<string, Set<number>>): void {
  const [, file, n] = /^(.+)#(\d+)$/s.exec(path) ?? [];
  const diff = review.diffs.find((d) => d.root === root && d.path === file);
  if (file === undefined || diff === undefined) throw new RehearseError(`nothing pending is at ${path}`);
  const at = Number(n) - 1;
  if (diff.op !== "modify" || diff.hunks[at] === undefined)
    throw new RehearseError(
      `${file} has ${diff.op === "modify" ? `hunks 1 to ${diff.hunks.length}` : "no hunks to choose from"}`,
    );
  const key = `${root}/${file}`;
  hunks.set(key, (hunks.get(key) ?? new Set()).add(at));
}
