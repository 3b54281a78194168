import { text, type ContentBlock } from "../events/block.ts";
import { visible } from "../util/visible.ts";
import type { Stop } from "./deps.ts";

// Every text that the loop itself says to the model, in one place.

/** Result of a call that never ran or was stopped. */
export function interruptedText(stop: Stop): ContentBlock[] {
  const why = stop.reason === "denied" ? "another call of this turn was denied" : "the person stopped the query";
  return [text(`Interrupted: ${why}. This call has no effect.`)];
}

/** Result of a call that was refused before it ran. */
export function deniedText(reason: string, note: string | undefined): ContentBlock[] {
  return [text(`Denied, nothing ran: ${reason}${said(note)}`)];
}

/** Behind the words of a call whose changes were refused: it ran, but nothing of it is in the folder, whatever these words claim. */
export function droppedText(reason: string, note: string | undefined): string {
  return `[None of its changes reached the folder, which is as before: ${reason}${said(note)}]`;
}

/** What landed, each as the model names paths. `left`: what the person left out, in part where hunks of it did land. */
export interface Landed {
  changed: readonly { op: string; path: string }[];
  git: readonly { text: string }[];
  left: readonly { path: string; inPart: boolean }[];
}

/** Behind the output of a command whose changes landed. */
export function landedText({ changed, git, left }: Landed, kept: Kept | undefined): string {
  const skipped = new Set(left.filter((l) => !l.inPart).map((l) => l.path));
  const names = changed.filter((e) => !skipped.has(e.path)).map((e) => `${e.op} ${visible(e.path, "")}`);
  const lines = [...names.slice(0, 20), ...git.map((g) => g.text)];
  const more = names.length > 20 ? `, and ${names.length - 20} more` : "";
  const rest = kept === undefined || keptText(kept) === "" ? "" : ` ${keptText(kept)}`;
  const out = left.map((l) => (l.inPart ? `parts of ${visible(l.path, "")}` : visible(l.path, "")));
  const dropped = left.length > 0 ? ` The person left out: ${out.join(", ")}.` : "";
  return `[Landed in the folder: ${lines.join(", ") || "nothing"}${more}.${dropped}${rest}]`;
}

/** Regenerable output of a step: files that stay in the copy, and paths that are gone in it. */
export interface Kept {
  files: number;
  gone: readonly string[];
}

/** Regenerable output stays in the copy; empty where there is none. */
export function keptText({ files, gone }: Kept): string {
  const what = files === 1 ? "1 regenerable file stays" : `${files} regenerable files stay`;
  const stay = files === 0 ? [] : [`${what} in the copy: later commands and reads see ${files === 1 ? "it" : "them"}.`];
  const names = gone.slice(0, 5).map((path) => visible(path, ""));
  const more = gone.length > 5 ? ` and ${gone.length - 5} more` : "";
  const less = gone.length === 0 ? [] : [`Deleted in the copy only, not in the folder: ${names.join(", ")}${more}.`];
  return [...stay, ...less].join(" ");
}

/** Nothing landed because the person changed the same files meanwhile. */
export function conflictText(conflicts: readonly { path: string; why: string }[]): string {
  const lines = conflicts.slice(0, 20).map((c) => `${visible(c.path, "")}: ${c.why}`);
  return `[Nothing of this step landed, since the folder changed meanwhile. Read these again and redo what is still needed: ${lines.join("; ")}]`;
}

/** The folder itself can't take changes: the same again would fail the same way. */
export function refusedText(why: string): string {
  return `[Not landed: ${visible(why, "")}. Don't try it again the same way; tell the person.]`;
}

/** After a crash: a landing that met a conflict. */
export const CONFLICTED =
  "[Nothing of this step landed: the folder had changed meanwhile. Read the files again and redo what is still needed.]";

/** After a crash: it may have had effects that nobody can see (E3). */
export const UNKNOWN =
  "Unknown: the program ended while this ran outside the copy. It may have had its effect or not, and was not run again. Check before you repeat it.";

/** After a crash: the step folder is gone. */
export const LOST =
  "The changes of this call were lost when the program ended, and nothing of them landed. Make it again if it is still needed.";

function said(note: string | undefined): string {
  return note === undefined || note.trim() === "" ? "" : ` The person says: ${note.trim()}`;
}
