import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One call of a case, or a command that somebody else runs in between. */
export type CorpusCall = { tool: string; input: Record<string, unknown> } | { outside: string };
export interface FieldReport {
  id: string;
  area: string;
  symptom: string;
  setup: readonly string[];
  action: { kind: string; calls?: readonly CorpusCall[]; note?: string; steps?: readonly string[] };
  expect: string;
  check?: readonly string[];
}

/** The cases of an area, from `test/corpus/field-reports.jsonl`. */
export function fieldReports(area: string): FieldReport[] {
  const file = join(import.meta.dirname, "../corpus/field-reports.jsonl");
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as FieldReport).filter((report) => report.area === area);
}

/** Runs commands in the case's folder; throws with the command's own words when one fails. */
export function bash(folder: string, commands: readonly string[]): void {
  for (const command of commands) {
    const run = spawnSync("bash", ["-c", command], { cwd: folder, encoding: "utf8", timeout: 30_000 });
    if (run.status !== 0) throw new Error(`${command}\nended with ${run.status}: ${run.stdout}${run.stderr}`);
  }
}
