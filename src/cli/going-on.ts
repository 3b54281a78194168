import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { sessionFiles } from "../events/load.ts";
import { lockedBy } from "../events/lock.ts";
import { listSessions, type SessionEntry } from "../events/sessions.ts";
import type { OpenOptions } from "../session/options.ts";
import type { Store } from "../session/store.ts";
import { sanitize } from "../util/visible.ts";
import type { RunOptions } from "./args.ts";
import { readLog } from "./read-log.ts";
import { UsageError } from "./usage-error.ts";

/** How a session is gone on with: itself or a copy of it, in this folder or another one. */
export interface GoingOn {
  id: string;
  fork?: OpenOptions["fork"];
  /** Instead of the current folder. */
  folder?: string;
}

/** What `--fork` and `--fork-before` ask for. @throws UsageError where there is no such message. */
export async function forkOf(
  { fork, forkBefore }: Pick<RunOptions, "fork" | "forkBefore">,
  store: Store,
  id: string,
): Promise<OpenOptions["fork"]> {
  if (forkBefore === undefined) return fork ? {} : undefined;
  const { state } = await readLog(store, id);
  const points = state.items.filter((item) => item.kind === "prompt" && item.when === "start");
  const point = points[forkBefore - 1];
  if (point === undefined)
    throw new UsageError(
      `--fork-before ${forkBefore}: session ${id} has ${points.length} messages in its conversation`,
    );
  return { before: point.seq };
}

/**
 * On a terminal, before a session is opened: asks what to do where another process has it (E4), or where it worked in another folder.
 * `clear`: the terminal is needed for a question. undefined: the person would rather not.
 */
export async function askGoingOn(
  { id, fork }: GoingOn,
  { store, here, clear }: { store: Store; here: string; clear: () => void },
): Promise<GoingOn | undefined> {
  const held = fork === undefined ? lockedBy(sessionFiles(store.sessions, id).lock, `Session ${id}`) : undefined;
  let copy = fork;
  if (held !== undefined) {
    clear();
    process.stdout.write(`${sanitize(held)}\n\n  1  go on in a copy of it, under an id of its own\n  2  quit\n\n`);
    if ((await choice(2)) !== 1) return undefined;
    copy = {};
  }
  const entry = listSessions(store.sessions).find((s) => s.id === id);
  const elsewhere = entry !== undefined && entry.folder !== "" && entry.folder !== here;
  if (!elsewhere || !existsSync(entry.folder)) return { id, ...(copy === undefined ? {} : { fork: copy }) };
  clear();
  const folder = await askFolder(entry, here);
  return folder === undefined ? undefined : { id, ...(copy === undefined ? {} : { fork: copy }), folder };
}

async function askFolder({ folder, id }: SessionEntry, here: string): Promise<string | undefined> {
  const words = `Session ${id} worked in ${folder}, you are in ${here}.`;
  process.stdout.write(
    `${sanitize(words)}\n\n  1  go on in its folder\n  2  go on here; what it landed there is undone there\n  3  quit\n\n`,
  );
  const chosen = await choice(3);
  return chosen === 1 ? folder : chosen === 2 ? here : undefined;
}

/** A number of 1 to `last`, anything else is asked again. undefined: an empty line, Ctrl-C, Ctrl-D. */
async function choice(last: number): Promise<number | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  try {
    for (;;) {
      const answer = await Promise.race([lines.question(last === 2 ? "1 or 2: " : "1, 2 or 3: "), closed]);
      const word = answer?.trim();
      if (word === undefined || word === "") return undefined;
      if (/^\d$/.test(word) && Number(word) >= 1 && Number(word) <= last) return Number(word);
    }
  } finally {
    lines.close();
  }
}
