import { shellWord } from "../util/shell-word.ts";

/** `` !`command` ``: a command line that runs when the text is used. */
export const SHELL_LINE = /!`([^`\n]+)`/g;
/** `$10` is no parameter, and `$ARGUMENTSX` neither. */
const PARAMETER = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;
/** Signs that no shell reads as more than themselves. */
const PLAIN = /^[\w./:@%+=, -]*$/;

/** Words as a shell would split them: blanks apart, quotes together. */
export function argumentWords(args: string): string[] {
  return [...args.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double?.replaceAll(/\\(.)/g, "$1") ?? single ?? bare ?? "",
  );
}

/** Whether a text says where arguments go. */
export function takesArguments(text: string): boolean {
  return new RegExp(PARAMETER).test(text);
}

/** A text with `$ARGUMENTS` and `$1` to `$9` filled in, in one pass: what they bring is filled in no further. */
export function filled(text: string, args: string): string {
  const words = argumentWords(args);
  return text.replace(PARAMETER, (_whole, n?: string) =>
    n === undefined ? args.trim() : (words[Number(n) - 1] ?? ""),
  );
}

/** A command line with its arguments: as text where they are plain words, else as the shell's own parameters, so that none of them is read as shell. */
export function filledLine(line: string, args: string): string {
  if (!takesArguments(line)) return line;
  if (PLAIN.test(args)) return filled(line, args);
  const words = argumentWords(args).map(shellWord).join(" ");
  return `set -- ${words}; ARGUMENTS=${shellWord(args.trim())}; ${line}`;
}
