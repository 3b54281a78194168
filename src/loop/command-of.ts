import type { ToolContext } from "../tools/tool.ts";

/** A command's text and folder, for the question. */
export function commandOf(input: unknown, ctx: ToolContext): { command?: { text: string; cwd: string } } {
  if (typeof input !== "object" || input === null || !("command" in input) || typeof input.command !== "string")
    return {};
  return { command: { text: input.command, cwd: ctx.state().shell.cwd } };
}
