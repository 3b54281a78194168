import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { findSession } from "../events/sessions.ts";
import { deleteSession } from "../session/delete.ts";
import { programDirs } from "../session/environment.ts";
import { exported, formatOf, writeExport } from "../session/export.ts";
import { renameSession } from "../session/rename.ts";
import { openStore } from "../session/store.ts";
import { systemClock } from "../util/system.ts";
import { sanitize } from "../util/visible.ts";
import type { ExportOptions } from "./args-sessions.ts";
import { say, tell } from "./diff-text.ts";
import { readLog } from "./read-log.ts";
import { stdio } from "./stdio.ts";
import { UsageError } from "./usage-error.ts";

/** `agent sessions rename ID NAME`. */
export async function renameVerb(wanted: string, name: string): Promise<number> {
  const store = openStore(programDirs(process.env));
  const { id } = findSession(store.sessions, wanted);
  const kept = await renameSession(id, name, { store, clock: systemClock });
  tell(`${id} is named ${sanitize(kept)}`);
  return 0;
}

/** `agent sessions delete ID`: asks on a terminal, else needs `yes`. */
export async function deleteVerb(wanted: string, { yes, force }: { yes: boolean; force: boolean }): Promise<number> {
  const store = openStore(programDirs(process.env));
  const session = findSession(store.sessions, wanted);
  const { id, prompts, pending } = session;
  const name = session.name ?? session.title;
  if (!yes) {
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError(`nobody can be asked whether session ${id} may be deleted; --yes deletes it without asking`);
    const waits = pending === undefined ? "" : `, ${pending === 0 ? "git's state" : pending} pending`;
    say(`${id}: ${name} (${prompts ?? "?"} messages${waits}, ${session.folder})`);
    if (!(await confirmed("Delete it for good? [y/N] "))) {
      say("nothing was deleted");
      return 1;
    }
  }
  const { freed } = await deleteSession(id, { store, clock: systemClock, force });
  const space = freed === undefined ? "; its long texts stay, since another log can't be read" : "";
  tell(`${id} is deleted${space}; what it landed stays, and agent undo takes it back`);
  return 0;
}

async function confirmed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((done) => lines.once("close", () => done(undefined)));
  try {
    const answer = await Promise.race([lines.question(question), closed]);
    return /^y(?:es)?$/i.test(answer?.trim() ?? "");
  } finally {
    lines.close();
  }
}

/** `agent export ID [FILE]`: reads the log without opening it. */
export async function exportVerb({ id, file, format }: ExportOptions): Promise<number> {
  const store = openStore(programDirs(process.env));
  const pieces = exported(await readLog(store, id), format ?? formatOf(file));
  if (file !== undefined) {
    const path = resolve(file);
    await writeExport(path, pieces);
    say(`written to ${path}`);
    return 0;
  }
  const out = stdio(process.stdout, process.stderr);
  for (const piece of pieces) await out.out(piece);
  return 0;
}
