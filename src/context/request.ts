import { text } from "../events/block.ts";
import { isBlank } from "../events/message-blocks.ts";
import { isPause, toMessages } from "../events/messages.ts";
import type { SessionState } from "../events/state.ts";
import { withoutHalves } from "../util/halves.ts";
import type { Model, ModelRequest, ToolSpec } from "../model/model.ts";
import type { Tool } from "../tools/tool.ts";
import { inputSchema } from "./input-schema.ts";
import { systemPrompt } from "./system.ts";

/** Tools as the model is told of them, sorted by name so that the prefix never changes (C1). */
export function toolSpecs(tools: readonly Tool[]): ToolSpec[] {
  return tools
    .map(({ name, description, input }) => ({ name, description, input_schema: inputSchema(input) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The next request out of the fold; the only place where one is built. */
export function buildRequest(
  state: SessionState,
  model: Model,
  parts: { specs: readonly ToolSpec[]; base?: string; append?: string; effort?: ModelRequest["effort"] | undefined },
): ModelRequest {
  const append = withoutHalves(parts.append ?? "");
  const base = withoutHalves(parts.base ?? "");
  const first = isBlank(base) ? systemPrompt() : [{ text: base }];
  const system = isBlank(append) ? first : [...first, { text: append }];
  return {
    system,
    tools: parts.specs,
    messages: answerable(state),
    maxTokens: model.maxOutput,
    ...(parts.effort === undefined ? {} : { effort: parts.effort }),
  };
}

/** Whether the API can answer: the person or a result has the last word, or the model paused. */
export function isAnswerable(state: SessionState, messages: readonly { role: string }[]): boolean {
  return messages.length > 0 && (messages.at(-1)?.role === "user" || isPause(state.items.at(-1), state.mended));
}

/** The loop sees to it that a conversation can be answered, with a fact; this holds whatever the history. */
function answerable(state: SessionState): ModelRequest["messages"] {
  const messages = toMessages(state);
  return isAnswerable(state, messages)
    ? messages
    : [...messages, { role: "user", content: [text("(Nothing was said. Go on.)")] }];
}
