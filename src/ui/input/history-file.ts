import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { withEntry, type HistoryEntry } from "./editor/history.ts";

const Line = z.object({ text: z.string(), chips: z.record(z.string(), z.string()).optional() });
const MAX = 1000;
const MOST_PROJECTS = 100;

export interface HistoryFile {
  /** Oldest first, duplicates folded. */
  entries(): readonly HistoryEntry[];
  /** Sent since this program started. */
  session(): readonly HistoryEntry[];
  /** Sent in other projects, oldest first: read when it is first asked for. */
  others(): readonly HistoryEntry[];
  /** Kept at once, also what is interrupted later. A file that can't be written is no reason to stop: returns why. */
  add(entry: HistoryEntry): string | undefined;
}

/** The sent texts of a project, one JSON line each, in `file` of the state folder (0600, its folder 0700). `mask`: of what is kept in the file. */
export function openHistory(file: string, mask = (text: string): string => text): HistoryFile {
  const lines = read(file);
  let entries = lines.reduce<readonly HistoryEntry[]>((all, entry) => withEntry(all, entry, MAX), []);
  let session: readonly HistoryEntry[] = [];
  let others: readonly HistoryEntry[] | undefined;
  if (lines.length > 2 * MAX) attempt(() => rewrite(file, entries));
  return {
    entries: () => entries,
    session: () => session,
    others: () => (others ??= elsewhere(file)),
    add(entry) {
      if (entry.text.trim() === "") return undefined;
      entries = withEntry(entries, entry, MAX);
      session = withEntry(session, entry, MAX);
      return attempt(() => {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        appendFileSync(file, `${JSON.stringify(masked(entry, mask))}\n`, { mode: 0o600 });
        chmodSync(file, 0o600);
      });
    },
  };
}

/** The files of other projects beside this one's: `<folder of a project>/history.jsonl`; whose was written to last comes last. */
function elsewhere(file: string): readonly HistoryEntry[] {
  const [own, all] = [dirname(file), dirname(dirname(file))];
  let found: { path: string; at: number }[] = [];
  attempt(() => {
    found = readdirSync(all).flatMap((name) => {
      const path = join(all, name, basename(file));
      const stat = join(all, name) === own ? undefined : statSync(path, { throwIfNoEntry: false });
      return stat?.isFile() === true ? [{ path, at: stat.mtimeMs }] : [];
    });
  });
  const newest = found.toSorted((a, b) => a.at - b.at).slice(-MOST_PROJECTS);
  return newest
    .flatMap(({ path }) => read(path))
    .reduce<readonly HistoryEntry[]>((entries, entry) => withEntry(entries, entry, MAX), []);
}

function masked({ text, chips }: HistoryEntry, mask: (text: string) => string): HistoryEntry {
  const kept = Object.entries(chips ?? {}).map(([name, pasted]) => [name, mask(pasted)]);
  return { text: mask(text), ...(chips === undefined ? {} : { chips: Object.fromEntries(kept) }) };
}

/** Lines that are no entries (torn by a crash, of a later version) are passed over: this is no log. */
function read(file: string): HistoryEntry[] {
  let text = "";
  if (attempt(() => void (text = readFileSync(file, "utf8"))) !== undefined) return [];
  return text.split("\n").flatMap((line) => {
    let entry: HistoryEntry | undefined;
    attempt(() => void (entry = Line.parse(JSON.parse(line))));
    return entry === undefined ? [] : [entry];
  });
}

function rewrite(file: string, entries: readonly HistoryEntry[]): void {
  const next = `${file}.new`;
  writeFileSync(next, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600 });
  renameSync(next, file);
}

function attempt(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
