import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import type { LoadedLog } from "../events/load.ts";
import { assertNever } from "../util/never.ts";
import { jsonLine } from "../util/json-line.ts";
import { exportHtml } from "./export-html.ts";
import { exportMarkdown } from "./export-markdown.ts";

export const EXPORT_FORMATS = ["md", "json", "html"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A file can't be written; the message says which, why, and what to do. */
export class ExportError extends Error {
  override name = "ExportError";
}

/** The format that a file's name asks for; Markdown where it asks for none. */
export function formatOf(file: string | undefined): ExportFormat {
  const end = /\.(\w+)$/.exec(file ?? "")?.[1]?.toLowerCase();
  if (end === "html" || end === "htm") return "html";
  return end === "json" || end === "jsonl" || end === "ndjson" ? "json" : "md";
}

/**
 * A session's conversation in pieces, out of its log alone: nothing is in it that the log doesn't hold. `json`: its facts as
 * docs/sessions.md tells them, a line each, long texts in their places.
 */
export function* exported(
  { state, events }: Pick<LoadedLog, "state" | "events">,
  format: ExportFormat,
): Generator<string> {
  switch (format) {
    case "json":
      for (const event of events) yield `${jsonLine(event)}\n`;
      return;
    case "md":
      return yield* exportMarkdown(state, events);
    case "html":
      return yield* exportHtml(state, events);
    default:
      return assertNever(format);
  }
}

/** Writes a new file, 0600. @throws ExportError when there is one already (nothing is ever written over), or the disk says no. */
export async function writeExport(file: string, pieces: Iterable<string>): Promise<void> {
  let handle: FileHandle;
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw new ExportError(`${file} is there already; take another name`, { cause: error });
    throw new ExportError(`can't write ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  try {
    for (const piece of pieces) await handle.writeFile(piece);
  } catch (error) {
    // Half an export looks like a whole one, and would be in the way of the next try.
    await unlink(file).catch(() => undefined);
    throw new ExportError(`can't write ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await handle.close();
  }
}
