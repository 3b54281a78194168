import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { privateFolder } from "../../events/private.ts";
import { readRegularNow } from "../../util/regular-file.ts";
import type { HistoryEntry } from "./editor/history.ts";

const Entry = z.object({ text: z.string(), chips: z.record(z.string(), z.string()).optional() });
const Kept = z.object({
  /** Who writes it; 0: nobody any more. */
  pid: z.int(),
  session: z.string(),
  at: z.number(),
  draft: Entry,
  stash: Entry.optional(),
});

const MOST_BYTES = 64 << 20;

/** What a program that ended left unsent. */
export interface Left {
  draft: HistoryEntry;
  stash?: HistoryEntry | undefined;
}

export interface DraftFile {
  /** Takes over what an ended program left in this project, of this session first; others wait for the next start. */
  take(session: string): Left | undefined;
  /** Keeps what is unsent; nothing of it: the file goes. A file that can't be written is no reason to stop. */
  keep(session: string, left: Left): void;
  /** The program ends: what is kept is whoever's comes next. */
  let(session: string, left: Left): void;
}

export interface DraftOptions {
  pid: number;
  now: () => number;
  /** Whether a program of that number runs. */
  isAlive: (pid: number) => boolean;
  /** Of what is kept in the file. */
  mask: (text: string) => string;
}

/** Unsent texts of a project, one file for each running program in `dir` (0700, files 0600). */
export function openDrafts(dir: string, options: DraftOptions): DraftFile {
  const own = join(dir, `${options.pid}.json`);
  const write = (pid: number, session: string, { draft, stash }: Left) =>
    quietly(() => {
      if (isEmpty(draft) && isEmpty(stash)) return rmSync(own, { force: true });
      const { mask } = options;
      const kept = { pid, session, at: options.now(), draft: masked(draft, mask), stash: stash && masked(stash, mask) };
      privateFolder(dir);
      // Made anew: one that is there may be a link, or readable by others.
      rmSync(`${own}.new`, { force: true });
      writeFileSync(`${own}.new`, JSON.stringify(kept), { mode: 0o600, flag: "wx" });
      renameSync(`${own}.new`, own);
    });
  return {
    take(session) {
      const left = readAll(dir).filter(({ pid }) => pid === 0 || pid === options.pid || !options.isAlive(pid));
      const found = left.find((one) => one.session === session) ?? left[0];
      if (found === undefined) return undefined;
      // Ours from now on: a crash before anything changes leaves it.
      write(options.pid, session, found);
      if (found.file !== own) quietly(() => rmSync(found.file, { force: true }));
      return { draft: found.draft, stash: found.stash };
    },
    keep: (session, left) => write(options.pid, session, left),
    let: (session, left) => write(0, session, left),
  };
}

function isEmpty(entry: HistoryEntry | undefined): boolean {
  return entry === undefined || entry.text.trim() === "";
}

function masked({ text, chips }: HistoryEntry, mask: DraftOptions["mask"]): HistoryEntry {
  if (chips === undefined) return { text: mask(text) };
  return { text: mask(text), chips: Object.fromEntries(Object.entries(chips).map(([n, pasted]) => [n, mask(pasted)])) };
}

/** Newest first. What can't be read (torn, of a later version, a link or pipe) is passed over. */
function readAll(dir: string): (z.infer<typeof Kept> & { file: string })[] {
  let names: string[] = [];
  quietly(() => void (names = readdirSync(dir).filter((name) => name.endsWith(".json"))));
  return names
    .flatMap((name) => {
      const file = join(dir, name);
      let kept: z.infer<typeof Kept> | undefined;
      quietly(() => void (kept = Kept.parse(JSON.parse(readRegularNow(file, { most: MOST_BYTES }).toString("utf8")))));
      return kept === undefined ? [] : [{ ...kept, file }];
    })
    .toSorted((a, b) => b.at - a.at);
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // A draft is kept where it can be.
  }
}
