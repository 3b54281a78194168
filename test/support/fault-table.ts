import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultCase } from "./fault-cases.ts";

const FILE = join(import.meta.dirname, "../../docs/streams.md");
const HEAD = "| what goes wrong | exit code | what is said | to go on |\n|---|---|---|---|\n";

/** A row of the table in docs/streams.md. */
export interface FaultRow {
  id: string;
  code: string;
  /** Each line once, in order; the server's address as HOST, the session as ID. */
  said: string;
  goOn: string;
}

export function faultRow(
  { id, ends, stays = false }: FaultCase,
  { code, err }: { code: number; err: string[] },
): FaultRow {
  const said = [...new Set(err)].map((row) => row.replace(/^agent: /, "").replace(/ To go on: agent -p .*$/, ""));
  const line = said.join("<br>");
  return { id, code: String(code), said: line, goOn: line.includes("“go on”") ? "“go on”" : goOn(ends, stays) };
}

function goOn(ends: FaultCase["ends"], stays: boolean): string {
  if (ends === undefined) return "nothing: the answer is right";
  if (ends === "refused") return "other words, `/rewind`, or another model";
  return stays ? "any message: all is tried anew" : "what the line says, then any message";
}

/** The table as it stands in the docs. */
export function documented(): FaultRow[] {
  const text = readFileSync(FILE, "utf8");
  const [, table = ""] = text.split(HEAD);
  return (table.split("\n\n")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => {
      const [id = "", code = "", said = "", on = ""] = line.slice(2, -2).split(" | ");
      return { id, code, said: said.trim(), goOn: on };
    });
}

/** Writes it anew (`WRITE_DOCS=1`). */
export function writeDocumented(rows: readonly FaultRow[]): void {
  const text = readFileSync(FILE, "utf8");
  const [before = "", table = ""] = text.split(HEAD);
  const rest = table.split("\n\n").slice(1).join("\n\n");
  const lines = rows.map(({ id, code, said, goOn: on }) => `| ${id} | ${code} | ${said} | ${on} |`);
  writeFileSync(FILE, `${before}${HEAD}${lines.join("\n")}\n${rest === "" ? "" : `\n${rest}`}`);
}
