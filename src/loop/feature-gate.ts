import { readFile } from "node:fs/promises";
import type { ChangeSummary } from "../events/effect.ts";
import type { SessionEvent } from "../events/event.ts";
import type { WorkState } from "../events/state.ts";
import { folderOf } from "../tools/paths.ts";
import type { ToolContext } from "../tools/tool.ts";
import { rawBytes, showPath } from "../util/bytes.ts";
import { type Change, type ChangeSet, upperOf } from "../workspace/change.ts";
import { isBelow, rootOf } from "../workspace/roots.ts";
import type { Check } from "./check.ts";
import { runCheck } from "./check-run.ts";
import type { LoopDeps } from "./deps.ts";
import { LANDED_ALONE } from "./say.ts";
import { type FeatureList, readFeatures, ticked } from "./feature-list.ts";

/** So long a feature's check may take. */
const CHECK_MS = 600_000;
/** Longer lists are none. */
const MOST_BYTES = 1 << 20;

/** A feature's own check. What commands left in HOME or in the copy's regenerable output never lands, so it must not make it pass. */
export function featureCheck({ id, check }: { id: string; check: string }): Check {
  return { kind: "command", name: featureName(id), command: check, timeoutMs: CHECK_MS, always: true, landed: true };
}

export function featureName(id: string): string {
  return `feature ${id}`;
}

/**
 * Why a change set may not land in long work (C8): whoever made it and however, of the feature list nothing but `passes` changes, and
 * `passes: true` only where the feature's check, run here on what landed so far, passes. undefined: the list is no matter of it. Fails closed.
 */
export async function* featureGate(
  set: ChangeSet,
  summary: ChangeSummary,
  ctx: ToolContext,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, string | undefined> {
  const work = deps.held().work;
  if (work === undefined) return undefined;
  const touching = changesOf(set, work, ctx, deps);
  if (touching.length === 0) return undefined;
  const no = (why: string) => `the program holds ${work.list} to its shape: ${why}`;
  if (work.stage === "init") {
    const wrong = await newList(set, touching, work, ctx);
    return wrong === undefined ? undefined : no(wrong);
  }
  const lists = await bothLists(set, touching, work, ctx);
  if (typeof lists === "string") return no(lists);
  const fresh = ticked(lists.before, lists.after);
  if (typeof fresh === "string") return no(`${fresh}. Only passes may change`);
  const other = fresh.find((id) => id !== work.feature?.id);
  if (other !== undefined)
    return no(`this session builds "${work.feature?.id ?? ""}"; leave "${other}" to a session of its own`);
  if (fresh.length === 0) return undefined;
  const own = showPath(touching[0]?.path ?? "");
  const beside = summary.entries.some(({ path }) => path !== own) || summary.git.length > 0;
  if (beside) return no("set passes by itself, once the work has landed: its check runs on what is in the folder");
  const failed = yield* failing(lists.before, fresh, deps, signal);
  return failed === undefined ? undefined : no(failed);
}

/** Runs the checks as the list had them before: the first that doesn't pass, in words. */
async function* failing(
  { features }: FeatureList,
  ids: readonly string[],
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, string | undefined> {
  for (const feature of features.filter(({ id }) => ids.includes(id))) {
    const ran = yield* runCheck(featureCheck(feature), { tree: "", round: 0 }, deps, signal);
    if (ran.exit === 0) continue;
    const said = ran.output.trim().split("\n").slice(-5).join("\n").slice(-600);
    const how = ran.ended ?? `exit code ${ran.exit}`;
    return `the check of "${feature.id}" did not pass (${how}): $ ${feature.check}${said === "" ? "" : `\n${said}`}\n${LANDED_ALONE}`;
  }
  return undefined;
}

/** Changes of the list itself, of a folder above it, or of what would stand below its name. */
function changesOf(set: ChangeSet, { list }: WorkState, ctx: ToolContext, { workspace }: LoopDeps): readonly Change[] {
  const { root, below } = placeOf(list, ctx);
  return workspace.unfold(set).filter((change) => {
    const path = showPath(change.path);
    return change.root === root && (path === below || below.startsWith(`${path}/`) || path.startsWith(`${below}/`));
  });
}

/** `below`: from its root's top, which may lie above the folder. */
function placeOf(list: string, ctx: ToolContext): { root: number; below: string; path: string } {
  const path = `${folderOf(ctx)}/${list}`;
  const root = rootOf(ctx.roots, path);
  const base = ctx.roots[root]?.path ?? folderOf(ctx);
  return { root, below: isBelow(base, path) ? path.slice(base.length + 1) : list, path };
}

/** While the list is made: it may come and go, but what lands as the list is one, and nothing of it passes yet. */
async function newList(
  set: ChangeSet,
  touching: readonly Change[],
  { list }: WorkState,
  ctx: ToolContext,
): Promise<string | undefined> {
  const { below } = placeOf(list, ctx);
  const own = touching.find((change) => showPath(change.path) === below);
  if (own?.after === undefined) return undefined;
  if (own.after.type !== "file" || own.after.size > MOST_BYTES) return "it has to be a file of at most 1 MB";
  const read = readFeatures(await newText(set, own));
  if (typeof read === "string") return read;
  const done = read.features.find(({ passes }) => passes);
  return done === undefined ? undefined : `nothing is built yet, so "${done.id}" can't pass`;
}

async function bothLists(
  set: ChangeSet,
  touching: readonly Change[],
  { list }: WorkState,
  ctx: ToolContext,
): Promise<{ before: FeatureList; after: FeatureList } | string> {
  const { below, path } = placeOf(list, ctx);
  const [own, ...more] = touching;
  if (own === undefined || more.length > 0 || showPath(own.path) !== below || own.op !== "modify")
    return "it can't be deleted, moved or replaced by something else";
  if (own.after?.type !== "file" || own.after.size > MOST_BYTES || own.after.mode !== own.before?.mode)
    return "it has to stay the file that it is";
  const now = await ctx.view.resolve(path, "stay");
  if (now.type !== "file") return "it is no file";
  const before = readFeatures(await readFile(now.real, "utf8"));
  if (typeof before === "string") return `as it is, it can't be read (${before}): the person has to mend it`;
  const after = readFeatures(await newText(set, own));
  return typeof after === "string" ? after : { before, after };
}

function newText({ stepFolder }: ChangeSet, { root, path }: Change): Promise<string> {
  return readFile(Buffer.concat([Buffer.from(`${upperOf(stepFolder, root)}/`), rawBytes(path)]), "utf8");
}
