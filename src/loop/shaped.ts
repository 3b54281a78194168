import { homeWritten } from "../sandbox/home-written.ts";
import { commandFolder } from "../tools/bash.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { pathIn, rootOf } from "../workspace/roots.ts";
import { listedFolder } from "../workspace/regenerable.ts";
import { isCommand } from "./command-of.ts";

/** Variables that say how output looks, in which language and at which hour, and steer no program further. */
const LOOKS = /^(CI|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TZ|LANG|LC_[A-Z]+)$/;
const MAX_NAMES = 3;

/**
 * What earlier commands of the session, which nobody had to allow, made of a command's words: the variables that it starts with, its
 * HOME, the folder that it runs in. Each as the end of a sentence; empty: the words mean what they meant at the session's start.
 */
export async function shapedBy({ rules }: Tool, input: unknown, ctx: ToolContext): Promise<string[]> {
  // Outside of the copy it starts with nothing of theirs.
  if (rules !== "command" || !isCommand(input) || ("unsandboxed" in input && input.unsandboxed === true)) return [];
  const { cwd, set = [] } = ctx.state().shell;
  const names = set.filter((name) => !LOOKS.test(name));
  const written = ctx.sandbox.home === undefined ? [] : homeWritten(ctx.sandbox.home);
  const folder = input.cwd === undefined ? cwd : ((await commandFolder(input.cwd, ctx)) ?? cwd);
  return [
    ...(names.length === 0 ? [] : [`an earlier command set ${list(names)}`]),
    ...(written.length === 0 ? [] : [`an earlier command wrote ${written.join(", ")}`]),
    ...(isFilledByCommands(folder, ctx) ? ["it runs in a folder that commands fill unasked"] : []),
  ];
}

/** Outside of the roots, or output of theirs that stays in the copy. */
function isFilledByCommands(folder: string, { roots }: ToolContext): boolean {
  const n = rootOf(roots, folder);
  const root = roots[n];
  return root === undefined || listedFolder(pathIn(root.path, folder), true) !== undefined;
}

function list(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
