import { readFileSync } from "node:fs";
import type { Document, LineCounter, Node } from "yaml";
import type { z } from "zod";

/** What is wrong in the files of a suite: `file:line: what`, all of it at once. */
export class SuiteError extends Error {
  override name = "SuiteError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Reads a YAML file by a schema. @throws SuiteError naming file and line of every problem. */
export async function readYaml<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  // Not at the start: no other command needs it.
  const { parseDocument, LineCounter } = await import("yaml");
  const lines = new LineCounter();
  const doc = parseDocument(textOf(file), { lineCounter: lines, prettyErrors: false });
  // The first alone: what comes behind it mostly comes of it.
  const [wrong] = doc.errors;
  if (wrong !== undefined) throw new SuiteError([`${file}:${lines.linePos(wrong.pos[0]).line}: ${wrong.message}`]);
  const parsed = schema.safeParse(doc.toJS({ maxAliasCount: 100 }));
  if (parsed.success) return parsed.data;
  throw new SuiteError(
    parsed.error.issues.map((issue) => {
      const key = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
      const path = key === undefined ? issue.path : [...issue.path, key];
      const at = path.length === 0 ? "" : `${path.map(String).join(".")}: `;
      return `${file}:${lineOf(doc, path, lines)}: ${at}${issue.message}`;
    }),
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SuiteError([`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** The line of a path, or of the nearest part above it that is written. */
function lineOf(doc: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let n = path.length; n > 0; n--) {
    const node = doc.getIn(path.slice(0, n), true) as Node | undefined;
    const start = node?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}
