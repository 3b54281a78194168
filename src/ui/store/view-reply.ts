import type { ReplyBlock } from "../../events/block.ts";
import type { LogEventOf, Usage } from "../../events/event.ts";
import { NO_USAGE, promptTokens, sumOf } from "../../events/usage.ts";
import { KEPT } from "../../util/words.ts";
import type { Entry } from "./entry.ts";
import { endStream, feedStream, NO_STREAM, type Block } from "./stream.ts";
import { asked } from "./view-calls.ts";
import { NO_REPLY, type View, type ViewStep } from "./view.ts";

function markdownEntry(block: Block): Entry[] {
  return block.raw.trim() === "" ? [] : [{ kind: "markdown", ...block }];
}

function commit(view: View, blocks: readonly Block[]): ViewStep {
  const committed = view.committed + blocks.map((b) => b.raw).join("");
  return { view: { ...view, committed }, entries: blocks.flatMap(markdownEntry) };
}

/** Text of the reply as it streams: finished blocks go to the transcript, the open one is the tail. */
export function textDelta(before: View, text: string): ViewStep {
  const { view, entries } = endThinking(before);
  const { stream, blocks } = feedStream(view.stream, text);
  const step = commit({ ...view, stream, typed: view.typed + text.length, phase: "writing" }, blocks);
  return { view: step.view, entries: [...entries, ...step.entries] };
}

export function thinkingDelta(before: View, text: string): ViewStep {
  const { view, entries } = endText(before);
  const thinkingAt = view.thinking === "" ? view.lastSignAt : view.thinkingAt;
  return { view: { ...view, thinking: view.thinking + text, thinkingAt, phase: "thinking" }, entries };
}

/** A call's input streams: what came before it is finished. */
export function inputDelta(before: View, json: string): ViewStep {
  const thought = endThinking(before);
  const { view, entries } = endText(thought.view);
  return { view: { ...view, typed: view.typed + json.length }, entries: [...thought.entries, ...entries] };
}

function endText(view: View): ViewStep {
  return commit({ ...view, stream: NO_STREAM }, endStream(view.stream));
}

function endThinking(view: View): ViewStep {
  if (view.thinking === "") return { view, entries: [] };
  const entry: Entry = { kind: "thinking", text: view.thinking, ms: Math.max(0, view.lastSignAt - view.thinkingAt) };
  return { view: { ...view, thinking: "", thinkingAt: 0, thoughts: view.thoughts + 1 }, entries: [entry] };
}

/** The sums by model after some more tokens. */
export function spent(sums: View["usage"], model: string, usage: Usage, replies: number): View["usage"] {
  const before = sums.get(model);
  const sum = { ...sumOf(before ?? NO_USAGE, usage), replies: (before?.replies ?? 0) + replies };
  return new Map(sums).set(model, sum);
}

/** The reply is whole, or what there is of it: the rest of its text goes to the transcript, its calls wait. */
export function replied(before: View, event: LogEventOf<"reply.completed"> | LogEventOf<"reply.cut">): ViewStep {
  const { usage } = event;
  const request = promptTokens(usage);
  const rest = restOfReply(before, event.blocks);
  const brokeOff = event.type === "reply.completed" ? event.brokeOff : undefined;
  const entries: Entry[] = brokeOff === undefined ? rest : [...rest, { kind: "notice", text: `${brokeOff} ${KEPT}` }];
  const cut = event.type === "reply.cut";
  const view: View = {
    ...before,
    ...NO_REPLY,
    phase: "running",
    retry: undefined,
    usage: spent(before.usage, event.model, usage, 1),
    contextTokens: request + usage.output > 0 ? request + usage.output : before.contextTokens,
    up: before.up + request,
    down: before.down + usage.output,
    running: cut ? [] : event.blocks.flatMap((b) => (b.type === "tool_use" ? [asked(b)] : [])),
  };
  return { view, entries: cut ? [...entries, { kind: "fact", event }] : entries };
}

/** Entries for what of a reply is not in the transcript yet, in the order of its blocks. */
function restOfReply(view: View, blocks: readonly ReplyBlock[]): Entry[] {
  const whole = blocks.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("");
  let skip = whole.startsWith(view.committed) ? view.committed.length : 0;
  let thoughts = view.thoughts;
  const open = view.stream.lines.join("") + view.stream.rest;
  return blocks.flatMap((block) => {
    if (block.type === "thinking") {
      return thoughts-- > 0 || block.thinking === "" ? [] : [{ kind: "thinking", text: block.thinking }];
    }
    if (block.type !== "text") return [];
    const rest = block.text.slice(skip);
    const goesOn = skip > 0 && rest !== "" && rest === open;
    skip = Math.max(0, skip - block.text.length);
    // The stream knows that the rest goes on with a block that is half printed.
    return goesOn ? endStream(view.stream).flatMap(markdownEntry) : split(rest);
  });
}

function split(text: string): Entry[] {
  const { stream, blocks } = feedStream(NO_STREAM, text);
  return [...blocks, ...endStream(stream)].flatMap(markdownEntry);
}
