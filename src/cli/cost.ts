import { realpathSync } from "node:fs";
import { listSessions } from "../events/sessions.ts";
import { costReport } from "../session/cost.ts";
import { programDirs } from "../session/environment.ts";
import { openStore } from "../session/store.ts";
import { costLines, turnLines } from "../ui/commands/cost.ts";
import { textOfLine } from "../ui/render/spans.ts";
import { ownPrices } from "./own-prices.ts";
import { readLog } from "./read-log.ts";
import { UsageError } from "./usage-error.ts";
import { jsonLine } from "../util/json-line.ts";

export interface CostOptions {
  id?: string;
  turns: boolean;
  json: boolean;
}

const WIDTH = 100;

/** `agent cost [ID]`: out of the log alone, without opening it, so that a running session can be looked at too. */
export async function printCost({ id, turns, json }: CostOptions): Promise<number> {
  const store = openStore(programDirs(process.env));
  const newest = id === undefined ? listSessions(store.sessions, realpathSync(process.cwd()))[0]?.id : id;
  if (newest === undefined)
    throw new UsageError("there is no session in this folder; `agent sessions --all` lists those of others");
  const { events } = await readLog(store, newest);
  const report = costReport(events, ownPrices());
  if (json) {
    process.stdout.write(`${jsonLine({ type: "cost", version: 1, session_id: newest, ...report })}\n`);
    return 0;
  }
  const width = process.stdout.isTTY ? Math.max(20, process.stdout.columns - 1) : WIDTH;
  const lines = turns ? turnLines(report, width) : costLines(report, width);
  process.stdout.write(lines.map((row) => `${textOfLine(row).trimEnd()}\n`).join(""));
  return 0;
}
