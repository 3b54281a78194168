import { openStore } from "../session/store.ts";
import { traceOf, type TraceRow } from "../session/trace.ts";
import { assertNever } from "../util/never.ts";
import { sanitize } from "../util/visible.ts";
import { programDirs } from "../session/environment.ts";
import { readLog } from "./read-log.ts";

/** `agent trace ID`: reads the log without opening it, so that a running session can be looked at too. */
export async function printTrace(wanted: string, json: boolean): Promise<number> {
  const store = openStore(programDirs(process.env));
  const loaded = await readLog(store, wanted);
  for (const row of traceOf(loaded.events))
    process.stdout.write((json ? JSON.stringify(row) : sanitize(lineOf(row)).replaceAll("\n", " ")) + "\n");
  return 0;
}

function lineOf(row: TraceRow): string {
  const at = row.at.slice(11, 19);
  switch (row.kind) {
    case "prompt":
      return `${at}  > ${cut(row.text, 100)}`;
    case "reply":
      return `${at}  turn ${row.turn}  ${row.model}  in ${row.input} (${row.cached} cached)  out ${row.output}  ${row.calls} calls  ${row.stop}  ${seconds(row.ms)}`;
    case "call":
      return `${at}    ${row.tool} ${cut(row.input, 60)}  ${row.status}${row.landed === "" ? "" : ` (${row.landed})`}  ${row.decision}  ${row.chars} chars  ${seconds(row.ms)}`;
    case "end":
      return `${at}  ${row.reason} after ${row.turns} turns, ${seconds(row.ms)}`;
    default:
      return assertNever(row);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function cut(text: string, max: number): string {
  const line = text.replaceAll("\n", " ");
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
