import type { GrepInput } from "./grep.ts";
import { asData } from "./as-data.ts";
import { oneLine } from "./paths.ts";
import type { FileHits } from "./search.ts";

/** Letters of one result. */
const MOST_LETTERS = 30_000;

/** What the model reads: results grouped by file, bounded, and what was left out. Files are sorted and named as shown. */
export function showGrep(
  files: readonly FileHits[],
  input: GrepInput,
  maxMatches: number,
  stopped: string | undefined,
): string {
  const limit = input.head_limit ?? maxMatches;
  const text = files.filter((file) => !file.binary);
  const binary = files.filter((file) => file.binary);
  const notes =
    binary.length === 0
      ? []
      : [
          `Binary, not shown: ${binary
            .slice(0, 10)
            .map((f) => oneLine(f.file))
            .join(", ")}${binary.length > 10 ? ", …" : ""}.`,
        ];
  if (stopped !== undefined) notes.push(`The search was ${stopped}: narrow pattern, path or glob.`);
  if (text.length === 0) return [`No matches for ${shownPattern(input.pattern)}.`, ...notes].join("\n");
  const mode = input.output_mode ?? "content";
  const body = mode === "content" ? content(text, limit) : names(text, limit, mode === "count");
  return asData([...body, ...(notes.length === 0 ? [] : ["", ...notes])].join("\n"));
}

/** As it was searched, so that a backslash isn't taken for two. */
function shownPattern(pattern: string): string {
  return /\p{Cc}/u.test(pattern) ? JSON.stringify(pattern) : `"${pattern}"`;
}

function countOf(file: FileHits): number {
  return file.lines.filter((line) => line.isMatch).length;
}

function names(files: readonly FileHits[], limit: number, withCount: boolean): string[] {
  const out = files.slice(0, limit).map((f) => oneLine(f.file) + (withCount ? `:${countOf(f)}` : ""));
  const shown = fitting(out);
  const total = files.reduce((sum, file) => sum + countOf(file), 0);
  if (shown.length < files.length) {
    const whole = withCount ? ` with ${say(total, "match", "matches")} in all` : "";
    return [
      ...shown,
      "",
      `${shown.length} of ${files.length.toLocaleString("en")} files shown${whole}. Narrow pattern, path or glob, or raise head_limit.`,
    ];
  }
  return withCount && files.length > 1
    ? [...shown, "", `${say(total, "match", "matches")} in ${say(files.length, "file", "files")}.`]
    : shown;
}

/** As many lines as the result may hold. */
function fitting(lines: readonly string[]): string[] {
  let room = MOST_LETTERS;
  const out: string[] = [];
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) break;
    out.push(line);
  }
  return out;
}

function content(files: readonly FileHits[], limit: number): string[] {
  const out: string[] = [];
  let [shown, room] = [0, MOST_LETTERS];
  for (const file of files) {
    if (shown >= limit || room <= 0) break;
    out.push(...(out.length === 0 ? [] : [""]), oneLine(file.file));
    let before: number | undefined;
    for (const line of file.lines) {
      if (room <= 0 || (line.isMatch && shown >= limit)) break;
      if (before !== undefined && line.n > before + 1 && file.lines.some((l) => !l.isMatch)) out.push("--");
      before = line.n;
      const words = `${line.n}${line.isMatch ? ":" : "-"}${line.text}`;
      out.push(words);
      room -= words.length + 1;
      if (line.isMatch) shown++;
    }
  }
  const total = files.reduce((sum, file) => sum + countOf(file), 0);
  if (shown >= total) return out;
  const all = `${total.toLocaleString("en")} matching lines in ${say(files.length, "file", "files")}`;
  return [
    ...out,
    "",
    `${shown} of ${all} shown. Narrow pattern, path or glob, raise head_limit, or use output_mode "count".`,
  ];
}

function say(n: number, one: string, many: string): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
