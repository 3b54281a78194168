import type { Effect } from "../events/effect.ts";
import type { Question } from "../permissions/asker.ts";
import { commandFolder, outsideShell } from "../tools/bash.ts";
import type { ToolContext } from "../tools/tool.ts";
import { leaves } from "./leaves.ts";

type Command = NonNullable<Question["command"]>;

/** Whether a call's input is a command's. */
export function isCommand(input: unknown): input is { command: string; cwd?: string } {
  return typeof input === "object" && input !== null && "command" in input && typeof input.command === "string";
}

/** Whether a call's input names a background shell, whose command it is about. */
function isShell(input: unknown): input is { shell_id: string } {
  return typeof input === "object" && input !== null && "shell_id" in input && typeof input.shell_id === "string";
}

/** Whether a call's words are worth reading although its changes did not land: they are what a command said. */
export function hasOutput(input: unknown): boolean {
  return isCommand(input) || isShell(input);
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
  // Another program's tool may have a field of that name, which is no command; its whole input is the subject.
  if (effect.needs.some((need) => need.kind === "mcp")) return {};
  if (isShell(input)) {
    const group = ctx.state().groups.find((g) => g.groupId === input.shell_id);
    return group === undefined ? {} : { command: { text: group.command, cwd: group.cwd } };
  }
  if (!isCommand(input)) return {};
  const { cwd, env } = ctx.state().shell;
  const folder = input.cwd === undefined ? cwd : ((await commandFolder(input.cwd, ctx)) ?? input.cwd);
  if (ctx.sandbox.contained && effect.needs.some((need) => need.kind === "unsandboxed"))
    return { command: { text: input.command, cwd: outsideShell(folder, ctx).cwd } };
  const exported = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const told = exported.length > 0 && effect.needs.some(leaves);
  return { command: { text: input.command, cwd: folder, ...(told ? { exported: exported.toSorted() } : {}) } };
}
