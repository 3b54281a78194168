import { openStore } from "../session/store.ts";
import { traceOf } from "../session/trace.ts";
import { programDirs } from "../session/environment.ts";
import { ownPrices } from "./own-prices.ts";
import { readLog } from "./read-log.ts";
import { traceLines } from "./trace-text.ts";
import { printVerified } from "./trace-verify.ts";
import { jsonLine } from "../util/json-line.ts";

export interface TraceOptions {
  id: string;
  json: boolean;
  /** Without what differs between two runs. */
  stable: boolean;
  /** What the log proves, instead of the table. */
  verify: boolean;
  /** Where spans go, instead of the table. */
  otlp?: string;
  /** In the spans. */
  content: boolean;
}

/** `agent trace ID`: reads the log without opening it, so that a running session can be looked at too. */
export async function printTrace(
  { id, json, stable, verify, otlp, content }: TraceOptions,
  version: string,
): Promise<number> {
  const store = openStore(programDirs(process.env));
  const loaded = await readLog(store, id);
  if (verify) return printVerified(store, loaded, json);
  if (otlp !== undefined)
    return (await import("./trace-otlp.ts")).exportSpans(loaded.events, { to: otlp, content }, version);
  const rows = traceOf(loaded.events, ownPrices());
  const lines = json ? rows.map((row) => jsonLine(row)) : traceLines(rows, { stable });
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return 0;
}
