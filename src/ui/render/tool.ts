import type { ChangeSummary } from "../../events/effect.ts";
import type { CallStatus } from "../../events/event.ts";
import type { FileDiff } from "../../workspace/workspace.ts";
import type { Style } from "../theme.ts";
import type { RunningCall } from "../store/view.ts";
import { type AgentDetails, agentBody, agentCounts, agentDoing } from "./agent.ts";
import { changeList } from "./changes.ts";
import { clean, cleanRow } from "./clean.ts";
import { counts, diffLines, HUNK_CAP } from "./diff.ts";
import { line, type Line, type Span, truncate, wrap } from "./spans.ts";
import { fileHref } from "../term/links.ts";
import { duration, several } from "./units.ts";

/** A finished call as the transcript shows it. */
export interface Card {
  tool: string;
  input: Readonly<Record<string, unknown>>;
  status: CallStatus;
  /** What went back to the model. */
  text: string;
  durationMs: number;
  /** For paths: shown relative to it. */
  folder: string;
  /** What landed. */
  landed?: ChangeSummary | undefined;
  diffs?: readonly FileDiff[] | undefined;
  /** Exit code of a command, where it is known. */
  exit?: number | null | undefined;
  /** Its changes were not let through. */
  dropped?: boolean | undefined;
  /** Said behind "+ 120 lines": how to see them. */
  more?: string | undefined;
  /** So many keys in its text were replaced by placeholders. */
  keys?: number | undefined;
  /** What it changed waits for the review. */
  pending?: boolean | undefined;
  /** The sub-agent that it started. */
  agent?: AgentDetails | undefined;
  /** What landed was taken back since. */
  undone?: boolean | undefined;
}

const BODY = 5;
const FAILED_BODY = 10;
/** Where all of it can be seen. */
const MORE = " (Ctrl-O)";
/** Lines a body is looked for in; a line of a million letters is cut before it is wrapped (T-8). */
const MAX_COLUMNS = 2000;
const BULLETS: Readonly<Record<CallStatus, { sign: string; style: Style }>> = {
  ok: { sign: "●", style: "ok" },
  error: { sign: "✗", style: "error" },
  denied: { sign: "⊘", style: "warning" },
  interrupted: { sign: "■", style: "warning" },
  unknown: { sign: "?", style: "warning" },
};
const QUIET = new Set(["Read", "Grep", "Glob", "TodoWrite"]);
const SUBJECTS = ["file_path", "command", "pattern", "path", "url", "question", "description", "query", "name"];

/** What a call is about, for people: a path, a command, a pattern. */
export function subjectOf(input: Readonly<Record<string, unknown>>, folder: string): string {
  const key = SUBJECTS.find((name) => typeof input[name] === "string");
  const value = key === undefined ? undefined : input[key];
  if (typeof value !== "string") return "";
  const inside = key === "file_path" || key === "path" ? value.replace(`${folder}/`, "") : value;
  return cleanRow(inside.length > MAX_COLUMNS ? inside.slice(0, MAX_COLUMNS) : inside);
}

/** Where the subject leads, if it is a file that is there. */
function fileOf({ input, folder, status, landed }: Card): string | undefined {
  const path = input["file_path"];
  if (typeof path !== "string" || status !== "ok" || folder === "") return undefined;
  const gone = landed !== undefined && !landed.entries.some(({ op }) => op !== "delete");
  return gone ? undefined : fileHref(path.startsWith("/") ? path : `${folder}/${path}`);
}

/** Head row and body of a finished call (T-1). */
export function cardLines(card: Card, width: number): Line[] {
  return [truncate(cardHead(card), width), ...cardBody(card, width)];
}

function cardHead(card: Card): Line {
  const bullet = BULLETS[card.status];
  const subject = subjectOf(card.input, card.folder);
  const entries = card.landed?.entries ?? [];
  const sum = (key: "added" | "removed") => entries.reduce((n, entry) => n + (entry[key] ?? 0), 0);
  const spans: Span[] = [
    { text: `${bullet.sign} `, style: bullet.style },
    { text: cleanRow(card.agent?.agent ?? card.tool), style: "bold" },
    ...(subject === "" ? [] : [{ text: " " }, { text: subject, href: fileOf(card) }]),
    ...counts(sum("added"), sum("removed")),
    { text: ` · ${wordsFor(card)}${duration(card.durationMs)}`, style: "dim" },
  ];
  return spans;
}

function wordsFor(card: Card): string {
  const words: string[] = card.agent === undefined ? [] : [agentCounts(card.agent)];
  if (card.status === "ok" && QUIET.has(card.tool) && card.tool !== "TodoWrite") words.push(counted(card));
  if (card.status === "denied") words.push("not allowed");
  if (card.status === "interrupted") words.push("stopped");
  if (card.status === "unknown") words.push("outcome unknown");
  if (card.dropped === true && card.status !== "denied") words.push("changes dropped");
  if (card.pending === true) words.push("pending");
  if (card.undone === true) words.push("undone");
  if (card.keys !== undefined) words.push(`${several(card.keys, "key")} hidden`);
  if (typeof card.exit === "number" && card.exit !== 0) words.push(`exit ${card.exit}`);
  const files = card.landed?.files ?? 0;
  if (files > 1) words.push(several(files, "file"));
  return words.map((word) => `${word} · `).join("");
}

function counted(card: Card): string {
  const lines = card.text === "" ? 0 : card.text.trimEnd().split("\n").length;
  return several(lines, card.tool === "Glob" ? "row" : "line");
}

function cardBody(card: Card, width: number): Line[] {
  const inset = width > 12 ? 2 : 0;
  const room = Math.max(1, width - inset);
  const indent = (rows: Line[]) => rows.map((row): Line => (inset === 0 ? row : [{ text: "  " }, ...row]));
  if (card.agent !== undefined && card.status === "ok") return indent(agentBody(card.text, room));
  if (card.tool === "Bash" && card.landed !== undefined) {
    const failed = typeof card.exit === "number" && card.exit !== 0;
    const output = outputRows(card.text, room, failed ? FAILED_BODY : BODY, failed, card.more);
    return indent([...output, ...changeList(card.landed, room, BODY)]);
  }
  if (card.status === "ok" && card.diffs !== undefined && card.diffs.length > 0) {
    const rows = diffLines(card.diffs, { width: room, cap: HUNK_CAP, where: card.more ?? MORE });
    return indent(cap(rows.slice(card.diffs.length === 1 ? 1 : 0), HUNK_CAP + 1, room, card.more));
  }
  if (card.status === "ok" && (QUIET.has(card.tool) || card.landed !== undefined)) return [];
  const failed = card.status === "error" || (typeof card.exit === "number" && card.exit !== 0);
  return indent(outputRows(card.text, room, failed ? FAILED_BODY : BODY, failed, card.more));
}

/** The last rows of an output, with a count of what is above. */
export function outputRows(text: string, width: number, max: number, failed = false, where = MORE): Line[] {
  const all = clean(text.trimEnd()).split("\n");
  const lines = all.length === 1 && all[0] === "" ? [] : all;
  // The count of one hidden line would take that line's own row.
  const room = lines.length === max + 1 ? max + 1 : max;
  const shown = lines.slice(-room);
  const style: Style | undefined = failed ? undefined : "dim";
  const rows = shown.flatMap((row) => wrap(line(cutColumns(row), style), { width, hard: true }));
  const kept = rows.slice(-room);
  const left = leftLines(lines.slice(0, lines.length - shown.length));
  const note = left > 0 ? `+ ${several(left, "line")}${where}` : kept.length < rows.length ? `+ more${where}` : "";
  return note === "" ? kept : [...wrap(line(note, "dim"), { width }), ...kept];
}

/** The sandbox's word for the middle of a long output. */
const GAP = /^\[Lines (\d+) to (\d+) of \d+ left out here\. /;

/** How many lines these stand for: a gap in them counts as what it leaves out. */
function leftLines(rows: readonly string[]): number {
  return rows.reduce((sum, row) => {
    const gap = GAP.exec(row);
    return sum + (gap === null ? 1 : Number(gap[2]) - Number(gap[1]) + 1);
  }, 0);
}

/** A line that no screen could show, cut; what is left away is counted (T-8). */
export function cutColumns(row: string): string {
  return row.length <= MAX_COLUMNS ? row : `${row.slice(0, MAX_COLUMNS)}… + ${row.length - MAX_COLUMNS} columns`;
}

function cap(rows: Line[], max: number, width: number, where = MORE): Line[] {
  if (rows.length <= max) return rows;
  return [...rows.slice(0, max), ...wrap(line(`+ ${several(rows.length - max, "row")}${where}`, "dim"), { width })];
}

/** One row for a call that runs: `○ Bash npm test · 3 s`. */
export function runningLine(
  call: Pick<RunningCall, "tool" | "input" | "agent">,
  folder: string,
  ms: number,
  width: number,
): Line {
  const subject = subjectOf(call.input, folder);
  const at = call.agent === undefined ? undefined : agentDoing(call.agent);
  const time = `${at?.counts ?? ""}${ms >= 2000 ? ` · ${duration(ms)}` : ""}`;
  const head: Line = [
    { text: "○ ", style: "accent" },
    { text: cleanRow(call.agent?.agent ?? call.tool), style: "bold" },
  ];
  const room = Math.max(1, width - time.length);
  const row = truncate(
    [...head, { text: subject === "" ? "" : ` ${subject}` }, ...(at === undefined ? [] : [at.doing])],
    room,
  );
  return truncate([...row, { text: time, style: "dim" }], width);
}
