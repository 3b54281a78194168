import type { PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { ContentBlock } from "../events/block.ts";
import type { LogEventOf, Todo } from "../events/event.ts";
import { sanitize } from "../util/visible.ts";

const STATES: Readonly<Record<Todo["status"], PlanEntry["status"]>> = {
  pending: "pending",
  active: "in_progress",
  done: "completed",
};
/** Of one result; what is longer the model reads in a file, and the editor shows its beginning. */
const MOST_TEXT = 20_000;

/** The todo list as an editor's plan. */
export function planOf(todos: readonly Todo[]): SessionUpdate {
  const entries = todos.map(({ text, status }): PlanEntry => ({
    content: sanitize(text),
    priority: "medium",
    status: STATES[status],
  }));
  return { sessionUpdate: "plan", entries };
}

export function chunk(
  kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate: kind, content: { type: "text", text } };
}

/** A text of ours below a call. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Words of the program's own within the conversation: set off, since no model said them. */
export function ownWords(words: string): string {
  return `\n\n${sanitize(words)
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n")}\n\n`;
}

/** What a call came to. `diffs`: of what it changed. */
export function finished(
  { status, content }: Pick<LogEventOf<"call.finished">, "status" | "content">,
  toolCallId: string,
  diffs: readonly ToolCallContent[],
): SessionUpdate {
  const texts = content.map(shownBlock).filter((one) => one !== undefined);
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: status === "ok" ? "completed" : "failed",
    content: [...diffs, ...texts],
  };
}

function shownBlock(block: ContentBlock): ToolCallContent | undefined {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? undefined : textContent(cut(sanitize(block.text)));
    case "image":
      return {
        type: "content",
        content: { type: "image", data: block.source.data, mimeType: block.source.media_type },
      };
    case "document":
      return textContent("(a document)");
  }
}

function cut(text: string): string {
  if (text.length <= MOST_TEXT) return text;
  return `${text.slice(0, MOST_TEXT)}\n… ${text.length - MOST_TEXT} more letters, which the model has`;
}
