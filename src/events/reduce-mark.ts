import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Draft } from "./draft.ts";
import type { ChangeSummary } from "./effect.ts";
import type { LogEventOf, Touch } from "./event.ts";
import type { SessionState } from "./state.ts";

const ZERO = "0000000000000000";
/** Marks of a session that changed nothing. */
export const NO_MARKS: SessionState["marks"] = { files: ZERO, kept: ZERO };

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, ZERO.length);
}

/** Marks add up in any order, and what is taken away leaves no trace: so a mark costs what changed, not what there is. */
function xor(a: string, b: string): string {
  return (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(16).padStart(ZERO.length, "0");
}

type Changes = readonly { operationId: string; value: string }[];

function write(draft: Draft, path: string, before: Changes, after: Changes): void {
  const [old, now] = [before.at(-1)?.value, after.at(-1)?.value];
  if (after.length === 0) draft.changed().delete(path);
  else draft.changed().set(path, after);
  if (old === now) return;
  let { files } = draft.state.marks;
  for (const value of [old, now]) if (value !== undefined) files = xor(files, hash(`${path}\0${value}`));
  draft.state.marks = { ...draft.state.marks, files };
}

/** A step landed, or waits as a layer: what it made of each path is what counts now. */
export function markChanged(
  draft: Draft,
  operationId: string,
  summary: ChangeSummary,
  touches: readonly Touch[],
): void {
  const hashes = new Map(touches.filter((t) => t.how !== "read").map((t) => [t.path, t.hash]));
  const put = (path: string, value: string) => {
    const before = draft.state.changed.get(path) ?? [];
    write(draft, path, before, [...before.filter((c) => c.operationId !== operationId), { operationId, value }]);
  };
  for (const { root, path, from, op, files } of summary.entries) {
    const base = draft.state.roots[root]?.path;
    if (base === undefined) continue;
    const full = join(base, path);
    // What has no hash of its own (links, modes, whole folders, very many files) is told apart by the step's.
    put(
      files === undefined ? full : `${full}/`,
      op === "chmod" ? summary.manifestHash : (hashes.get(full) ?? summary.manifestHash),
    );
    if (from !== undefined) put(join(base, from), "");
  }
  if (summary.git.length > 0) put("git", summary.manifestHash);
}

/** What hooks made of files behind a step's landing is the step's (H6). */
export function markTouched(draft: Draft, operationId: string | undefined, touches: readonly Touch[]): void {
  for (const { path, hash } of touches) {
    const before = draft.state.changed.get(path);
    if (operationId === undefined || before?.some((c) => c.operationId === operationId) !== true) continue;
    const after = before.map((c) => (c.operationId === operationId ? { ...c, value: hash } : c));
    write(draft, path, before, after);
  }
}

/** Nothing of these steps stands any more; `paths`: only there. */
export function markGone(
  draft: Draft,
  gone: ReadonlySet<string>,
  renamed?: { to: string; paths: ReadonlySet<string> },
): void {
  for (const [path, changes] of draft.state.changed) {
    if (!changes.some((c) => gone.has(c.operationId))) continue;
    const stays = renamed?.paths.has(path) === true;
    const after = stays
      ? changes.map((c) => (gone.has(c.operationId) ? { ...c, operationId: renamed.to } : c))
      : changes.filter((c) => !gone.has(c.operationId));
    write(draft, path, changes, after);
  }
}

/** One layer in the place of others; of what it doesn't hold nothing is left. */
export function markSquashed(draft: Draft, event: LogEventOf<"changes.squashed">): void {
  const { roots } = draft.state;
  const paths = event.summary.entries.flatMap(({ root, path, from, files }) => {
    const base = roots[root]?.path;
    if (base === undefined) return [];
    const full = join(base, path);
    return [files === undefined ? full : `${full}/`, ...(from === undefined ? [] : [join(base, from)])];
  });
  const whole = new Set(event.summary.git.length > 0 ? [...paths, "git"] : paths);
  markGone(draft, new Set(event.from), { to: event.operationId, paths: event.pended ? whole : new Set() });
}

/** Regenerable output counts by its names: the same build, run again, is no new state. */
export function markKept(draft: Draft, event: LogEventOf<"changes.kept">): void {
  draft.state.marks = { ...draft.state.marks, kept: hash(event.paths.join("\0")) };
}

type Marked = Pick<SessionState, "marks" | "shell" | "groups">;
let last: { of: Marked; mark: string } | undefined;

/** All that decides what a call may come to, as far as the session can know it. */
export function stateMark({ marks, shell, groups }: Marked): string {
  // Most calls change nothing, and a load folds very many.
  if (last?.of.marks === marks && last.of.shell === shell && last.of.groups === groups) return last.mark;
  const running = groups.filter((g) => g.end === undefined).map((g) => g.groupId);
  const env = Object.keys(shell.env)
    .toSorted()
    .map((name) => [name, shell.env[name]]);
  const mark = hash(JSON.stringify([marks, shell.cwd, env, running]));
  last = { of: { marks, shell, groups }, mark };
  return mark;
}
