import type { Rule } from "../events/effect.ts";
import type { SessionEvent } from "../events/event.ts";
import { rehearses } from "../events/layers.ts";
import { landRules } from "../permissions/land-rule.ts";
import { showPath } from "../util/bytes.ts";
import type { Change, ChangeSet } from "../workspace/change.ts";
import { isControl } from "../workspace/control.ts";
import { listedFolder } from "../workspace/regenerable.ts";
import type { JournalStep, View } from "../workspace/workspace.ts";
import { gateNow } from "./above.ts";
import type { LoopDeps } from "./deps.ts";
import { tryLand } from "./try-land.ts";

const X = 0o111;
/** Set-id and sticky bits. */
const SPECIAL_BITS = 0o7000;

/** What of kept output landed, for the model's words. */
export interface LandedByRule {
  files: number;
  rule: Rule;
  /** The step whose output it is: this call's or an earlier one's. */
  of: string;
}

/** Files of this step that landed so, and don't stay in the copy. */
export function landedFiles(step: string, landed: readonly LandedByRule[]): number {
  return landed.filter(({ of }) => of === step).reduce((sum, { files }) => sum + files, 0);
}

/**
 * Lands kept regenerable output that the person's own `Land(…)` rules name (P9), in ask and auto mode: each layer's part as a step of
 * its own, oldest first, so that it is journalled and can be undone. Never what could run outside without anybody having read it:
 * `.bin` folders, executables, links out of the roots, what steers programs. A conflict leaves it in the copy.
 */
export async function* landByRule(
  callId: string,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, readonly LandedByRule[]> {
  const { state } = deps.log;
  const { mode, rules } = gateNow(deps);
  const ruleFor = landRules(rules);
  const kept = state.steps.filter((step) => step.kept);
  if (ruleFor === undefined || kept.length === 0 || mode === "plan" || rehearses(state)) return [];
  const { view } = await deps.context({ callId, operationId: callId }, signal, deps.asker);
  const journal = await deps.workspace.journal();
  const landed: LandedByRule[] = [];
  for (const { operationId: of } of kept) {
    const set = await deps.workspace.readProposal(of);
    if (set === undefined) continue;
    const part = await partOf(set, { of, journal, view, deps, ruleFor });
    if (part === undefined) continue;
    const landing = await tryLand({ ...set, operationId: part.operationId, changes: part.lands }, [], deps);
    // Newer layers build on it.
    if (!landing.ok) return landed;
    const { rule, rest } = part;
    const counts = countOf(landing.changes);
    const paths = landing.changes.slice(0, 200).map((c) => showPath(c.path));
    const { operationId } = part;
    yield await deps.log.append({
      type: "kept.landed",
      operationId,
      of,
      callId,
      rule,
      ...counts,
      paths,
      rest: rest.length,
      left: byFolder(rest),
    });
    await deps.log.barrier();
    await narrow(part.set, rest, deps);
    if (counts.files > 0) landed.push({ files: counts.files, rule, of });
  }
  return landed;
}

interface Around {
  of: string;
  journal: readonly JournalStep[];
  view: View;
  deps: LoopDeps;
  ruleFor: (path: string) => Rule | undefined;
}

/** What of a layer lands now, and under which id: the same after a crash in the middle. */
async function partOf(
  set: ChangeSet,
  { of, journal, view, deps, ruleFor }: Around,
): Promise<{ operationId: string; set: ChangeSet; lands: Change[]; rest: Change[]; rule: Rule } | undefined> {
  const before = landedOf(of, journal);
  const told = deps.log.events.filter((e) => e.type === "kept.landed" && e.of === of).length;
  const left = deps.workspace.unfold(set).filter((c) => deps.regenerable(c) && !before.has(keyOf(c)));
  const lands: Change[] = [];
  let rule: Rule | undefined;
  for (const change of left) {
    const by = ruleFor(showPath(change.path));
    if (by === undefined || !(await mayLand(change, view, deps))) continue;
    rule ??= by;
    lands.push(change);
  }
  if (rule === undefined || lands.every((c) => isFolder(c) && c.op === "create")) return undefined;
  const taken = new Set(lands);
  const rest = left.filter((c) => !taken.has(c));
  return { operationId: `${of}-land${told + 1}`, set: { ...set, changes: left }, lands, rest, rule };
}

/** Changes of a kept layer that landed before as steps of their own, by rule. An undone one was, too: the person took it back. */
export function landedOf(of: string, journal: readonly JournalStep[]): ReadonlySet<string> {
  const own = journal.filter((s) => s.status !== "rolled-back" && s.operationId.startsWith(`${of}-land`));
  return new Set(own.flatMap((s) => s.changes.map(keyOf)));
}

/** Root and path of a change, as a key. */
export function keyOf({ root, path }: Pick<Change, "root" | "path">): string {
  return `${root}/${path}`;
}

/** Code that nobody reviewed must not run outside (P9). */
async function mayLand({ root, path, after, tree }: Change, view: View, { workspace }: LoopDeps): Promise<boolean> {
  const shown = showPath(path);
  if (
    shown.includes("\u{fffd}") ||
    isControl(path) ||
    workspace.isRunOutside(root, path) ||
    shown.toLowerCase().split("/").includes(".bin")
  )
    return false;
  if (after === undefined) return true;
  if (after.type === "folder") return tree === undefined;
  if (after.type === "file") return (after.mode & (X | SPECIAL_BITS)) === 0;
  const base = workspace.roots[root]?.path;
  if (after.type !== "link" || base === undefined || /^\/(?:proc|dev)\//.test(after.target ?? "")) return false;
  try {
    return (await view.resolve(`${base}/${shown}`)).inside;
  } catch {
    return false;
  }
}

function isFolder({ before, after }: Change): boolean {
  return (after ?? before)?.type === "folder";
}

/** Files that stay, by the regenerable folder that they lie in. */
function byFolder(rest: readonly Change[]): { root: number; path: string; files: number }[] {
  const folders = new Map<string, { root: number; path: string; files: number }>();
  for (const change of rest.filter((c) => c.op !== "delete")) {
    const { root, tree } = change;
    const path = showPath(listedFolder(change.path, isFolder(change)) ?? change.path);
    const files = tree?.files ?? (isFolder(change) ? 0 : 1);
    const known = folders.get(`${root}/${path}`)?.files ?? 0;
    if (files > 0) folders.set(`${root}/${path}`, { root, path, files: known + files });
  }
  return [...folders.values()];
}

function countOf(changes: readonly Change[]): { files: number; bytes: number } {
  const files = changes.filter((c) => !isFolder(c) || c.tree !== undefined);
  return {
    files: files.reduce((sum, c) => sum + (c.tree?.files ?? 1), 0),
    bytes: files.reduce((sum, c) => sum + (c.after?.size ?? 0), 0),
  };
}

/** The layer holds what did not land. Its proposal stays, so that a call that a crash left open can be finished. */
async function narrow(set: ChangeSet, rest: readonly Change[], { workspace }: LoopDeps): Promise<void> {
  const keys = new Set(rest.map(keyOf));
  await workspace.keep(set, (c) => keys.has(keyOf(c)));
  await workspace.saveProposal({ ...set, changes: rest });
}
