import type { Effect } from "../events/effect.ts";
import type { Question } from "../permissions/asker.ts";
import { commandFolder } from "../tools/bash.ts";
import type { ToolContext } from "../tools/tool.ts";
import { leaves } from "./leaves.ts";

type Command = NonNullable<Question["command"]>;

/** Whether a call's input is a command's. */
export function isCommand(input: unknown): input is { command: string; cwd?: string } {
  return typeof input === "object" && input !== null && "command" in input && typeof input.command === "string";
}

/**
 * A command's text and folder, for the question; where it would leave the copy also what earlier commands exported, which nobody was
 * asked about and which decides what the words mean.
 */
export async function commandOf(
  input: unknown,
  ctx: ToolContext,
  effect: Pick<Effect, "needs">,
): Promise<{ command?: Command }> {
  if (!isCommand(input)) return {};
  const { cwd, env } = ctx.state().shell;
  const exported = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const told = exported.length > 0 && effect.needs.some(leaves);
  const folder = input.cwd === undefined ? cwd : ((await commandFolder(input.cwd, ctx)) ?? input.cwd);
  return { command: { text: input.command, cwd: folder, ...(told ? { exported: exported.toSorted() } : {}) } };
}
