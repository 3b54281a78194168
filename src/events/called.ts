import type { ToolUseBlock } from "./block.ts";

/** The tool that stands for tools of servers, which are too many to be listed in each request (T8). */
export const CALL_TOOL = "CallTool";

/**
 * A call as the program takes it: one of `CallTool` is a call of the tool that it names, for rules, hooks, questions and whoever looks at
 * the session. The reply itself stays as the model gave it.
 */
export function called(block: ToolUseBlock): ToolUseBlock {
  const { name, input } = block.name === CALL_TOOL ? block.input : {};
  if (typeof name !== "string" || !name.startsWith("mcp__")) return block;
  const inner = input ?? {};
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return block;
  return { ...block, name, input: { ...inner } };
}
