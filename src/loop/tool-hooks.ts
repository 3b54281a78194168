import { isAbsolute, resolve } from "node:path";
import { text, textOf } from "../events/block.ts";
import type { Effect } from "../events/effect.ts";
import type { SavedOutcome, SessionEvent } from "../events/event.ts";
import type { CallState } from "../events/state.ts";
import type { ToolResponse } from "../hooks/moment.ts";
import type { Verdict } from "../permissions/lattice.ts";
import type { Tool } from "../tools/tool.ts";
import { decideNow } from "./decide-now.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { withoutKeys } from "./keys.ts";
import { brokenInputText, feedbackText } from "./hook-words.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { runHooks, stoppedBy } from "./run-hooks.ts";

type Ready = Prepared & { ok: true };

/** A call after its PreToolUse hooks: as it would run, what that would touch, and what hooks say of it. */
export interface Hooked {
  call: Ready;
  effect: Effect;
  verdicts: readonly Verdict[];
  /** A hook ended the query: the call is denied. */
  stop?: Stop;
}

/**
 * Runs the PreToolUse hooks of a call, once: a resumed call is judged by what they said before (E3). A rewritten input is parsed, and what it
 * touches computed, anew (H6); it never gets what the call as the model made it was refused, nor spares its question (H2).
 * A result: the call can't run.
 */
export async function* beforeTool(
  call: Ready,
  effect: Effect,
  touches: (tool: Tool, input: unknown) => Promise<Effect | { failed: unknown }>,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Hooked | { result: SavedOutcome }> {
  const { id, name, input } = call.block;
  const known = deps.log.state.calls.get(id);
  const given = absolute(input, deps);
  if (known?.hooks === undefined && known?.needs === undefined && known?.operationId === undefined)
    yield* runHooks("PreToolUse", { tool_name: name, tool_input: given, tool_use_id: id }, deps, signal, {
      callId: id,
    });
  const said = deps.log.state.calls.get(id)?.hooks;
  if (said === undefined) return { call, effect, verdicts: [] };
  const stopped: Verdict[] = said.stop === undefined ? [] : [{ action: "deny", reason: said.stop }];
  const verdicts = [...said.verdicts, ...stopped];
  const ends = said.stop === undefined ? {} : { stop: { reason: "denied" as const, detail: said.stop } };
  const { input: wanted, by = "" } = said;
  if (wanted === undefined || same(wanted, given) || same(wanted, input)) return { call, effect, verdicts, ...ends };
  const rewritten = withoutKeys(prepare({ ...call.block, input: wanted }, deps.tools), deps);
  if (!rewritten.ok) return failed(brokenInputText(by, textOf(rewritten.result.content)));
  const now = await touches(rewritten.tool, rewritten.input);
  if ("failed" in now) return failed(brokenInputText(by, String(now.failed)));
  return { call: rewritten, effect: now, verdicts: [...verdicts, ...original(effect, by, deps)], ...ends };
}

function failed(words: string): { result: SavedOutcome } {
  return { result: { status: "error", content: [text(words)], touched: [] } };
}

/** What was said of the call as the model made it binds what a hook made of it. */
function original(effect: Effect, by: string, deps: LoopDeps): Verdict[] {
  const { action, reason } = decideNow(effect, deps);
  return action === "allow"
    ? []
    : [{ action, reason: `it rewrote a call that was itself not allowed so: ${reason}`, hook: by }];
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const PATHS = ["file_path", "path", "notebook_path"];

/** As scripts expect it: paths are absolute. */
function absolute(input: Record<string, unknown>, { log }: LoopDeps): Record<string, unknown> {
  const paths = PATHS.flatMap((key): [string, string][] => {
    const value = input[key];
    return typeof value !== "string" || isAbsolute(value) ? [] : [[key, resolve(log.state.folder, value)]];
  });
  return { ...input, ...Object.fromEntries(paths) };
}

/** Runs the hooks behind a call that ran and has its result, once. What they find fault with is a note to the model. */
export async function* afterTool(
  callId: string,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const call = deps.log.state.calls.get(callId);
  if (call?.result === undefined || call.after === true || call.operationId === undefined) return undefined;
  const { tool, input, result } = call;
  const of = { tool_name: tool, tool_input: absolute(input, deps), tool_use_id: callId };
  const step = deps.log.state.steps.findLast((s) => s.callId === callId && s.status === "landed");
  const at = { callId, ...(step === undefined ? {} : { operationId: step.operationId }) };
  const words = textOf(result.content);
  const merged =
    result.status === "ok"
      ? yield* runHooks("PostToolUse", { ...of, tool_response: responseOf(call, words) }, deps, signal, at)
      : yield* runHooks(
          "PostToolUseFailure",
          { ...of, error: words, is_interrupt: result.status === "interrupted" },
          deps,
          signal,
          at,
        );
  for (const { name, reason } of merged.by)
    yield await deps.log.append({ type: "note.added", text: feedbackText(name, tool, reason) });
  return stoppedBy(merged);
}

function responseOf({ input, result }: CallState, content: string): ToolResponse {
  const details: unknown = result?.details;
  const exit: unknown = typeof details === "object" && details !== null ? Reflect.get(details, "exit") : undefined;
  const path = input["file_path"];
  return {
    content,
    success: true,
    ...(typeof path === "string" ? { filePath: path } : {}),
    ...(typeof exit === "number" ? { stdout: content, stderr: "", exit_code: exit } : {}),
  };
}
