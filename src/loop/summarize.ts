import { refusalOf } from "../context/refusal.ts";
import {
  PART_SYSTEM,
  partMessage,
  partPrompt,
  summaryPrompt,
  summaryWords,
  withWords,
} from "../context/summary-prompt.ts";
import { partsOf, transcript } from "../context/transcript.ts";
import { textOf } from "../events/block.ts";
import type { SessionEvent, Usage } from "../events/event.ts";
import { NO_USAGE, sumOf } from "../events/usage.ts";
import type { Model, ModelEvent, ModelRequest } from "../model/model.ts";
import { charsPerToken, sizeNow } from "./bounds.ts";
import type { LoopDeps } from "./deps.ts";

/** The model's words, or why there are none; what it took either way. */
export interface Summed {
  text?: string;
  failed?: string;
  usage: Usage;
  requests: number;
}

/** Room that the request's own words take, and for each word of the answer, in tokens. */
const ROOM = 1000;
const ROOM_A_WORD = 3;
/** Of a result in a part of a conversation that is sent as text. */
const MOST_OF_RESULT = 2000;
/** Of the window: one part. */
const PART_SHARE = 0.4;
const HALVINGS = 3;
const MOST_PARTS = 40;

/**
 * Asks the model to sum up the conversation up to `index`: with all of it as it was sent, so that it comes from the cache, where that fits;
 * else as text, part by part. Never throws.
 */
export async function* summarize(
  { index, asked, long, window }: { index: number; asked: string | undefined; long: boolean; window: number },
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Summed> {
  const model = deps.model();
  const words = summaryWords(window);
  let sum: Summed = { usage: NO_USAGE, requests: 0 };
  if (!long && sizeNow(deps) + ROOM + words * ROOM_A_WORD <= model.contextWindow) {
    const request = deps.request(deps.log.state, model);
    const prompt = summaryPrompt(words, asked);
    sum = add(sum, yield* ask(model, { ...request, messages: withWords(request.messages, prompt) }, signal));
    if (sum.text !== undefined || signal.aborted || !mayBeParts(sum.failed)) return sum;
  }
  for (let halved = 0; halved <= HALVINGS; halved++) {
    const most = (window * PART_SHARE * charsPerToken(deps, sizeNow(deps))) / 2 ** halved;
    sum = yield* byParts({ index, asked, words, most: Math.max(2000, Math.floor(most)) }, sum, deps, signal);
    if (sum.text !== undefined || signal.aborted || !isTooLong(sum.failed)) return sum;
  }
  return sum;
}

/** It wanted a tool, said nothing, or had not the room. */
function mayBeParts(failed: string | undefined): boolean {
  return failed === NOTHING || isTooLong(failed);
}
const NOTHING = "the model said nothing";

function isTooLong(failed: string | undefined): boolean {
  return failed !== undefined && refusalOf(failed)?.about === "length";
}

async function* byParts(
  { index, asked, words, most }: { index: number; asked: string | undefined; words: number; most: number },
  before: Summed,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Summed> {
  const { state } = deps.log;
  const model = deps.model();
  const parts = partsOf(transcript(state, state.items.slice(state.firstItem, index), MOST_OF_RESULT), most);
  let sum: Summed = { usage: before.usage, requests: before.requests };
  let text = state.summary ?? "";
  // Of very many the newest: the file has the others.
  const sent = parts.slice(-MOST_PARTS);
  for (const [i, part] of sent.entries()) {
    const prompt = partPrompt(words, asked, { part: i + 1, of: sent.length });
    const request: ModelRequest = {
      system: [{ text: PART_SYSTEM }],
      tools: [],
      messages: [partMessage(prompt, text, part)],
      maxTokens: model.maxOutput,
    };
    sum = add(sum, yield* ask(model, request, signal));
    if (sum.text === undefined) return sum;
    text = sum.text;
  }
  return sum;
}

function add(sum: Summed, one: Summed): Summed {
  return { ...one, usage: sumOf(sum.usage, one.usage), requests: sum.requests + one.requests };
}

/** One request; what the person sees of it is that it is repeated. */
async function* ask(model: Model, request: ModelRequest, signal: AbortSignal): AsyncGenerator<SessionEvent, Summed> {
  let usage: Usage = NO_USAGE;
  for await (const event of model.stream(request, signal)) {
    if (event.type === "retrying") {
      usage = sumOf(usage, event.usage ?? NO_USAGE);
      const { attempt, of, inMs, reason } = event;
      yield { type: "request.retrying", attempt, of, inMs, reason };
    }
    if (event.type === "reply" || event.type === "failed") return ended(event, usage);
  }
  return { failed: NOTHING, usage, requests: 1 };
}

function ended(event: Extract<ModelEvent, { type: "reply" | "failed" }>, before: Usage): Summed {
  const usage = sumOf(before, event.usage);
  if (event.type === "failed") return { failed: event.message, usage, requests: 1 };
  const text = textOf(event.blocks.filter((block) => block.type === "text")).trim();
  if (event.stopReason === "refusal") return { failed: "the model declined", usage, requests: 1 };
  if (event.stopReason === "model_context_window_exceeded" && text === "")
    return { failed: "prompt is too long", usage, requests: 1 };
  return text === "" ? { failed: NOTHING, usage, requests: 1 } : { text, usage, requests: 1 };
}
