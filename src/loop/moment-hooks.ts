import { textOf } from "../events/block.ts";
import type { ContentBlock } from "../events/block.ts";
import type { Decision, Effect } from "../events/effect.ts";
import type { SessionEvent } from "../events/event.ts";
import type { HookFields } from "../hooks/moment.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { goOnText } from "./hook-words.ts";
import { runHooks, stoppedBy } from "./run-hooks.ts";

/** A text of the person's goes to the model, unless a UserPromptSubmit hook holds it back. Said: why. */
export async function* promptHooks(
  content: readonly ContentBlock[],
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, string | undefined> {
  // A sub-agent's task is no text of the person's.
  if (deps.above !== undefined) return undefined;
  const merged = yield* runHooks("UserPromptSubmit", { prompt: textOf(content) }, deps, signal);
  const stop = stoppedBy(merged);
  if (stop !== undefined) return stop.detail;
  if (merged.decision !== "deny") return undefined;
  return `blocked by ${merged.by.map(({ name, reason }) => `the hook ${name}: ${reason}`).join("; ")}`;
}

/**
 * The model is done, unless a Stop hook sends it on ("again"), which one message lets hooks do so often as the settings say; then the person is
 * told. Hooks know whether they sent it on before.
 */
export async function* stopHooks(
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, "again" | undefined> {
  const { log, hooks } = deps;
  if (hooks === undefined) return undefined;
  const before = log.state.query?.stopRounds ?? 0;
  const rounds = hooks.stopRounds();
  if (before > rounds) return undefined;
  const last = log.state.items.findLast((item) => item.kind === "reply");
  const said = last?.kind === "reply" ? textOf(last.blocks) : "";
  const fields = { stop_hook_active: before > 0, last_assistant_message: said };
  const merged = yield* ending(fields, deps, signal);
  if (merged.decision !== "deny" || merged.stop !== undefined || signal.aborted) return undefined;
  if (before < rounds) {
    yield await log.append({ type: "note.added", text: goOnText(merged.by, before + 1, rounds) });
    return "again";
  }
  const why = merged.by.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  const text = `Hooks sent the model on ${rounds} ${rounds === 1 ? "time" : "times"} and still want more (${why}). It ends here; a new message goes on.`;
  yield await log.append({ type: "limit.warned", limit: "hooks.stop", text });
  return undefined;
}

/** A sub-agent has hooks of its own for its end. */
function ending(fields: HookFields["Stop"], deps: LoopDeps, signal: AbortSignal): ReturnType<typeof runHooks> {
  const { above, hooks } = deps;
  if (above === undefined) return runHooks("Stop", fields, deps, signal);
  const agent_transcript_path = hooks?.common().transcript_path ?? "";
  const of = { agent_id: above.agentId, agent_type: above.agent, agent_transcript_path };
  return runHooks("SubagentStop", { ...of, ...fields }, deps, signal);
}

/** Before a permission question is asked: a PermissionRequest hook may answer it with no, never with yes (H2). Said: why. */
export async function* questionHooks(
  { callId, gate, effect }: { callId: string; gate: "needs" | "changes"; effect: Effect },
  { risk, reason }: Decision,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, { hook: string; reason: string; stop?: Stop } | undefined> {
  const call = deps.log.state.calls.get(callId);
  const fields = {
    tool_name: effect.tool,
    tool_input: call?.hooks?.input ?? call?.input ?? {},
    tool_use_id: callId,
    gate,
    risk,
    reason,
  };
  const merged = yield* runHooks("PermissionRequest", fields, deps, signal, { callId });
  const stop = stoppedBy(merged);
  const [by] = merged.by;
  if (stop === undefined && (merged.decision !== "deny" || by === undefined)) return undefined;
  const said = by ?? { name: merged.stop?.name ?? "", reason: merged.stop?.reason ?? "" };
  return { hook: said.name, reason: said.reason, ...(stop === undefined ? {} : { stop }) };
}

/** Runs what nobody waits for beside something else: its facts come when that is over, and it is over then too. */
export function beside(run: (signal: AbortSignal) => AsyncGenerator<SessionEvent, unknown>): {
  end(): Promise<SessionEvent[]>;
} {
  const stop = new AbortController();
  const events: SessionEvent[] = [];
  const done = (async () => {
    for await (const event of run(stop.signal)) events.push(event);
  })();
  // A log that can't be written fails whoever writes next.
  done.catch(() => undefined);
  return {
    async end() {
      stop.abort();
      await done;
      return events;
    },
  };
}

/** Tells Notification hooks that somebody is waited for. */
export function notify(type: string, message: string, deps: LoopDeps): ReturnType<typeof beside> {
  const fields = { message, title: "Understudy", notification_type: type };
  return beside((signal) => runHooks("Notification", fields, deps, signal));
}
