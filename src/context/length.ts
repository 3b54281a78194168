import type { LogBody, LogBodyOf } from "../events/event.ts";
import { placedMessages, type PlacedMessage } from "../events/messages.ts";
import type { SessionState } from "../events/state.ts";
import type { Refusal } from "./refusal.ts";
import { charsOf } from "./size.ts";

type Parts = LogBodyOf<"context.mended">["parts"];
/** So much of a conversation at least is won when something is cleared (C1). */
const WON = 0.2;
/** What is said of a text that goes. */
const LEAST = 2000;

/** Facts that make a conversation that was too long for the model shorter: older results are cleared (C3). Empty: nothing can be cleared. */
export function shorter(
  state: SessionState,
  { tokens, most }: Extract<Refusal, { about: "length" }>,
  turn?: number,
): LogBody[] {
  const messages = placedMessages(state);
  const all = messages.reduce((sum, m) => sum + m.content.reduce((s, p) => s + charsOf(p.block), 0), 0);
  const over = tokens === undefined || most === undefined ? 0 : Math.max(0, (tokens - most) / tokens);
  const results = messages.flatMap(({ content }, i) =>
    content.flatMap(({ block }) =>
      block.type === "tool_result" ? [{ id: block.tool_use_id, weight: charsOf(block), message: i }] : [],
    ),
  );
  const open = results.filter((r) => !state.cleared.has(r.id) && r.weight > LEAST);
  // What the model has just asked for is cleared last.
  const older = open.filter((r) => r.message < messages.length - 1);
  const callIds: string[] = [];
  let won = 0;
  for (const { id, weight } of [...older, ...open.filter((r) => !older.includes(r))]) {
    if (won >= all * (over + WON)) break;
    callIds.push(id);
    won += weight;
  }
  if (callIds.length === 0 || won < all * over) return [];
  const before = tokens ?? state.contextTokens;
  const after = Math.round(before * (1 - won / Math.max(1, all)));
  const one =
    callIds.length === 1 ? "the result of an older call is" : `the results of ${callIds.length} older calls are`;
  return [
    { type: "context.cleared", callIds, before, after, rule: "length", ...(turn === undefined ? {} : { turn }) },
    {
      type: "context.mended",
      why: `The conversation was too long for the model: ${one} no longer sent. Asking again.`,
      parts: [],
    },
  ];
}

/** Notes in place of the largest texts of prompts and results, until so many bytes are won. */
export function largest(messages: readonly PlacedMessage[], bytes: number): Parts {
  const texts = messages
    .flatMap(({ content }) => content)
    .flatMap(({ block, part }) =>
      part !== undefined && (block.type === "text" || block.type === "tool_result")
        ? [{ part, weight: charsOf(block) }]
        : [],
    )
    .toSorted((a, b) => b.weight - a.weight);
  const parts: Parts = [];
  let won = 0;
  for (const { part, weight } of texts) {
    if (won >= bytes || weight < LEAST) break;
    parts.push({
      ...part,
      note: `(A text of ${weight.toLocaleString("en")} characters was here and is not sent: the conversation was too large.)`,
    });
    won += weight;
  }
  return parts;
}
