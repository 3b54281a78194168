import { createHash } from "node:crypto";
import { join } from "node:path";
import { nameOf, readCorpus, type Line } from "./case.ts";

export const SECURITY = join(import.meta.dirname, "security.jsonl");
export const FIELD = join(import.meta.dirname, "field-reports.jsonl");

/** Every `of`-th case of each area, the same each time. */
export function sample(lines: readonly Line[], of: number): Line[] {
  const rank = (line: Line): string =>
    createHash("sha256")
      .update(`20261130 ${nameOf(line).id}`)
      .digest("hex");
  return [...Map.groupBy(lines, (line) => nameOf(line).area).values()].flatMap((area) =>
    area.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, Math.ceil(area.length / of)),
  );
}

/** Of both files of the project. */
export function allLines(): Line[] {
  return [SECURITY, FIELD].flatMap((file) => readCorpus(file));
}
