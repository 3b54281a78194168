import { Fzf } from "fzf";
import type { Command, Listed } from "./command.ts";
import { promptCommand } from "./mcp.ts";
import { COMMANDS } from "./table.ts";

/** The commands and skills that a draft at column 0 may mean, best first; undefined when it is none being typed (IN-10). */
export function matching(draft: string, skills: readonly Listed[] = []): readonly Listed[] | undefined {
  const typed = /^\/([\w:-]*)$/.exec(draft)?.[1];
  if (typed === undefined) return undefined;
  const all: readonly Listed[] = [...COMMANDS, ...skills.filter(({ name }) => !isBuiltIn(name))];
  if (typed === "") return all;
  const starts = all.filter((one) => one.name.startsWith(typed));
  const found = fuzzy(all.map((one) => one.name)).find(typed);
  const more = found.flatMap(({ item }) => all.filter((one) => one.name === item));
  return [...starts, ...more.filter((one) => !starts.includes(one))];
}

/** `/name rest` to the command of exactly that name; undefined for a text that only begins with a slash, such as a path. */
export function commandIn(draft: string): { command: Command | undefined; name: string; args: string } | undefined {
  const parts = /^\/([\w-]+(?::[\w.-]+)*)(?:\s+([^]*))?$/.exec(draft.trimEnd());
  const name = parts?.[1];
  if (name === undefined) return undefined;
  return { command: commandNamed(name), name, args: (parts?.[2] ?? "").trim() };
}

/** Whether a name is one of the program's own commands: a skill, a file or a server that brings it again is not called by it. */
export function isBuiltIn(name: string): boolean {
  return COMMANDS.some((c) => c.name === name || c.also?.includes(name) === true);
}

/** The command of exactly that name. */
export function commandNamed(name: string): Command | undefined {
  return COMMANDS.find((c) => c.name === name || c.also?.includes(name) === true) ?? promptCommand(name);
}

/** Why typed here: the package's own declarations can't be read by an ESM project. */
interface Finder {
  find(query: string): { item: string }[];
}

/** A fuzzy finder over short names. */
export function fuzzy(names: readonly string[]): Finder {
  return new Fzf([...names]);
}
