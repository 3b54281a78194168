import { overfull } from "../context/fit.ts";
import { mendsFor } from "../context/mends-for.ts";
import { isAnswerable } from "../context/request.ts";
import type { SessionEvent } from "../events/event.ts";
import { placedMessages } from "../events/messages.ts";
import type { ModelEvent } from "../model/model.ts";
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
  deps: LoopDeps,
  ask: () => AsyncGenerator<SessionEvent, R | Failed>,
): AsyncGenerator<SessionEvent, R | Failed> {
  for (let mends = 0; ; mends++) {
    yield* fit(deps);
    const outcome = yield* ask();
    if (!isRefused(outcome)) return outcome;
    const facts = mends < MOST_MENDS ? mendsFor(deps.log.state, outcome.message) : [];
    if (facts.length === 0) return { ...outcome, message: withWaysOut(outcome) };
    for (const fact of facts) yield await deps.log.append(fact);
  }
}

/** Facts that make the conversation one that can be sent and answered. */
async function* fit({ log }: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const messages = placedMessages(log.state);
  const full = overfull(messages);
  if (full !== undefined) yield await log.append(full);
  if (!isAnswerable(log.state, messages)) yield await log.append({ type: "note.added", text: NOTHING_SAID });
}

function isRefused(outcome: object): outcome is Failed {
  return "partial" in outcome && "kind" in outcome && (outcome.kind === "bad-request" || outcome.kind === "too-long");
}

function withWaysOut({ message }: Failed): string {
  if (message.includes("/clear")) return message;
  return `${message.replace(/\.?$/, ".")} If it stays so, /rewind goes back to before a message, and /clear starts afresh.`;
}
