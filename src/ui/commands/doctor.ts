import { cleanRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import type { Command } from "./command.ts";
import { read, tell } from "./tell.ts";

/** What this machine offers and what is missing: names and what there is to say of them. Asks the machine anew. */
export type Doctor = () => Promise<readonly (readonly [string, string])[]>;

export const doctorCommand: Command = {
  name: "doctor",
  text: "What this machine offers: the copy, search, keys, services, terminal",
  always: true,
  run: async (_args, context) => {
    if (context.doctor === undefined) return tell(context, "Not here: run agent doctor.", "error");
    const rows = await context.doctor();
    await read(context, "doctor", (width) => rows.flatMap(([name, words]) => rowOf(name, words, width)));
  },
};

function rowOf(name: string, words: string, width: number): Line[] {
  const label = width < 40 ? `${name} ` : name.padEnd(12);
  const rest = line(" ".repeat(width < 40 ? 2 : 12));
  return wrap([{ text: label, style: "accent" }, { text: cleanRow(words) }], { width, rest });
}
