import { OVERVIEW, type Result } from "./demo-talk.ts";

export interface Found {
  file: string;
  line: number;
  text: string;
}

const MOST_ITEMS = 200;
const MOST_LETTERS = 160;

/** The files that a Glob result names, and how many there are in all. */
export function filesIn({ text, failed }: Result): { files: string[]; total: number } {
  if (failed || text.startsWith("No files match")) return { files: [], total: 0 };
  const [list = ""] = text.split("\n\n");
  const files = list.split("\n").filter((line) => line !== "");
  const more = / of ([\d,]+) files shown/.exec(text)?.[1];
  return { files, total: more === undefined ? files.length : Number(more.replaceAll(",", "")) };
}

/** The lines that a Grep result shows, grouped as they are by file. The overview itself doesn't count. */
export function todosIn({ text, failed }: Result): Found[] {
  if (failed) return [];
  const lines = text.split("\n");
  let file: string | undefined;
  return lines.flatMap((line, i) => {
    const hit = /^(\d+):(.*)$/.exec(line);
    if (hit === null) {
      file = /^\d+:/.test(lines[i + 1] ?? "") ? line : undefined;
      return [];
    }
    return file === undefined || file === OVERVIEW ? [] : [{ file, line: Number(hit[1]), text: hit[2] ?? "" }];
  });
}

/** The file with the most lines found, the first by name where several have as many. */
export function fullest(found: readonly Found[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { file } of found) counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

/** The one file that the tour proposes. */
export function overview(found: readonly Found[], notes: number): string {
  const head = ["# TODO overview", ""];
  if (found.length === 0) return [...head, `No TODO was found (${several(notes, "note")} looked at).`, ""].join("\n");
  const out = [...head, `${several(found.length, "TODO")} in ${several(fileCount(found), "file")}.`];
  let file = "";
  for (const item of found.slice(0, MOST_ITEMS)) {
    if (item.file !== file) out.push("", `## ${item.file}`, "");
    file = item.file;
    out.push(`- [ ] line ${item.line}: ${plain(item.text)}`);
  }
  if (found.length > MOST_ITEMS) out.push("", `And ${found.length - MOST_ITEMS} more.`);
  return [...out, ""].join("\n");
}

export function fileCount(found: readonly Found[]): number {
  return new Set(found.map((f) => f.file)).size;
}

export function several(n: number, one: string): string {
  return `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
}

/** A line without what marked it as an item. */
function plain(text: string): string {
  const words = text
    .trim()
    .replace(/^(?:[-*+>#]\s*)*(?:\[[ xX]?\]\s*)?/, "")
    .replace(/^\**TODO\**:?\**\s*/, "");
  const kept = words === "" ? text.trim() : words;
  return kept.length > MOST_LETTERS ? `${kept.slice(0, MOST_LETTERS).toWellFormed()}…` : kept;
}
