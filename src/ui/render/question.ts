import type { ChangeEntry } from "../../events/effect.ts";
import { type SideEffect, sideEffectText } from "../../events/side-effect.ts";
import type { Question } from "../../permissions/asker.ts";
import { needText } from "../../permissions/risk.ts";
import type { Style } from "../theme.ts";
import { type BodyRow, exactRows, free, must } from "./body-row.ts";
import { entryLine, isGrave, mustSee, toldByDiff } from "./change-entry.ts";
import { clean, cleanRow, exact } from "./clean.ts";
import { longRuleRows, needRows, ruleRows } from "./need-rows.ts";
import { diffBody, diffHead } from "./diff.ts";
import { line, type Line, type Span, truncate, wrap } from "./spans.ts";
import { isPlain, warningRows } from "./warning-rows.ts";
import { boxes, hunkLine, type QuestionOptions } from "./choice-part.ts";
import { reviewRows } from "./review.ts";
import { outputRows } from "./tool.ts";
import { bytes, grouped, several } from "./units.ts";

const OUTPUT_ROWS = 200;
/** What the question asks, on one row: who, what, how risky, which of several. */
export function questionTitle(question: Question, width: number, at = question.place): Line {
  const { effect, decision } = question;
  const risk: Style = decision.risk === "high" ? "error" : decision.risk === "medium" ? "warning" : "dim";
  const place = at === undefined ? "" : ` · ${at.n} of ${at.of}`;
  const ask = question.gate === "needs" ? "Allow" : "Land";
  const whose = question.gate === "changes" ? "’s changes" : "";
  const calls = question.together?.length ?? 1;
  const one = calls > 1 ? `the changes of ${several(calls, "call")}` : `${cleanRow(effect.tool)}${whose}`;
  const what = question.review === undefined ? one : "what was rehearsed";
  return truncate(
    [
      { text: `${ask} ${what}?`, style: "bold" },
      { text: ` ${decision.risk} risk`, style: risk },
      { text: question.agent === undefined ? "" : ` · asked by ${cleanRow(question.agent)}`, style: "accent" },
      { text: place, style: "dim" },
    ],
    width,
  );
}

/** Everything that the person may have to see, in order: reason, command, output, deletions and other changes, diffs (P5, P-1). */
export function questionBody(question: Question, options: QuestionOptions): BodyRow[] {
  return [
    ...reasonRows(question, options),
    ...togetherRows(question, options.width),
    ...sentRows(question, options.width),
    ...keptRows(question, options.width),
    ...warningRows(question, options.width),
    ...needRows(question.effect.needs, options.width),
    // What may be remembered says so by its options.
    ...(mayRemember(question)
      ? longRuleRows(question, options.width, options.rule)
      : ruleRows(question, options.width)),
    ...reviewRows(question, options),
    ...commandRows(question, options.width),
    ...changeRows(question, options),
    ...diffRows(question, options),
  ];
}

function reasonRows(question: Question, options: QuestionOptions): BodyRow[] {
  const reason = reasonLine(question, options);
  return reason.every(({ text }) => text === "") ? [] : free(wrap(reason, { width: options.width }));
}

/** The calls in the order in which they land, each as a step of its own. */
function togetherRows({ together = [] }: Question, width: number): BodyRow[] {
  if (together.length === 0) return [];
  const calls = together.map((one) => `${cleanRow(one.tool)} ${exact(one.subject)}`);
  return free(wrap(line(`one after another: ${calls.join(" · ")}`, "dim"), { width, rest: line("  ") }));
}

/** What goes to somebody else, every sign of it: the address of a page with its query, what a server's tool is given. */
function sentRows({ effect, command, gate }: Question, width: number): BodyRow[] {
  const leaves = effect.needs.some((need) => need.kind === "network" || need.kind === "mcp");
  if (!leaves || command !== undefined || gate !== "needs") return [];
  return must("sent", exactRows(effect.subject, width, line("sends ", "accent"), "bold"));
}

function keptRows({ keeps }: Question, width: number): BodyRow[] {
  return keeps === undefined ? [] : must("kept", exactRows(keeps, width, line("keeps ", "accent"), "bold"));
}

/** One file says all that there is to say of it in one row, behind why it is asked. */
function reasonLine(question: Question, options: QuestionOptions): Line {
  const reason = line(cleanRow(reasonOf(question)), "dim");
  return isAlone(question, options) ? [...reason, ...line(" · ", "dim"), undoSpan(question.effect.changes)] : reason;
}

/** Why it is asked, without what the rows of its needs say word for word. */
function reasonOf({ decision, effect }: Question): string {
  const told = effect.needs.filter((need) => need.kind === "network").map(needText);
  const rest = decision.reason.split("; ").filter((part) => !told.includes(part));
  return rest.join("; ");
}

/** One change whose diff below tells all of it: no list needs to name it as well. */
function isAlone({ effect, diffs }: Question, { parts }: QuestionOptions): boolean {
  const [entry, ...more] = effect.changes?.entries ?? [];
  return entry?.root === 0 && more.length === 0 && diffs.length === 1 && parts === undefined;
}

function undoSpan(changes: Question["effect"]["changes"]): Span {
  return changes?.undoable === false
    ? { text: "can NOT be undone", style: "error" }
    : { text: "can be undone", style: "dim" };
}

/**
 * False for high risk, but for what may be pinned or named by host (P3), and where hidden characters were written out: then
 * nothing is offered to be remembered (P-2).
 */
export function mayRemember(question: Question): boolean {
  const { needs } = question.effect;
  const pinned = needs.length > 0 && needs.every((need) => need.kind === "network" || need.kind === "mcp");
  if (question.decision.risk === "high" && !pinned) return false;
  return question.offer !== undefined && isPlain(question);
}

function commandRows(question: Question, width: number): BodyRow[] {
  const { command, effect } = question;
  if (command === undefined) return [];
  const out = effect.needs.some((need) => need.kind === "unsandboxed");
  const alone = question.gate === "needs" && !effect.needs.some((need) => need.kind === "network");
  const inside = alone ? "in the copy, no network" : "in the copy";
  const where = !effect.contained ? "without walls" : out ? "outside the copy, as you" : inside;
  const ran = command.exit === undefined ? "" : ` · exit ${command.exit ?? "none"}`;
  const output = command.output === undefined ? [] : outputRows(command.output, width, OUTPUT_ROWS, false, " above");
  return [
    ...must("command", exactRows(command.text, width, line("$ ", "accent"), "bold")),
    ...free(wrap(line(`${cleanRow(command.cwd)} · ${where}${ran}`, "dim"), { width })),
    ...exportedRows(command.exported ?? [], width),
    ...free(output),
  ];
}

/** What earlier commands exported decides which program a word starts, and what that does. */
function exportedRows(exported: readonly string[], width: number): BodyRow[] {
  if (exported.length === 0) return [];
  return must("exported", [
    ...wrap(line("with what earlier commands exported:", "warning"), { width }),
    ...exported.flatMap((text) => exactRows(shortened(text).replaceAll("\n", "\\n"), width, line("  "))),
  ]);
}

function shortened(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}… (${grouped(text.length)} characters)` : text;
}

function changeRows(question: Question, options: QuestionOptions): BodyRow[] {
  const changes = question.effect.changes;
  if (changes === undefined) return [];
  const { width } = options;
  const { entries } = changes;
  const sorted = entryOrder(entries);
  const alone = isAlone(question, options);
  const listed = alone ? sorted.filter(({ entry }) => mustSee(entry) && !toldByDiff(entry)) : sorted;
  const byEntry = Map.groupBy(options.parts ?? [], (part) => part.at);
  const [folder] = question.where ?? [];
  const into = folder === undefined ? "" : `into ${exact(folder)} · `;
  const sum: Line = [{ text: `${several(changes.files, "file")} · ${into}`, style: "dim" }, undoSpan(changes)];
  return [
    ...(alone ? [] : free(wrap(sum, { width }))),
    ...listed.flatMap(({ entry, at }) => {
      const parts = byEntry.get(at) ?? [];
      const whole = parts.find((part) => part.hunk === undefined);
      const rows = wrap([...boxes(whole), ...elsewhere(question, entry), ...entryLine(entry)], {
        width,
        rest: line("    "),
      });
      const hunks = parts.flatMap((part) => (part.hunk === undefined ? [] : [hunkLine(part, part.hunk, width)]));
      return [...(mustSee(entry) ? must(`entry:${at}`, rows) : free(rows)), ...free(hunks)];
    }),
    ...changes.git.flatMap((effect, at) => {
      const rows = exactRows(effect.text, width, line("git ", "dim"), effect.high ? "error" : undefined);
      return effect.high ? must(`git:${at}`, rows) : free(rows);
    }),
    ...beyondRows(changes.sideEffects ?? [], width),
    ...free(
      changes.regenerable.flatMap((r) =>
        wrap(
          line(
            `${exact(r.path)}: ${several(r.files, "file")}, ${bytes(r.bytes)}, regenerable, stays in the copy`,
            "dim",
          ),
          { width },
        ),
      ),
    ),
  ];
}

/** Which folder it goes to, where that isn't the session's own. */
function elsewhere({ where = [] }: Question, { root }: ChangeEntry): Line {
  return root === 0 ? [] : [{ text: `in ${exact(where[root] ?? `folder ${root + 1}`)}: `, style: "warning" }];
}

/** What the command did that stays done, whatever is answered. */
function beyondRows(effects: readonly SideEffect[], width: number): BodyRow[] {
  const words = sideEffectText(effects);
  return words === undefined
    ? []
    : must(
        "beyond",
        wrap(line(`it also ${exact(words)}: this can't be undone`, "warning"), { width, rest: line("  ") }),
      );
}

/** The order in which changes are listed: what raises the risk first. `at`: index in the summary. */
export function entryOrder(entries: readonly ChangeEntry[]): { entry: ChangeEntry; at: number }[] {
  const all = entries.map((entry, at) => ({ entry, at }));
  return [...all.filter(({ entry }) => isGrave(entry)), ...all.filter(({ entry }) => !isGrave(entry))];
}

const drawn = new WeakMap<Question, { width: number; rows: BodyRow[] }>();

/** The diffs stay as they are while parts are chosen. */
function diffRows(question: Question, options: QuestionOptions): BodyRow[] {
  const { width } = options;
  const kept = drawn.get(question);
  if (kept?.width === width) return kept.rows;
  const only = question.effect.changes?.entries[0];
  const told = isAlone(question, options) && only !== undefined && toldByDiff(only);
  const rows = question.diffs.flatMap((diff) => [
    { row: [] },
    ...(told ? (head: Line[]) => must("entry:0", head) : free)(wrap(diffHead(diff), { width, rest: line("  ") })),
    ...free(diffBody(diff, { width, exact: true })),
  ]);
  drawn.set(question, { width, rows });
  return rows;
}

/** The text of an AskUser question, wrapped. */
export function personQuestionRows(question: string, width: number): Line[] {
  return clean(question)
    .trim()
    .split("\n")
    .flatMap((row) => wrap(line(row, "bold"), { width }));
}
