import { overfull } from "../context/fit.ts";
import { mendsFor } from "../context/mends-for.ts";
import { refusalOf } from "../context/refusal.ts";
import { isAnswerable } from "../context/request.ts";
import type { SessionEvent } from "../events/event.ts";
import { placedMessages } from "../events/messages.ts";
import type { ModelEvent } from "../model/model.ts";
import { compactOf } from "./bounds.ts";
import { compact } from "./compact.ts";
import type { LoopDeps } from "./deps.ts";
import { NOTHING_SAID } from "./say.ts";

type Failed = Extract<ModelEvent, { type: "failed" }>;

/** So many refusals of one turn are answered; more say that what is wrong is something else. */
const MOST_MENDS = 4;

/**
 * Asks for a reply with a conversation that can be sent, and where the service refuses it all the same, leaves out what it was refused for,
 * as a fact that the person is told, and asks again. What can't be found is said, with the ways out.
 */
export async function* mending<R extends object>(
  { deps, turn, signal }: { deps: LoopDeps; turn: number; signal: AbortSignal },
  ask: () => AsyncGenerator<SessionEvent, R | Failed>,
): AsyncGenerator<SessionEvent, R | Failed> {
  for (let mends = 0; ; mends++) {
    yield* fit(deps);
    const outcome = yield* ask();
    if (!isRefused(outcome)) return outcome;
    const facts = mends < MOST_MENDS ? mendsFor(deps.log.state, outcome.message, turn) : [];
    const mayClear = compactOf(deps).auto || !isLength(outcome);
    if (mayClear) for (const fact of facts) yield await deps.log.append(fact);
    if (mayClear && facts.length > 0) continue;
    const made = mends < MOST_MENDS && (yield* shorter(outcome, { deps, turn, signal }));
    if (signal.aborted) return { ...outcome, kind: "aborted" };
    if (!made) return { ...outcome, message: withWaysOut(outcome) };
  }
}

/** Facts that make the conversation one that can be sent and answered. */
async function* fit({ log }: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const messages = placedMessages(log.state);
  const full = overfull(messages);
  if (full !== undefined) yield await log.append(full);
  if (!isAnswerable(log.state, messages)) yield await log.append({ type: "note.added", text: NOTHING_SAID });
}

function isLength(outcome: Failed): boolean {
  return outcome.kind === "too-long" || refusalOf(outcome.message)?.about === "length";
}

/** Too long, and no result is left to clear: older messages are summed up (L5), unless that did not help before. */
async function* shorter(
  outcome: Failed,
  { deps, turn, signal }: { deps: LoopDeps; turn: number; signal: AbortSignal },
): AsyncGenerator<SessionEvent, boolean> {
  if (!isLength(outcome) || !compactOf(deps).auto || signal.aborted) return false;
  const made = yield* compact({ trigger: "length", turn }, deps, signal);
  return made.done;
}

function isRefused(outcome: object): outcome is Failed {
  return "partial" in outcome && "kind" in outcome && (outcome.kind === "bad-request" || outcome.kind === "too-long");
}

function withWaysOut({ message }: Failed): string {
  if (message.includes("/clear")) return message;
  return `${message.replace(/\.?$/, ".")} If it stays so, /compact sums older messages up, /rewind goes back to before a message, and /clear starts afresh.`;
}
