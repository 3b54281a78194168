import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { ServerTool } from "./server-tool.ts";

const Known = z.record(
  z.string(),
  z.object({ pin: z.string(), line: z.string(), description: z.string(), schema: z.string() }),
);
type Known = z.infer<typeof Known>;

const MOST_TOOLS = 2000;
const MOST_WORDS = 400;
const MOST_SCHEMA = 4000;

/** What tools were like when they last ran: so that the person is shown what became other since. Nothing is decided by it. */
export interface Seen {
  /** In a few lines; undefined where it is as it was, or never ran. */
  changeOf(tool: ServerTool, line: string): string | undefined;
  ran(tool: ServerTool, line: string): void;
}

/** Kept in a file of the program's own; one that can't be read or written is as none. */
export function seenIn(file: string): Seen {
  let known: Known | undefined;
  const all = (): Known => (known ??= read(file));
  return {
    changeOf({ full, pin, description, schema }, line) {
      const before = all()[full];
      if (before === undefined || before.pin === pin) return undefined;
      const parts = [
        ...(before.line === line ? [] : [`it was reached by: ${before.line}`, `now by: ${line}`]),
        ...(before.description === cut(description)
          ? []
          : [`it said of itself: ${before.description}`, `now it says: ${cut(description)}`]),
        ...(before.schema === cutSchema(schema)
          ? []
          : [
              `it took: ${before.schema.slice(0, MOST_WORDS)}`,
              `now it takes: ${cutSchema(schema).slice(0, MOST_WORDS)}`,
            ]),
      ];
      return parts.length === 0 ? "in what it says of itself" : parts.join("\n");
    },
    ran(tool, line) {
      const { full, pin, description, schema } = tool;
      if (all()[full]?.pin === pin) return;
      const now = { pin, line, description: cut(description), schema: cutSchema(schema) };
      // Another session may have written meanwhile.
      known = Object.fromEntries(Object.entries({ ...read(file), [full]: now }).slice(-MOST_TOOLS));
      try {
        writeFileSync(`${file}.${process.pid}.tmp`, JSON.stringify(known), { mode: 0o600 });
        renameSync(`${file}.${process.pid}.tmp`, file);
      } catch {
        // A full disk costs the comparison, not the call.
      }
    },
  };
}

function read(file: string): Known {
  try {
    return Known.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

function cut(words: string): string {
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words;
}

function cutSchema(schema: ServerTool["schema"]): string {
  return JSON.stringify(schema).slice(0, MOST_SCHEMA);
}
