import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { attachedTo, textOf } from "../events/block.ts";
import type { SessionState } from "../events/state.ts";
import { sanitize } from "../util/visible.ts";
import { toolCall } from "./call.ts";
import { chunk, finished, planOf } from "./updates.ts";

/** A session's conversation as an editor that opens it again is told it, oldest first. Pure. */
export function historyOf(state: SessionState): SessionUpdate[] {
  const said = state.items.flatMap((item): SessionUpdate[] => {
    if (item.kind === "note") return [];
    if (item.kind === "prompt") {
      const words = [textOf(item.content), ...attachedTo(item.content).map((row) => `[${row}]`)];
      return words.filter((text) => text !== "").map((text) => chunk("user_message_chunk", sanitize(text)));
    }
    return item.blocks.flatMap((block): SessionUpdate[] => {
      if (block.type === "text") return block.text === "" ? [] : [chunk("agent_message_chunk", sanitize(block.text))];
      if (block.type === "thinking")
        return block.thinking === "" ? [] : [chunk("agent_thought_chunk", sanitize(block.thinking))];
      return block.type === "tool_use" ? callOf(state, block.id) : [];
    });
  });
  return [...said, ...(state.todos.length === 0 ? [] : [planOf(state.todos)])];
}

function callOf({ calls, folder }: SessionState, id: string): SessionUpdate[] {
  const call = calls.get(id);
  if (call === undefined) return [];
  const { tool, input, result } = call;
  return [
    { sessionUpdate: "tool_call", ...toolCall(id, { tool, input, folder }) },
    ...(result === undefined ? [] : [finished(result, id, [])]),
  ];
}
