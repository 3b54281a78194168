import { isFact, type SessionEvent } from "../events/event.ts";
import type { Asker } from "../permissions/asker.ts";
import { maskDeep } from "../util/secrets/deep.ts";
import { liveMask, type Secrets } from "../util/secrets/secrets.ts";
import type { TextMask } from "../util/secrets/stream.ts";

/** Live events that carry a text in pieces, by what their pieces belong to. */
type Streamed = Extract<SessionEvent, { type: "text.delta" | "thinking.delta" | "input.delta" | "tool.output" }>;

interface Open {
  mask: TextMask;
  last: Streamed;
}

/**
 * Events with keys of none: facts have none by the log, live texts are masked here as they go by, before anybody shows them. What a
 * border of pieces held back comes ahead of the fact that ends its text.
 */
export async function* maskedLive<R>(
  events: AsyncGenerator<SessionEvent, R>,
  secrets: Secrets,
): AsyncGenerator<SessionEvent, R> {
  const open = new Map<string, Open>();
  let step = await events.next();
  try {
    for (; step.done !== true; step = await events.next()) {
      const event = step.value;
      if (isStreamed(event)) yield* piece(named(event, secrets), open, secrets);
      else {
        yield* rest(event, open);
        yield isFact(event) ? event : maskDeep(event, secrets);
      }
    }
  } finally {
    if (step.done !== true) await events.return(undefined as R);
  }
  return step.value;
}

function* piece(event: Streamed, open: Map<string, Open>, secrets: Secrets): Generator<SessionEvent> {
  const key = keyOf(event);
  const { mask } = open.get(key) ?? { mask: liveMask(secrets) };
  open.set(key, { mask, last: event });
  const text = mask.push(textIn(event));
  if (text !== "") yield withText(event, text);
}

/** What is still held back of the texts that an event ends. */
function* rest(event: SessionEvent, open: Map<string, Open>): Generator<SessionEvent> {
  for (const [key, { mask, last }] of open) {
    if (!ends(event, last)) continue;
    open.delete(key);
    const text = mask.end();
    if (text !== "") yield withText(last, text);
  }
}

function ends(event: SessionEvent, last: Streamed): boolean {
  switch (event.type) {
    case "reply.started":
    case "reply.discarded":
    case "reply.completed":
    case "reply.cut":
      return last.type !== "tool.output";
    case "call.finished":
      return last.type === "tool.output" && last.callId === event.callId;
    case "check.ran":
    case "shell.ran":
    case "query.finished":
      return true;
    default:
      return false;
  }
}

function isStreamed(event: SessionEvent): event is Streamed {
  return /^(?:(?:text|thinking|input)\.delta|tool\.output)$/.test(event.type);
}

function keyOf(event: Streamed): string {
  return "callId" in event ? `${event.type} ${event.callId}` : event.type;
}

/** A model can make up a tool's name too; it comes whole with each piece. */
function named(event: Streamed, secrets: Secrets): Streamed {
  return event.type === "input.delta" ? { ...event, tool: secrets.mask(event.tool) } : event;
}

function textIn(event: Streamed): string {
  return event.type === "input.delta" ? event.json : event.text;
}

function withText(event: Streamed, text: string): Streamed {
  return event.type === "input.delta" ? { ...event, json: text } : { ...event, text };
}

/** Questions as they are put before the person: with placeholders for the keys in them. What they decide on is not changed by it. */
export function maskedAsker(asker: Asker, secrets: Secrets): Asker {
  return {
    ask: (question, signal) => asker.ask(maskDeep(question, secrets), signal),
    together: (callId) => asker.together?.(callId) === true,
    askPerson: (question, signal) => asker.askPerson(maskDeep(question, secrets), signal),
  };
}
