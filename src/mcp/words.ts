import { sanitize } from "../util/visible.ts";
import { variablesIn, type ServerConfig } from "./config.ts";

const MOST_CHARS = 300;
/** A value shorter than this is no key, and stands in many words by chance. */
const LEAST_HIDDEN = 4;

/** Another's words in a sentence of ours: clean, in one line, in quotation marks, and without a bracket that could end a note. */
export function theirWords(words: string, most = MOST_CHARS): string {
  const clean = sanitize(words.slice(0, most * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = clean.length > most ? `${clean.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : clean;
  return JSON.stringify(cut).replaceAll("<", "\\u003c");
}

/** Puts `${NAME}` back in the place of what it stood for in a server's settings, however an error writes it. */
export function maskOf(
  { run }: Pick<ServerConfig, "run">,
  env: Readonly<Record<string, string | undefined>>,
): (words: string) => string {
  const { given, withheld } = variablesIn(JSON.stringify(run));
  const pairs = [...given, ...withheld].flatMap((name): [value: string, instead: string][] => {
    const value = env[name] ?? "";
    const lines = value.split(/[\r\n]+/).map((line) => line.trim());
    const forms = [value, ...lines].flatMap((form) => [form, encoded(form), JSON.stringify(form).slice(1, -1)]);
    return [...new Set(forms)].filter(({ length }) => length >= LEAST_HIDDEN).map((form) => [form, `\${${name}}`]);
  });
  const longestFirst = pairs.toSorted(([a], [b]) => b.length - a.length);
  return (words) => longestFirst.reduce((text, [value, instead]) => text.replaceAll(value, () => instead), words);
}

function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
