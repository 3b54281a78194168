import type { FileDiff, Hunk } from "../../workspace/workspace.ts";
import { clean, cleanRow, exact } from "./clean.ts";
import { highlight, langOf } from "./highlight.ts";
import { line, type Line, type Span, textOfLine, wrap } from "./spans.ts";
import { wordChanges } from "./words.ts";

export interface DiffOptions {
  width: number;
  /** Rows a hunk may take; what is cut is counted (T-2). 0: no cap. */
  cap?: number;
  /** Said behind the count of what was cut: how to see it. */
  where?: string;
  /** Hidden characters are written out instead of dropped: for questions (P-2). */
  exact?: boolean;
  /** Language of the file, for its colours. */
  lang?: string | undefined;
}
/** Rows of one hunk in the transcript. */
export const HUNK_CAP = 80;

const VERBS = {
  create: "new file",
  modify: "",
  delete: "deleted",
  rename: "renamed",
  chmod: "mode",
  link: "link",
  type: "replaced",
} as const;

/** `src/a.ts +12 −3`, with what else is to say about the change. */
export function diffHead(diff: FileDiff): Line {
  const verb = VERBS[diff.op];
  const path = diff.from === undefined ? exact(diff.path) : `${exact(diff.from)} → ${exact(diff.path)}`;
  const danger = diff.op === "delete" || diff.op === "type";
  return [
    { text: path.replaceAll("\n", "\\u{a}"), style: "bold" },
    ...(verb === "" ? [] : [{ text: ` ${verb}`, style: danger ? ("removed" as const) : ("dim" as const) }]),
    ...counts(diff.added, diff.removed),
    ...modes(diff),
  ];
}

/** ` +12 −3`; nothing for a change without lines. */
export function counts(added: number, removed: number): Span[] {
  return [
    ...(added > 0 ? [{ text: ` +${added}`, style: "added" as const }] : []),
    ...(removed > 0 ? [{ text: ` −${removed}`, style: "removed" as const }] : []),
  ];
}

function modes(diff: FileDiff): Span[] {
  const [before, after] = [diff.before?.mode, diff.after?.mode];
  if (before === undefined || after === undefined || (before & 0o7777) === (after & 0o7777)) return [];
  return [{ text: ` mode ${octal(before)} → ${octal(after)}`, style: "warning" }];
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

/** The lines of one file's diff: numbers, signs, words that changed; or why it is not shown (P5). */
export function diffBody(diff: FileDiff, options: DiffOptions): Line[] {
  if (diff.hidden !== undefined) return wrap(line(hiddenText(diff), "warning"), { width: options.width });
  const digits = numberWidth(diff.hunks);
  const own = { lang: langOf(diff.path), ...options };
  return diff.hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [line(`${" ".repeat(digits)} ⋯`, "dim")]),
    ...capped(hunkLines(hunk, digits, own), own),
  ]);
}

/** Head and body of every file, a blank row between. */
export function diffLines(diffs: readonly FileDiff[], options: DiffOptions): Line[] {
  return diffs.flatMap((diff, at) => [
    ...(at === 0 ? [] : [[]]),
    ...wrap(diffHead(diff), { width: options.width, rest: line("  ") }),
    ...diffBody(diff, options),
  ]);
}

function hiddenText(diff: FileDiff): string {
  const side = (name: string, facts: FileDiff["after"]) =>
    facts === undefined
      ? []
      : [`${name} ${facts.size} bytes${facts.hash === undefined ? "" : ` sha256 ${facts.hash.slice(0, 16)}`}`];
  return [cleanRow(diff.hidden ?? ""), ...side("before:", diff.before), ...side("after:", diff.after)].join(" · ");
}

/** 0: the places of the hunks are not known, so no number is shown. */
export function numberWidth(hunks: readonly Hunk[]): number {
  if (hunks.every((hunk) => hunk.oldStart === 0 && hunk.newStart === 0)) return 0;
  const last = hunks.at(-1);
  if (last === undefined) return 1;
  return String(Math.max(last.oldStart, last.newStart) + last.lines.length).length;
}

function capped(rows: Line[], { cap = 0, where = "", width }: DiffOptions): Line[] {
  if (cap <= 0 || rows.length <= cap) return rows;
  return [...rows.slice(0, cap), ...wrap(line(`+ ${rows.length - cap} rows of this part${where}`, "dim"), { width })];
}

/** A line of a hunk: where it was and is, and its text as it looks. */
export interface DiffLine {
  sign: " " | "+" | "-" | "\\";
  old: number;
  now: number;
  text: Line;
}

/** What stays, or lines that took the place of others. */
export type DiffBlock = { same: DiffLine } | { removed: DiffLine[]; added: DiffLine[] };

interface Numbered {
  sign: DiffLine["sign"];
  old: number;
  now: number;
  text: string;
}

function hunkLines(hunk: Hunk, digits: number, options: DiffOptions): Line[] {
  return diffBlocks(hunk, options).flatMap((block) =>
    "same" in block
      ? lineRows(block.same, digits, options.width)
      : [...block.removed, ...block.added].flatMap((of) => lineRows(of, digits, options.width)),
  );
}

/** A hunk's lines: what was replaced one by one is marked word by word, all else has the colours of its language. */
export function diffBlocks(hunk: Hunk, options: Pick<DiffOptions, "exact" | "lang">): DiffBlock[] {
  const lines = numbered(hunk, options.exact === true ? exactLine : clean);
  const coloured = colours(lines, options.lang);
  const blocks: DiffBlock[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    const count = removed.length + added.length;
    const plain = lines[at];
    if (count === 0 && plain !== undefined) blocks.push({ same: { ...plain, text: coloured(plain) } });
    else blocks.push(changed(removed, added, coloured));
    at += Math.max(1, count);
  }
  return blocks;
}

/** The colours of each line but removed ones: of the file as it is now. */
function colours(lines: readonly Numbered[], lang: string | undefined): (of: Numbered) => Line {
  const now = lines.filter(({ sign }) => sign === " " || sign === "+");
  const rows = lang === undefined ? [] : highlight(now.map(({ text }) => text).join("\n"), lang);
  const known = new Map(now.map((of, at) => [of, rows[at]]));
  return (of) => {
    const row = known.get(of);
    // A grammar that gives another text than it got is not to be believed.
    return row !== undefined && row.some((span) => span.style !== undefined) && textOfLine(row) === of.text
      ? row
      : line(of.text, of.sign === "+" ? "added" : undefined);
  };
}

/** A tab is no hidden character in a file's text; anything else that can't be seen is written out. */
function exactLine(text: string): string {
  return text.split("\t").map(exact).join("→   ");
}

function numbered(hunk: Hunk, show: (text: string) => string): Numbered[] {
  let [old, now] = [hunk.oldStart, hunk.newStart];
  return hunk.lines.map((raw) => {
    const sign = raw[0] === "+" || raw[0] === "-" || raw[0] === "\\" ? raw[0] : " ";
    const of = { sign, old, now, text: show(raw.slice(1)).replaceAll("\n", "⏎") } as const;
    if (sign === "-" || sign === " ") old++;
    if (sign === "+" || sign === " ") now++;
    return of;
  });
}

function run(lines: readonly Numbered[], from: number, sign: string): Numbered[] {
  let to = from;
  while (lines[to]?.sign === sign) to++;
  return lines.slice(from, to);
}

/** Lines that were replaced one by one are compared word by word. */
function changed(
  removed: readonly Numbered[],
  added: readonly Numbered[],
  coloured: (of: Numbered) => Line,
): { removed: DiffLine[]; added: DiffLine[] } {
  if (removed.length !== added.length)
    return {
      removed: removed.map((of) => ({ ...of, text: line(of.text, "removed") })),
      added: added.map((of) => ({ ...of, text: coloured(of) })),
    };
  const words = removed.map((before, at) => wordChanges(before.text, added[at]?.text ?? ""));
  return {
    removed: removed.map((of, at) => ({ ...of, text: words[at]?.before ?? [] })),
    added: added.map((of, at) => ({ ...of, text: words[at]?.after ?? [] })),
  };
}

function lineRows(of: DiffLine, digits: number, width: number): Line[] {
  if (of.sign === "\\") return wrap(line(`${" ".repeat(digits)} \\${textOfLine(of.text)}`, "dim"), { width });
  const first = lineHead(of, digits, of.sign === "-" ? of.old : of.now);
  return wrap(of.text, { width, first, rest: line(" ".repeat(digits === 0 ? 2 : digits + 3)), hard: true });
}

/** `12 + `: number and sign, so that colour is not the only sign. */
export function lineHead({ sign }: DiffLine, digits: number, number: number): Line {
  const style = sign === "+" ? "added" : sign === "-" ? "removed" : undefined;
  return [
    ...(digits === 0 ? [] : [{ text: `${String(number).padStart(digits)} `, style: "dim" as const }]),
    { text: `${sign === "-" ? "−" : sign} `, style },
  ];
}
