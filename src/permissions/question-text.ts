import type { ChangeEntry } from "../events/effect.ts";
import { type SideEffect, sideEffectText } from "../events/side-effect.ts";
import { sanitize, visible } from "../util/visible.ts";
import type { FileDiff } from "../workspace/workspace.ts";
import type { Question } from "./asker.ts";
import { entryName, highFacts } from "./risk.ts";

/** Lines of a command's output that a question shows; the end tells most. */
const OUTPUT_LINES = 40;

/**
 * A question as plain text, for line front-ends, `-p` and the log of what was shown. Never cut without a count; command, paths and
 * diffs in their exact bytes, what can't be seen written as `\u{…}` (`visible`).
 */
export function questionText(question: Question): string {
  const { effect, decision, gate, place, offer } = question;
  const n = place === undefined ? "" : ` (${place.n} of ${place.of})`;
  const when = gate === "needs" ? "asks before it runs" : "has run in a copy; nothing of it is in your folder yet";
  return [
    `permission needed${n}: ${visible(effect.tool, "")} ${when}`,
    ...commandLines(question),
    ...keptLines(question),
    ...togetherLines(question),
    `why: ${decision.reason}`,
    `risk: ${decision.risk}${effect.contained ? "" : " · nothing contains commands on this machine"}`,
    ...outputLines(question),
    ...changeLines(question),
    ...(offer === undefined
      ? []
      : [
          `"for this session" would save: ${offer.session}`,
          `"always" would save, in your own rules for this project: ${offer.always}`,
        ]),
  ].join("\n");
}

function commandLines({ command, effect }: Question): string[] {
  if (command === undefined) return effect.subject === "" ? [] : [`  ${visible(effect.subject, "")}`];
  const [first = "", ...rest] = visible(command.text).split("\n");
  return [`  $ ${first}`, ...rest.map((line) => `    ${line}`), `in: ${visible(command.cwd, "")}`];
}

function keptLines({ keeps }: Question): string[] {
  return keeps === undefined
    ? []
    : [
        "it keeps:",
        ...visible(keeps)
          .split("\n")
          .map((row) => `  ${row}`),
      ];
}

/** The calls that it is about, in the order in which they land. */
function togetherLines({ together = [] }: Question): string[] {
  if (together.length === 0) return [];
  return [
    `${together.length} calls:`,
    ...together.map((one) => `  ${visible(one.tool, "")} ${visible(one.subject, "")}`),
  ];
}

function outputLines({ command }: Question): string[] {
  if (command?.output === undefined || command.output.trim() === "") return [];
  const lines = sanitize(command.output).trimEnd().split("\n");
  const exit = command.exit === undefined || command.exit === 0 ? "" : ` (exit ${command.exit ?? "by signal"})`;
  const cut = lines.length - OUTPUT_LINES;
  return [
    `output${exit}:`,
    ...(cut > 0 ? [`  … ${cut} lines above`] : []),
    ...lines.slice(-OUTPUT_LINES).map((line) => `  ${line}`),
  ];
}

/** The changes of a question with their diffs, a line each. `numbered`: hunks have numbers where a file has several. */
export function changeLines({ effect, diffs, regenerable }: Question, numbered = false): string[] {
  const { changes } = effect;
  if (changes === undefined) return [];
  const marked = changes.entries.filter((e) => highFacts(e).length > 0);
  const plain = changes.entries.filter((e) => highFacts(e).length === 0);
  const entries = [...marked.filter(isDeletion), ...marked.filter((e) => !isDeletion(e)), ...plain];
  return [
    `changes ${changes.files} ${changes.files === 1 ? "file" : "files"}:`,
    ...entries.map((e) => `  ${entryLine(e)}`),
    ...changes.git.map((g) => `  git: ${visible(g.text, "")}${g.high ? "  (high risk)" : ""}`),
    ...diffs.flatMap((diff) => diffLines(diff, numbered)),
    ...(regenerable === undefined ? [] : [`[${regenerable.preset ? "x" : " "}] ${regenerable.text}`]),
    changes.undoable ? "can be undone" : "CAN'T BE UNDONE",
    ...beyondLines(changes.sideEffects ?? []),
  ];
}

/** What no undo takes back, whatever the answer. */
function beyondLines(effects: readonly SideEffect[]): string[] {
  const words = sideEffectText(effects);
  return words === undefined ? [] : [`it also ${visible(words, "")}: this can't be undone, whatever you answer`];
}

function isDeletion(entry: ChangeEntry): boolean {
  return entry.op === "delete" || highFacts(entry).some((f) => f === "delete" || f === "empty");
}

function entryLine(entry: ChangeEntry): string {
  const counts =
    entry.added === undefined && entry.removed === undefined ? "" : ` +${entry.added ?? 0} -${entry.removed ?? 0}`;
  const size = entry.binary === true && entry.size !== undefined ? ` binary, ${entry.size} bytes` : "";
  const facts = highFacts(entry);
  return `${entry.op} ${entryName(entry)}${counts}${size}${facts.length === 0 ? "" : `  (${facts.join(", ")})`}`;
}

function diffLines(diff: FileDiff, numbered: boolean): string[] {
  const from = diff.from === undefined ? "" : `${visible(diff.from, "")} → `;
  const head = `--- ${diff.op} ${from}${visible(diff.path, "")} +${diff.added} -${diff.removed}`;
  if (diff.hidden !== undefined) {
    const state = diff.after ?? diff.before;
    const hash = state?.hash === undefined ? "" : `, sha256 ${state.hash}`;
    return [head, `not shown: ${visible(diff.hidden, "")}${state === undefined ? "" : `, ${state.size} bytes${hash}`}`];
  }
  return [
    head,
    ...diff.hunks.flatMap((h, n) => [
      `@@ -${h.oldStart} +${h.newStart} @@${numbered && diff.hunks.length > 1 ? ` #${n + 1}` : ""}`,
      ...h.lines.map((line) => visible(line, "\t")),
    ]),
  ];
}
