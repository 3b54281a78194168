import { text } from "../events/block.ts";
import type { ChangeSummary, Effect } from "../events/effect.ts";
import type { SavedOutcome, SessionEvent, Touch } from "../events/event.ts";
import { rehearses } from "../events/layers.ts";
import { showIn } from "../tools/paths.ts";
import type { ToolContext } from "../tools/tool.ts";
import { showPath } from "../util/bytes.ts";
import { NOT_AS_PROPOSED } from "../workspace/as-proposed.ts";
import type { Change, ChangeSet } from "../workspace/change.ts";
import { manifestHash } from "../workspace/manifest.ts";
import { hasOutput } from "./command-of.ts";
import { heldBack } from "./held.ts";
import { judge, type Step } from "./judge.ts";
import { landByRule, landedFiles } from "./land-by-rule.ts";
import { hunkLines, leftOut, type LeftPath } from "./left-out.ts";
import { pend, squashMany, withPending } from "./pend.ts";
import { stopOf } from "./deadline.ts";
import { decideNow } from "./decide-now.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { landedPart } from "./landed-part.ts";
import type { Verdict } from "./permit.ts";
import type { Prepared } from "./prepare.ts";
import { rewritten } from "./rewritten.ts";
import {
  type Changed,
  conflictText,
  droppedText,
  interruptedText,
  type Kept,
  keptText,
  landedText,
  refusedText,
} from "./say.ts";
import { tryLand } from "./try-land.ts";

/** What a call brought, after its changes landed, were kept or dropped. */
export interface Brought {
  outcome: SavedOutcome;
  stop?: Stop;
  /** The call is to begin anew, with the person's text in it; `outcome` is none then. */
  again?: Prepared;
}

/**
 * Step 8: proposes a change set (durable), decides on it, lands it through the door or drops it; each a fact. Regenerable output
 * is kept in the copy. The outcome tells the model which of these happened.
 */
export async function* bringBack(
  set: ChangeSet,
  outcome: SavedOutcome,
  step: Step,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Brought> {
  const { callId, operationId } = step.ctx;
  if (signal.aborted || outcome.status === "interrupted") {
    return yield* interrupt(outcome, step, deps, signal);
  }
  const { sideEffects } = outcome;
  const seen = await deps.workspace.summarize(set, deps.facts(deps.log.state), step.ctx.view, signal);
  if (signal.aborted) return yield* interrupt(outcome, step, deps, signal);
  const summary = { ...seen, ...(sideEffects === undefined ? {} : { sideEffects }) };
  if (nothingToJudge(summary) && summary.regenerable.length === 0) {
    yield* drop(step, "no effect", deps);
    return { outcome };
  }
  await deps.workspace.saveProposal(set);
  yield await deps.log.append({ type: "changes.proposed", callId, operationId, outcome, summary });
  await deps.log.barrier();
  return yield* settleProposal(set, summary, outcome, step, deps, signal);
}

async function* interrupt(
  outcome: SavedOutcome,
  step: Step,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Brought> {
  yield* drop(step, "interrupted", deps);
  const content = [...outcome.content, ...interruptedText(stopOf(signal))];
  return { outcome: { ...outcome, status: "interrupted", content } };
}

/** Decides on a proposed change set and carries it out; also where a resumed session takes one up again (E3). */
export async function* settleProposal(
  set: ChangeSet,
  summary: ChangeSummary,
  outcome: SavedOutcome,
  step: Step,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Brought> {
  const held = yield* heldBack(set, summary, step.ctx, deps, signal);
  if (held !== undefined) {
    yield* drop(step, held, deps);
    return { outcome: notLanded(outcome, droppedText(held, undefined), step, "denied") };
  }
  if (nothingToJudge(summary)) {
    const said = keptText(yield* keep(set, step, deps));
    yield* squashMany(deps);
    return { outcome: said === "" ? outcome : withNote(outcome, `[${said}]`) };
  }
  if (mayPend(summary, step, deps)) return yield* wait(set, summary, outcome, step, deps);
  const verdict = yield* judge(set, summary, outcome, step, deps, signal);
  if (verdict.allow) return yield* carryOut(set, summary, outcome, step, verdict, deps);
  if (verdict.instead?.kind === "rewrite") {
    const again = yield* rewritten(set, step, verdict.instead, deps);
    yield* drop(step, "the person changed the file before it landed", deps);
    return { outcome, again };
  }
  yield* drop(step, verdict.reason, deps);
  const stop: Stop | undefined = signal.aborted ? stopOf(signal) : verdict.ends ? { reason: "denied" } : undefined;
  const denied = notLanded(outcome, droppedText(verdict.reason, verdict.note), step, "denied");
  return { outcome: denied, ...(stop === undefined ? {} : { stop }) };
}

/** In a rehearsal nothing lands, so nothing is asked (W6); what a rule denies is denied all the same. */
function mayPend(summary: ChangeSummary, { effect }: Step, deps: LoopDeps): boolean {
  const { state } = deps.log;
  if (!rehearses(state)) return false;
  const changed: Effect = { ...effect, needs: [], changes: summary };
  return decideNow(changed, deps).action !== "deny";
}

async function* wait(
  set: ChangeSet,
  summary: ChangeSummary,
  outcome: SavedOutcome,
  { ctx }: Step,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Brought> {
  const { callId, view } = ctx;
  yield* pend({ set, summary, callId, view }, (layer) => layer.changes.flatMap((c) => touches(c, ctx)), deps);
  return { outcome: pendingOutcome(outcome, summary, ctx) };
}

/** The outcome of a call whose changes wait for the review. */
export function pendingOutcome(outcome: SavedOutcome, summary: ChangeSummary, ctx: ToolContext): SavedOutcome {
  return withPending(outcome, changedIn(summary, ctx), summary.git);
}

function changedIn(summary: ChangeSummary, ctx: ToolContext): Changed[] {
  return summary.entries.map((e) => ({
    op: e.op,
    path: pathFor(ctx, e),
    ...(e.from === undefined ? {} : { from: pathFor(ctx, { root: e.root, path: e.from }) }),
  }));
}

/**
 * Lands what was allowed, once: of a landing that the journal already has, the door only tells (E3). `known`: the log has it too, so
 * it is not told again.
 */
export async function* carryOut(
  set: ChangeSet,
  summary: ChangeSummary,
  outcome: SavedOutcome,
  step: Step,
  verdict: Verdict & { allow: true },
  deps: LoopDeps,
  known = false,
): AsyncGenerator<SessionEvent, Brought> {
  const { callId, operationId } = step.ctx;
  // Of what landed before, the layer has only what is left.
  if (!known && manifestHash(set.changes) !== summary.manifestHash) {
    yield* drop(step, NOT_AS_PROPOSED, deps);
    return { outcome: notLanded(outcome, refusedText(NOT_AS_PROPOSED), step) };
  }
  const dropped = leftOut(set, summary, verdict.left, step.ctx.roots);
  const told = await leftPaths(set, verdict, step, deps);
  const left = [...dropped, ...set.changes.filter((c) => deps.regenerable(c) && !verdict.withRegenerable)];
  const landing = await tryLand(set, left, deps);
  if ("refused" in landing) {
    yield* drop(step, landing.refused, deps);
    return { outcome: notLanded(outcome, refusedText(landing.refused), step) };
  }
  if (!landing.ok) {
    const conflicts = landing.conflicts.map((c) => ({ root: c.root, path: showPath(c.path), why: c.why }));
    yield await deps.log.append({ type: "changes.conflicted", callId, operationId, conflicts, files: summary.files });
    const words = conflictText(conflicts.map((c) => ({ path: pathFor(step.ctx, c), why: c.why })));
    return { outcome: notLanded(outcome, words, step) };
  }
  const touched = landing.changes.flatMap((c) => touches(c, step.ctx));
  const gitLeft = verdict.left.length > 0 ? summary.git : [];
  const part = { ...landedPart(summary, verdict.left), ...(gitLeft.length > 0 ? { git: [] } : {}) };
  if (!known)
    yield await deps.log.append({
      type: "changes.landed",
      callId,
      operationId,
      summary: part,
      by: verdict.by,
      touched,
    });
  const kept = summary.regenerable.length > 0 && !verdict.withRegenerable ? yield* keep(set, step, deps) : undefined;
  yield* squashMany(deps);
  const words = { changed: changedIn(summary, step.ctx), git: part.git, left: told, gitLeft };
  return { outcome: withNote(outcome, landedText(words, kept)) };
}

/** What the person left out, as the model is told. The lines of a file's hunks are known until it landed. */
async function leftPaths(
  set: ChangeSet,
  { left }: Verdict & { allow: true },
  { ctx }: Step,
  { workspace }: LoopDeps,
): Promise<LeftPath[]> {
  const parts = left.some((l) => l.hunks !== undefined) ? await workspace.diffs(set, ctx.view) : [];
  return left.map((l) => ({ path: pathFor(ctx, l), inPart: l.hunks !== undefined, ...hunkLines(l, parts) }));
}

/** As the model names it: from the folder, absolute where it lies in another root. */
function pathFor(ctx: ToolContext, { root, path }: { root: number; path: string }): string {
  const base = ctx.roots[root]?.path;
  return base === undefined ? path : showIn(ctx, `${base}/${path}`);
}

async function* keep(set: ChangeSet, { ctx }: Step, deps: LoopDeps): AsyncGenerator<SessionEvent, Kept> {
  const { callId, operationId } = ctx;
  // A layer for later copies: what Delete took away has to be hidden there too.
  await deps.workspace.pending((c) => deps.regenerable(c)).freeze(set, ctx.view);
  const { files, bytes } = await deps.workspace.keep(set, (c) => deps.regenerable(c));
  const kept = set.changes.filter((c) => deps.regenerable(c));
  const paths = kept.map((c) => showPath(c.path));
  yield await deps.log.append({ type: "changes.kept", callId, operationId, files, bytes, paths: paths.slice(0, 200) });
  const landed = yield* landByRule(callId, deps, ctx.signal);
  const gone = kept.filter((c) => c.op === "delete").map((c) => showPath(c.path));
  return { files: files - landedFiles(operationId, landed), gone, landed };
}

async function* drop({ ctx }: Step, reason: string, deps: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const { callId, operationId } = ctx;
  await deps.workspace.drop(operationId);
  const told = deps.log.state.steps.some((s) => s.operationId === operationId);
  if (told) yield await deps.log.append({ type: "changes.dropped", callId, operationId, reason });
}

function nothingToJudge(summary: ChangeSummary): boolean {
  return summary.entries.length === 0 && summary.git.length === 0;
}

function touches(change: Change, ctx: ToolContext): Touch[] {
  const path = `${ctx.roots[change.root]?.path ?? ""}/${showPath(change.path)}`;
  if (change.op === "delete") return [{ path, hash: "", how: "deleted" }];
  const hash = change.after?.hash;
  return change.after?.type === "file" && hash !== undefined ? [{ path, hash, how: "written" }] : [];
}

/** A command's output is worth reading even so; "Edited a.txt" of an edit that did not land would be a lie. */
function notLanded(
  outcome: SavedOutcome,
  note: string,
  step: Step,
  status: "error" | "denied" = "error",
): SavedOutcome {
  const words = hasOutput(step.call.input) ? outcome.content : [];
  return { ...outcome, status, content: [...words, text(note)], touched: [] };
}

/** The loop's own words stand behind the tool's, so that the output comes first. */
function withNote(outcome: SavedOutcome, note: string): SavedOutcome {
  return { ...outcome, content: [...outcome.content, text(note)] };
}
