import { PRICES } from "../session/defaults.ts";
import type { Prices } from "../session/prices.ts";
import { loadSettings } from "../session/settings.ts";
import { openStore } from "../session/store.ts";
import { traceOf } from "../session/trace.ts";
import { sanitize } from "../util/visible.ts";
import { homeOf, programDirs } from "../session/environment.ts";
import { readLog } from "./read-log.ts";
import { traceLines } from "./trace-text.ts";
import { printVerified } from "./trace-verify.ts";

export interface TraceOptions {
  id: string;
  json: boolean;
  /** Without what differs between two runs. */
  stable: boolean;
  /** What the log proves, instead of the table. */
  verify: boolean;
}

/** `agent trace ID`: reads the log without opening it, so that a running session can be looked at too. */
export async function printTrace({ id, json, stable, verify }: TraceOptions): Promise<number> {
  const store = openStore(programDirs(process.env));
  const loaded = await readLog(store, id);
  if (verify) return printVerified(store, loaded, json);
  const rows = traceOf(loaded.events, prices());
  const lines = json ? rows.map((row) => JSON.stringify(row)) : traceLines(rows, { stable });
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return 0;
}

/** Settings that can't be read are no reason to show nothing: costs are unknown then. */
function prices(): Prices {
  const { env } = process;
  try {
    return loadSettings({ configDir: programDirs(env).config, folder: process.cwd(), home: homeOf(env) }).prices;
  } catch (error) {
    process.stderr.write(`agent: no prices: ${sanitize(error instanceof Error ? error.message : String(error))}\n`);
    return PRICES;
  }
}
