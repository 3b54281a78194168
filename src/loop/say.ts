import { text, type ContentBlock } from "../events/block.ts";
import { asData } from "../tools/as-data.ts";
import { quoted } from "../util/quoted.ts";
import { visible } from "../util/visible.ts";
import type { Stop } from "./deps.ts";
import type { LeftPath } from "./left-out.ts";

// Every text that the loop itself says to the model, in one place.

/** Result of a call that never ran or was stopped. */
export function interruptedText(stop: Stop): ContentBlock[] {
  return [text(`Not run: ${whyNot(stop)}. Call it again if it is still needed.`)];
}

function whyNot({ reason }: Stop): string {
  if (reason === "denied") return "another call of this turn was denied";
  return reason === "time-limit" ? "the time limit was reached" : "the person stopped the query";
}

/** The model goes round (S5): told once of each round, to the person too. */
export function roundText(words: string): string {
  return `You are going round: ${words}. Try something else, or say what you need. To wait for something, wait in one command with a limit, not in many.`;
}

/** Checks that failed when the model said that it is done (S9). */
export function failedChecksText(
  failed: readonly {
    check: { name: string; landed?: true } & ({ kind: "command"; command: string } | { kind: "exists" | "unchanged" });
    exit: number | null;
    output: string;
    ended?: string;
    changed?: readonly string[];
    outputFile?: string;
  }[],
  round: number,
  rounds: number,
): string {
  const parts = failed.map(({ check, exit, output, ended, changed, outputFile }) => {
    const how = ended ?? (check.kind === "command" ? `exit code ${exit}` : "");
    return [
      `The check "${check.name}" failed${how === "" ? "" : ` (${how})`}.`,
      // So that it can be run before the next try.
      ...(check.kind === "command" && check.command !== check.name ? [`$ ${check.command}`] : []),
      ...(output.trim() === "" ? [] : [asData(output.trimEnd())]),
      ...(check.landed === true ? [`[${LANDED_ALONE}]`] : []),
      ...(outputFile === undefined ? [] : [`[The whole output: ${outputFile}]`]),
      ...(changed === undefined ? [] : [`[What it changed was dropped: ${changed.map(quoted).join(", ")}]`]),
    ].join("\n");
  });
  return `You are not done: what was asked for has to pass the person's checks, which ran in the copy on what you left.\n${parts.join("\n\n")}\nMend the cause, not the check. If it can't be mended or has another cause than your changes, say so. (Try ${round} of ${rounds}.)`;
}

/** Of a check that the session's own copy can't help to pass. */
export const LANDED_ALONE =
  "It ran on what has landed, in an empty HOME: what stays in the copy, such as regenerable output, does not count until the person lands it (/land)";

/** Most of a limit is used (S3); `words` say of which. */
export function nearText(words: string): string {
  return `${words} At the limit the work stops where it is: finish what matters most, and leave the folder in order.`;
}

/** Result of a call that was refused before it ran. */
export function deniedText(reason: string, note: string | undefined): ContentBlock[] {
  return [text(`Denied, nothing ran: ${plainReason(reason)}${said(note)}`)];
}

/** A reply that the output limit cut. */
export const CUT_OFF = "Your reply was cut off at the output limit. Go on exactly where it stopped, in smaller parts.";

/** The output limit came before a word of the answer. */
export const ONLY_THOUGHT =
  "Your reply met the output limit before its first word: all of it was thinking. Think less this time, and answer, or go on with the task in smaller parts.";

/** A long reply that the connection cut: what came stands in the conversation. */
export const BROKEN_OFF =
  "The connection broke off in the middle of your reply; what stands above arrived. Go on exactly where it stops, and repeat nothing of it.";

/** A reply without a call and without a word. */
export const BLANK = "Your last reply was empty. Answer the person, or go on with the task.";

/** A call of a reply that the model itself declined. */
export const DECLINED = "The model declined to go on";

/** Behind the words of a call whose changes were refused: it ran, but nothing of it is in the folder, whatever these words claim. */
export function droppedText(reason: string, note: string | undefined): string {
  return `[None of its changes reached the folder, which is as before: ${plainReason(reason)}${said(note)}]`;
}

/** As the log holds it, "deletes 1 file: a (needs an answer; nobody is here to answer)"; for the model in sentences. */
function plainReason(reason: string): string {
  const parts = /^(.*) \(needs an answer; (.*)\)$/s.exec(reason);
  return parts === null ? reason : `${parts[1]}. This needs a yes, and ${parts[2]}`;
}

/** A changed entry as the model names it; `from`: where a renamed one was before. */
export interface Changed {
  op: string;
  path: string;
  from?: string | undefined;
}

/** "modify a", "rename a → b". */
export function changeName({ op, path, from }: Changed): string {
  return `${op} ${from === undefined ? "" : `${quoted(from)} → `}${quoted(path)}`;
}

/** What landed, each as the model names paths. `left`: what the person left out, in part where hunks of it did land. */
export interface Landed {
  changed: readonly Changed[];
  git: readonly { text: string }[];
  left: readonly LeftPath[];
  /** What of git was left out with files: a commit that holds them would bring them back. */
  gitLeft?: readonly { text: string }[];
}

/** Behind the output of a command whose changes landed. */
export function landedText({ changed, git, left, gitLeft = [] }: Landed, kept: Kept | undefined): string {
  const skipped = new Set(left.filter((l) => !l.inPart).map((l) => l.path));
  const names = changed.filter((e) => !skipped.has(e.path)).map(changeName);
  const lines = [...names.slice(0, 20), ...gitNames(git)];
  const more = names.length > 20 ? `, and ${names.length - 20} more` : "";
  const rest = kept === undefined || keptText(kept) === "" ? "" : ` ${keptText(kept)}`;
  const out = left.map(leftName);
  const dropped =
    left.length > 0 ? ` The person left out the changes of: ${out.join(", ")}.${gitLeftText(gitLeft)}` : "";
  return `[Landed in the folder: ${lines.join(", ") || "nothing"}${more}.${dropped}${rest}]`;
}

/** Branches, tags and remotes have names too. */
function gitNames(git: readonly { text: string }[]): string[] {
  return git.map((g) => visible(g.text, ""));
}

function gitLeftText(git: readonly { text: string }[]): string {
  if (git.length === 0) return "";
  return ` Left out with that, since it holds it: ${gitNames(git).join("; ")}. Stage and commit anew what landed, if it is still wanted.`;
}

/** A whole file, or which of its changes landed and which did not. */
function leftName({ path, inPart, landed, out }: LeftPath): string {
  const name = quoted(path);
  if (!inPart) return name;
  if (landed === undefined || out === undefined) return `parts of ${name}`;
  const lines = (at: readonly number[]) => `${at.length > 1 ? "lines" : "line"} ${at.join(", ")}`;
  return `${name}, what begins at ${lines(out)} (what begins at ${lines(landed)} landed; read it again before you edit it)`;
}

/** Behind the words of a call whose changes wait for the review (W6). */
export function pendedText({ changed, git }: Omit<Landed, "left">): string {
  const names = changed.map(changeName);
  const lines = [...names.slice(0, 20), ...gitNames(git)];
  const more = names.length > 20 ? `, and ${names.length - 20} more` : "";
  return `[Pending, not in the folder yet: ${lines.join(", ") || "nothing"}${more}. Later calls see it.]`;
}

/** Regenerable output of a step: files that stay in the copy, and paths that are gone in it. */
export interface Kept {
  files: number;
  gone: readonly string[];
  /** What of kept output landed all the same, by `Land(…)` rules of the person's. */
  landed?: readonly { files: number; rule: { text: string } }[];
}

/** Regenerable output stays in the copy; empty where there is none. */
export function keptText({ files, gone, landed = [] }: Kept): string {
  const what = files === 1 ? "1 regenerable file stays" : `${files} regenerable files stay`;
  const stay =
    files === 0
      ? []
      : [
          `${what} in the copy: later commands and reads see ${files === 1 ? "it" : "them"}, the person's folder doesn't get ${files === 1 ? "it" : "them"} yet.`,
        ];
  const names = gone.slice(0, 5).map(quoted);
  const more = gone.length > 5 ? ` and ${gone.length - 5} more` : "";
  const less = gone.length === 0 ? [] : [`Deleted in the copy only, not in the folder: ${names.join(", ")}${more}.`];
  const own = landed.map(
    (l) =>
      `Of what was kept ${l.files === 1 ? "1 file" : `${l.files} files`} landed in the folder by the person's rule ${visible(l.rule.text, "")}.`,
  );
  return [...stay, ...less, ...own].join(" ");
}

/** Nothing landed because the person changed the same files meanwhile. */
export function conflictText(conflicts: readonly { path: string; why: string }[]): string {
  const lines = conflicts.slice(0, 20).map((c) => `${quoted(c.path)}: ${visible(c.why, "")}`);
  return `[Nothing of this step landed, since the folder changed meanwhile. Read these again and redo what is still needed: ${lines.join("; ")}]`;
}

/** The folder itself can't take changes: the same again would fail the same way. */
export function refusedText(why: string): string {
  return `[Not landed: ${visible(why, "")}. Don't try it again the same way; tell the person.]`;
}

/** A command in a rehearsal on a machine without containment. */
export const NO_COPY =
  "This is a rehearsal, and on this machine commands can't be contained: this one would change the folder itself, so it was not run. Use Read, Grep, Glob, Write, Edit and Delete, and tell the person what you could not run.";

/** After a crash: a landing that met a conflict. */
export const CONFLICTED =
  "[Nothing of this step landed: the folder had changed meanwhile. Read the files again and redo what is still needed.]";

/** After a crash: it may have had effects that nobody can see (E3). */
export const UNKNOWN =
  "Unknown: the program ended while this ran outside the copy. It may have had its effect or not, and was not run again. Check before you repeat it.";

/** After a crash: the step folder is gone. */
export const LOST =
  "The changes of this call were lost when the program ended, and nothing of them landed. Make it again if it is still needed.";

/** Where the person's side would have the last word, but there is none: a message of white space alone, or nothing at all. */
/** Behind a reply that met the end of the window; the conversation is made shorter ahead of the next. */
export const WINDOW_END =
  "Your reply met the end of your context window and was cut there. Older messages were left out or summed up to make room. Go on where you stopped.";

export const NOTHING_SAID = "Nothing was said. Go on with what is open, or ask what is wanted.";

/** What became of the changes of a background shell, of which no call's result tells. */
export function shellChangesText(shellId: string, words: string): string {
  return `Background shell ${shellId}, what it had changed by the end of your turn: ${words}`;
}

function said(note: string | undefined): string {
  return note === undefined || note.trim() === "" ? "" : `. The person says: "${note.trim()}"`;
}

/** A conflict between the rehearsal and the folder as the person settled it. `part`: by hunks, told by the lines where they begin. */
export interface SettledPath {
  path: string;
  how: "take" | "drop" | "beside" | "part";
  /** The file that holds both versions. */
  to?: string;
  taken?: readonly number[];
  dropped?: readonly number[];
  waits?: readonly number[];
}

function settledName({ path, how, to, taken = [], dropped = [], waits = [] }: SettledPath): string {
  const lines = (word: string, at: readonly number[]): string[] =>
    at.length === 0 ? [] : [`${word} ${at.join(", ")}`];
  const parts = [
    ...lines("landed what begins at line", taken),
    ...lines("dropped line", dropped),
    ...lines("still pending line", waits),
  ];
  const words = {
    take: "your version landed over theirs",
    drop: "theirs stays, yours is dropped",
    beside: `theirs stays, both versions are in ${quoted(to ?? "")}`,
    part: parts.join(", "),
  };
  return `${quoted(path)} (${words[how]})`;
}

/** After a review of what was pending (W6). */
export interface Reviewed extends Landed {
  merged: readonly string[];
  settled?: readonly SettledPath[];
  conflicts: readonly { path: string; why: string }[];
}

/** What the person took of a rehearsal, exactly: told ahead of the next message. */
export function reviewedText({ changed, git, left, gitLeft = [], merged, settled = [], conflicts }: Reviewed): string {
  const whole = new Set(left.filter((l) => !l.inPart).map((l) => l.path));
  const names = changed.filter((e) => !whole.has(e.path)).map(changeName);
  const some = [...names.slice(0, 50), ...gitNames(git)];
  const more = names.length > 50 ? `, and ${names.length - 50} more` : "";
  const show = (paths: readonly string[]) => paths.map(quoted).join(", ");
  return [
    `The person reviewed what was pending. Landed in the folder: ${some.join(", ") || "nothing"}${more}.`,
    ...(left.length === 0
      ? []
      : [
          `Not taken, and dropped: the changes of ${left.map(leftName).join(", ")}. Folder and copy hold these files as they were before; what builds on the changes may be broken.${gitLeftText(gitLeft)}`,
        ]),
    ...(merged.length === 0 ? [] : [`These hold the person's own edits as well, read them again: ${show(merged)}.`]),
    ...(settled.length === 0
      ? []
      : [
          `The person had changed these too, and settled it: ${settled.map(settledName).join(", ")}. Read them again before you edit them.`,
        ]),
    ...(conflicts.length === 0
      ? []
      : [
          `Still pending, since the person changed the folder meanwhile: ${conflicts
            .slice(0, 20)
            .map((c) => `${quoted(c.path)} (${visible(c.why, "")})`)
            .join(", ")}.`,
        ]),
  ].join(" ");
}
