import type { Command } from "commander";

/** What the parser says of a mistake, as the program says everything: who speaks, what is wrong, how it is meant. */
export function usageWords(said: string, command: Command): string {
  const words = said.replace(/^error: /, "").trimEnd();
  const path = pathOf(command);
  const usage = `${path} ${command.usage()}`;
  const missing = /^missing required argument '(.+)'$/.exec(words)?.[1];
  if (missing !== undefined) return `agent: ${missing} is missing: ${usage}\n`;
  const [, more] = /^too many arguments for .*got \d+: (.*)\.$/s.exec(words) ?? [];
  const names = command.commands.map((one) => one.name());
  if (more !== undefined && names.length > 0)
    return `agent: ${JSON.stringify(more.split(",")[0])} is no command of ${path}: there are ${names.join(", ")}\n`;
  if (more !== undefined) return `agent: that is too much for ${path} (${more}): ${usage}\n`;
  return `agent: ${words.replace(/\n\((Did you mean .*)\)$/, ". $1")} (${path} --help)\n`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
