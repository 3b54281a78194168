import type { ChangeSummary, Effect } from "../events/effect.ts";
import type { LogBody, LogEvent } from "../events/event.ts";
import { fold } from "../events/reduce.ts";
import type { CallState, SessionState } from "../events/state.ts";
import { earlierFiles } from "../events/turn-files.ts";
import type { HookEvent } from "../hooks/moment.ts";
import { MANY_FILES } from "../permissions/risk.ts";
import { resultHash } from "../permissions/shown.ts";
import type { Outcome, ToolContext } from "../tools/tool.ts";
import type { ChangeSet } from "../workspace/change.ts";
import type { FileDiff } from "../workspace/workspace.ts";
import { isApart, placesOf } from "./apart.ts";
import { decideNow } from "./decide-now.ts";
import type { LoopDeps } from "./deps.ts";
import { withoutKeys } from "./keys.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { effectOf } from "./effect-of.ts";

/** What one call would change, on top of those before it. */
export interface Foreseen {
  callId: string;
  effect: Effect & { changes: ChangeSummary };
  diffs: readonly FileDiff[];
  shown: string;
}

/** Neighbouring edits of a reply as they would all land, and the sum of it. Its folders stay until `drop`. */
export interface Foresight {
  calls: readonly Foreseen[];
  set: ChangeSet;
  effect: Effect & { changes: ChangeSummary };
  diffs: readonly FileDiff[];
}

/** The call that is asked about, with what it has proposed. */
interface First {
  call: Prepared & { ok: true };
  effect: Effect & { changes: ChangeSummary };
  ctx: ToolContext;
  /** `resultHash` of it. */
  shown: string;
}

/** Hooks that could make something else of a call, of what it lands, or of the question about it: then each is asked about alone. */
const MOMENTS: readonly HookEvent[] = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "FileChanged",
];

/**
 * What the edits that stand behind a call in its reply would come to once it has landed, each on top of those before it: they are staged for
 * show, in step folders of their own, as layers of the view. undefined where there are none, or they can't be asked about in one question:
 * whatever is more than a question of medium risk by the policy alone ends the row, and so does a call that touches what an earlier one
 * touches: the sum would not show what lies there in between, and each lands by itself (ADR 37).
 */
export async function foresee(
  first: First,
  folders: Folders,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<Foresight | undefined> {
  const { callId, operationId } = first.ctx;
  const { state } = deps.log;
  if (deps.asker.together?.(callId) !== true || first.call.tool.stages !== true) return undefined;
  const behind = followers(state, callId, deps);
  if (behind.length === 0 || hooked(deps) || !isPlain(first.effect, deps)) return undefined;
  const stage: Stage = { layers: [...first.ctx.view.layers], ids: [], state, files: new Set(), places: [], calls: [] };
  const next = (): string => folders.add(`${operationId}.seen${stage.ids.length}`);
  // Staged once more: its own folder is what lands.
  const again = await staged(first.call, { ...first.ctx, operationId: next() }, stage, deps, signal);
  if (again === undefined || again.shown !== first.shown) return undefined;
  const { roots } = first.ctx;
  take({ ...again, effect: first.effect }, stage, operationId);
  stage.places.push(...placesOf(first.effect.changes, roots));
  for (const { call, prepared } of behind) {
    if (signal.aborted) break;
    const ctx = { ...first.ctx, callId: call.callId, operationId: next() };
    if (!(await mayRun(prepared, { ...ctx, ...sight(stage, deps) }, deps))) break;
    const one = await staged(prepared, ctx, stage, deps, signal);
    // It fails, or changes nothing: there is nothing to ask about it.
    if (one === undefined) continue;
    if (!isPlain(one.effect, deps)) break;
    if (new Set([...stage.files, ...filesOf(one.effect.changes)]).size > MANY_FILES) break;
    const places = placesOf(one.effect.changes, roots);
    if (!isApart(places, stage.places)) break;
    take(one, stage, ctx.operationId, call);
    stage.places.push(...places);
  }
  if (signal.aborted || stage.calls.length < 2) return undefined;
  return summed(stage, first, folders.add(`${operationId}.sum`), deps, signal);
}

/** Step folders that were made for show. */
export interface Folders {
  /** Gives the id back. */
  add(operationId: string): string;
  drop(): Promise<void>;
}
export function foldersOf({ workspace }: Pick<LoopDeps, "workspace">): Folders {
  const ids = new Set<string>();
  return {
    add(operationId) {
      ids.add(operationId);
      return operationId;
    },
    async drop() {
      for (const id of ids) await workspace.drop(id);
      ids.clear();
    },
  };
}

/** What was staged so far. */
interface Stage {
  layers: string[];
  ids: string[];
  /** The session as it would be then. */
  state: SessionState;
  files: Set<string>;
  /** `placesOf` all of them. */
  places: string[];
  calls: Foreseen[];
}
type Staged = Foreseen & { set: ChangeSet; outcome: Outcome };

function hooked({ hooks }: LoopDeps): boolean {
  return ["Write", "Edit", "Delete"].some((name) => MOMENTS.some((of) => (hooks?.concerned(of, name).length ?? 0) > 0));
}

interface Follower {
  call: CallState;
  prepared: Prepared & { ok: true };
}

/** The edits behind a call in its reply, up to the first call that is none, or has begun. */
function followers({ calls, items }: SessionState, callId: string, deps: LoopDeps): Follower[] {
  const seq = calls.get(callId)?.replySeq;
  const reply = items.findLast((item) => item.kind === "reply" && item.seq === seq);
  if (reply?.kind !== "reply") return [];
  const ids = reply.blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const found: Follower[] = [];
  for (const id of ids.slice(ids.indexOf(callId) + 1)) {
    const call = calls.get(id);
    if (call === undefined || isBegun(call)) break;
    const block = { type: "tool_use" as const, id, name: call.tool, input: call.input };
    const prepared = withoutKeys(prepare(block, deps.tools), deps);
    if (!prepared.ok || prepared.tool.stages !== true) break;
    found.push({ call, prepared });
  }
  return found;
}

function isBegun({ operationId, result, question, along }: CallState): boolean {
  return operationId !== undefined || result !== undefined || question !== undefined || along !== undefined;
}

/** Asked about by the policy alone, at no more than medium risk, and by its own files alone. */
function isPlain(effect: Effect & { changes: ChangeSummary }, deps: LoopDeps): boolean {
  const { git, regenerable, entries } = effect.changes;
  if (git.length > 0 || regenerable.length > 0 || entries.some((entry) => entry.op === "rename")) return false;
  const { action, risk, rule, hook } = decideNow(effect, deps);
  return action === "ask" && risk !== "high" && rule === undefined && hook === undefined;
}

/** What a rule says of the path before it runs. */
async function mayRun({ tool, input }: Prepared & { ok: true }, ctx: ToolContext, deps: LoopDeps): Promise<boolean> {
  const effect = await effectOf(tool, input, ctx);
  return !("failed" in effect) && decideNow(effect, deps).action === "allow";
}

function sight(stage: Stage, deps: LoopDeps): Pick<ToolContext, "view" | "state"> {
  return { view: deps.workspace.view(stage.layers), state: () => stage.state };
}

/** Runs a call for show: what it stages becomes a layer, and nothing else comes of it. undefined: nothing that could land. */
async function staged(
  call: Prepared & { ok: true },
  ctx: ToolContext,
  stage: Stage,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<Staged | undefined> {
  const at = { ...ctx, ...sight(stage, deps), signal };
  const outcome = await ended(call, at);
  if (outcome?.status !== "ok" || outcome.changes === undefined) return undefined;
  const set = outcome.changes;
  const effect = await effectOf(call.tool, call.input, at);
  const changes = await deps.workspace.summarize(set, deps.facts(stage.state), at.view, signal);
  if ("failed" in effect || changes.entries.length === 0) return undefined;
  const earlier = earlierFiles(stage.state, ctx.callId, changes);
  const diffs = await deps.workspace.diffs(set, at.view);
  await deps.workspace.pending((c) => deps.regenerable(c)).freeze(set, at.view);
  const { tool } = call;
  return {
    callId: ctx.callId,
    effect: { ...effect, needs: [], changes, ...(earlier === undefined ? {} : { earlier }) },
    diffs,
    shown: resultHash(tool.name, changes, diffs),
    set,
    outcome,
  };
}

async function ended({ tool, input }: Prepared & { ok: true }, ctx: ToolContext): Promise<Outcome | undefined> {
  const run = tool.run(input, ctx);
  try {
    for (;;) {
      const step = await run.next();
      if (step.done === true) return step.value;
    }
  } catch {
    // It will be told where it runs in earnest.
    return undefined;
  }
}

/** The session as it is once this has landed. `begun`: of a call that has not begun, its input. */
function take({ set, outcome, callId, ...of }: Staged, stage: Stage, operationId: string, begun?: CallState): void {
  const touched = outcome.touched ?? [];
  const summary = of.effect.changes;
  const { tool, effect } = { tool: of.effect.tool, effect: of.effect };
  const bodies: LogBody[] = [
    ...(begun === undefined
      ? []
      : [
          { type: "call.started" as const, callId, operationId, attempt: 1, tool, input: begun.input },
          {
            type: "changes.proposed" as const,
            callId,
            operationId,
            outcome: { status: "ok" as const, content: [], touched },
            summary,
          },
        ]),
    {
      type: "permission.decided",
      callId,
      gate: "changes",
      outcome: "allow",
      by: "person",
      reason: "",
      risk: "medium",
      effect,
    },
    { type: "changes.landed", callId, operationId, summary, by: "person", touched },
    { type: "call.finished", callId, status: "ok", content: [], touched, durationMs: 0 },
  ];
  const { seq, mac, lastAt: at } = stage.state;
  const events = bodies.map((body, n): LogEvent => ({ v: 1, seq: seq + n + 1, at, mac, ...body }));
  stage.state = fold(stage.state, events);
  stage.layers.push(set.stepFolder);
  stage.ids.push(set.operationId);
  for (const name of filesOf(summary)) stage.files.add(name);
  stage.calls.push({ callId, ...of });
}

function filesOf({ entries }: ChangeSummary): string[] {
  return entries.filter((e) => e.type !== "folder").map((e) => `${e.root}/${e.path}`);
}

/** All of them as one change set, which nobody lands. */
async function summed(
  stage: Stage,
  first: First,
  id: string,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<Foresight | undefined> {
  const layers = stage.ids.map((operationId) => ({ operationId, pended: true }));
  const set = await deps.workspace.pending((c) => deps.regenerable(c)).squash(id, layers);
  const { view } = first.ctx;
  const changes = await deps.workspace.summarize(set, deps.facts(deps.log.state), view, signal);
  const paths = [...new Set(stage.calls.flatMap(({ effect }) => effect.paths ?? []))];
  const effect = { ...first.effect, ...(paths.length === 0 ? {} : { paths }), changes };
  if (changes.entries.length === 0 || !isPlain(effect, deps)) return undefined;
  return { calls: stage.calls, set, effect, diffs: await deps.workspace.diffs(set, view) };
}
