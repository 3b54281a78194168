import type { FileDiff, Hunk } from "../../workspace/workspace.ts";
import { clean, cleanRow, exact } from "./clean.ts";
import { line, type Line, type Span, wrap } from "./spans.ts";
import { wordChanges } from "./words.ts";

export interface DiffOptions {
  width: number;
  /** Rows a hunk may take; what is cut is counted (T-2). 0: no cap. */
  cap?: number;
  /** Hidden characters are written out instead of dropped: for questions (P-2). */
  exact?: boolean;
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
  return diff.hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [line(`${" ".repeat(digits)} ⋯`, "dim")]),
    ...capped(hunkLines(hunk, digits, options), options.cap ?? 0, options.width),
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
function numberWidth(hunks: readonly Hunk[]): number {
  if (hunks.every((hunk) => hunk.oldStart === 0 && hunk.newStart === 0)) return 0;
  const last = hunks.at(-1);
  if (last === undefined) return 1;
  return String(Math.max(last.oldStart, last.newStart) + last.lines.length).length;
}

function capped(rows: Line[], cap: number, width: number): Line[] {
  if (cap <= 0 || rows.length <= cap) return rows;
  return [...rows.slice(0, cap), ...wrap(line(`+ ${rows.length - cap} rows of this part`, "dim"), { width })];
}

interface Numbered {
  sign: " " | "+" | "-" | "\\";
  number: number;
  text: string;
}

function hunkLines(hunk: Hunk, digits: number, options: DiffOptions): Line[] {
  const lines = numbered(hunk, options.exact === true ? exactLine : clean);
  const rows: Line[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    const block = removed.length + added.length;
    const plain = lines[at];
    if (block === 0 && plain !== undefined) rows.push(...lineRows(plain, [{ text: plain.text }], digits, options));
    else rows.push(...blockRows(removed, added, digits, options));
    at += Math.max(1, block);
  }
  return rows;
}

/** A tab is no hidden character in a file's text; anything else that can't be seen is written out. */
function exactLine(text: string): string {
  return text.split("\t").map(exact).join("→   ");
}

function numbered(hunk: Hunk, show: (text: string) => string): Numbered[] {
  let [before, after] = [hunk.oldStart, hunk.newStart];
  return hunk.lines.map((raw) => {
    const sign = raw[0] === "+" || raw[0] === "-" || raw[0] === "\\" ? raw[0] : " ";
    const number = sign === "-" ? before : after;
    if (sign === "-" || sign === " ") before++;
    if (sign === "+" || sign === " ") after++;
    return { sign, number, text: show(raw.slice(1)).replaceAll("\n", "⏎") };
  });
}

function run(lines: readonly Numbered[], from: number, sign: string): Numbered[] {
  let to = from;
  while (lines[to]?.sign === sign) to++;
  return lines.slice(from, to);
}

/** Lines that were replaced one by one are compared word by word. */
function blockRows(
  removed: readonly Numbered[],
  added: readonly Numbered[],
  digits: number,
  options: DiffOptions,
): Line[] {
  const paired = removed.length === added.length;
  const words = removed.map((before, at) => wordChanges(before.text, added[at]?.text ?? ""));
  const old = removed.map((l, at) => (paired ? (words[at]?.before ?? []) : line(l.text, "removed")));
  const now = added.map((l, at) => (paired ? (words[at]?.after ?? []) : line(l.text, "added")));
  return [
    ...removed.flatMap((l, at) => lineRows(l, old[at] ?? [], digits, options)),
    ...added.flatMap((l, at) => lineRows(l, now[at] ?? [], digits, options)),
  ];
}

function lineRows(of: Numbered, text: Line, digits: number, { width }: DiffOptions): Line[] {
  if (of.sign === "\\") return wrap(line(`${" ".repeat(digits)} \\${of.text}`, "dim"), { width });
  const style = of.sign === "+" ? "added" : of.sign === "-" ? "removed" : undefined;
  const sign = of.sign === "-" ? "−" : of.sign;
  const first: Line = [
    ...(digits === 0 ? [] : [{ text: `${String(of.number).padStart(digits)} `, style: "dim" as const }]),
    { text: `${sign} `, style },
  ];
  return wrap(text, { width, first, rest: line(" ".repeat(digits === 0 ? 2 : digits + 3)), hard: true });
}
