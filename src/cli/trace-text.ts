import { filesText } from "../session/trace-calls.ts";
import type { CallRow, TotalRow, TraceRow, TraceVerdict, TurnRow } from "../session/trace.ts";
import { truncateStyled, wrapStyled } from "../ui/term/width.ts";
import { assertNever } from "../util/never.ts";
import { sanitize } from "../util/visible.ts";

const COLUMNS = 80;

/** `stable`: without what differs between two runs of the same session, that is times, ids, folders and notes to the model. */
export interface TraceTextOptions {
  stable?: boolean;
}

/** The table of a trace as lines of at most 80 columns, safe for a terminal. Reasons are wrapped, inputs and texts are cut. */
export function traceLines(rows: readonly TraceRow[], { stable = false }: TraceTextOptions = {}): string[] {
  const at = { stable };
  const body = rows.flatMap((row) => linesOf(row, at));
  return [columnsOf(HEAD, at, "the model"), ...body].map((line) => line.trimEnd());
}

interface At {
  stable: boolean;
}

interface Cells {
  turn: string;
  context: string;
  read: string;
  written: string;
  out: string;
  cost: string;
  time: string;
}

const HEAD: Cells = {
  turn: "turn",
  context: "context",
  read: "cached",
  written: "written",
  out: "out",
  cost: "cost",
  time: "time",
};

function columnsOf(c: Cells, { stable }: At, rest: string): string {
  const time = stable ? "" : c.time.padStart(9);
  const left = `${c.turn.padStart(4)}${c.context.padStart(10)}${c.read.padStart(9)}${c.written.padStart(9)}${c.out.padStart(8)}${c.cost.padStart(9)}${time}`;
  return oneLine(`${left}  ${rest}`, 0);
}

function linesOf(row: TraceRow, at: At): string[] {
  switch (row.kind) {
    case "session":
      return at.stable ? [] : wrapped(`session ${row.id} in ${row.folder}, mode ${row.mode}, model ${row.model}`, 0);
    case "prompt":
      return ["", oneLine(`${row.when === "start" ? ">" : "> meanwhile:"} ${row.text}`, 0)];
    case "turn":
      return turnLines(row, at);
    case "call":
      return callLines(row, at);
    case "fact":
      return at.stable && row.type === "note.added" ? [] : [oneLine(`- ${row.text}`, 2)];
    case "end":
      return endLines(row, at);
    case "total":
      return totalLines(row, at);
    default:
      return assertNever(row);
  }
}

function turnLines(row: TurnRow, at: At): string[] {
  const says = row.text === "" ? [] : [oneLine(`"${row.text}"`, 4)];
  return [columnsOf({ ...cellsOf(row), turn: String(row.turn) }, at, decision(row)), ...says];
}

function cellsOf(row: Omit<TurnRow | TotalRow, "kind">): Omit<Cells, "turn"> {
  return {
    context: number(row.context),
    read: number(row.cacheRead),
    written: number(row.cacheWrite),
    out: number(row.output),
    cost: row.usd === undefined ? "?" : row.usd === 0 ? "0" : `$${row.usd.toFixed(4)}`,
    time: seconds(row.ms),
  };
}

/** What the model decided: text, calls, both or nothing; any end but the two usual ones is named. */
function decision(row: TurnRow): string {
  const calls = row.calls.length === 0 ? [] : [row.calls.length === 1 ? "1 call" : `${row.calls.length} calls`];
  const what = [...(row.chars > 0 ? ["text"] : []), ...calls].join(", ") || "nothing";
  if (row.cut !== undefined) return `${what}, ${row.stop}: ${row.cut}`;
  return row.stop === "end_turn" || row.stop === "tool_use" ? what : `${what} (${row.stop})`;
}

function callLines(row: CallRow, at: At): string[] {
  const again = row.attempts > 1 ? [`begun ${row.attempts} times`] : [];
  const unasked = row.verdicts.length > 0 ? [] : [row.attempts > 0 ? "ran unasked, low risk" : "not run"];
  return [
    oneLine(`${at.stable ? "" : `#${row.n} `}${row.tool} ${row.input}`, 4),
    ...(row.asked === undefined ? [] : wrapped(`in your words; the model asked for ${row.asked}`, 6)),
    ...[...unasked, ...row.verdicts.map(verdictText), ...again].flatMap((text) => wrapped(text, 6)),
    ...(row.outside === undefined ? [] : wrapped(`beyond the copy: ${row.outside}`, 6)),
    ...wrapped(resultText(row, at), 6),
  ];
}

/** "changes: asked, no (high): the person said no (deletes 1 file: a.txt)". */
export function verdictText(v: TraceVerdict): string {
  const answer = v.by === "nobody" ? "nobody there" : v.outcome === "allow" ? "yes" : "no";
  const who = v.asked ? `asked, ${answer}` : `${v.outcome === "allow" ? "allowed" : "denied"} by ${v.by}`;
  const gate = v.gate === "needs" ? "before" : "changes";
  const note = v.note === undefined ? "" : `, "${v.note}"`;
  return `${gate}: ${who} (${v.risk}): ${v.reason}${note}`;
}

function resultText(row: CallRow, { stable }: At): string {
  if (row.status === "open") return `no result yet; if resumed, ${row.resume ?? "it would be settled"}`;
  const failing = row.failures > 1 ? `, failure ${row.failures} in a row` : "";
  const unknown = row.status === "unknown" ? ", it may have had effects; never run again" : "";
  const parts = [
    `${row.status}${failing}${unknown}`,
    ...row.changes.map((change) => change.text),
    row.chars === 1 ? "1 character" : `${number(row.chars)} characters`,
    ...(stable ? [] : [seconds(row.ms)]),
  ];
  return parts.join(", ");
}

function endLines(row: Extract<TraceRow, { kind: "end" }>, { stable }: At): string[] {
  const detail = row.detail === undefined ? "" : `: ${row.detail}`;
  const turns = row.turns === 1 ? "1 turn" : `${row.turns} turns`;
  return wrapped(`= ${row.reason} after ${turns}${stable ? "" : `, ${seconds(row.ms)}`}${detail}`, 0);
}

function totalLines(row: TotalRow, at: At): string[] {
  const some = (n: number, text: string): string[] => (n === 0 ? [] : [`${number(n)} ${text}`]);
  const asked = row.asked === 0 ? "asked nothing" : `asked ${row.asked} (${row.yes} yes, ${row.no} no)`;
  const calls = [
    row.calls === 1 ? "1 call" : `${number(row.calls)} calls`,
    asked,
    ...some(row.denied, "denied"),
    ...some(row.errors, "failed"),
    ...some(row.unknown, "of unknown effect"),
    row.landed === 0
      ? "nothing landed"
      : `landed ${filesText(row.files)} in ${row.landed} steps`.replace(/\b1 steps/, "1 step"),
  ];
  return [
    "",
    columnsOf({ ...cellsOf(row), turn: String(row.turns) }, at, "in all"),
    ...wrapped(`${calls.join(", ")}; ended: ${row.end}`, 0),
  ];
}

function number(n: number): string {
  return Math.round(n).toLocaleString("en-US");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function oneLine(text: string, indent: number): string {
  // What no line can show is cut before it is looked at: an input may have megabytes.
  const line = sanitize(text.slice(0, COLUMNS * 8)).replaceAll(/\s*[\n\t]\s*/g, " ");
  return " ".repeat(indent) + truncateStyled(line, COLUMNS - indent);
}

function wrapped(text: string, indent: number): string[] {
  const line = sanitize(text.slice(0, 2000)).replaceAll(/\s*[\n\t]\s*/g, " ");
  return wrapStyled(line, COLUMNS - indent - 2).map((part, i) => " ".repeat(indent + (i === 0 ? 0 : 2)) + part);
}
