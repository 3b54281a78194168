import { attachedTo, type ContentBlock, textOf } from "../../events/block.ts";
import type { LogEvent, LogEventOf } from "../../events/event.ts";
import type { Item, SessionState } from "../../events/state.ts";
import { amountText, LIMIT_WORDS, scopeText } from "../../loop/limit-words.ts";
import { changeName } from "../../loop/say.ts";
import { endWords } from "../../tools/shell-words.ts";
import type { FileDiff } from "../../workspace/workspace.ts";
import { cleanRow } from "./clean.ts";
import { contextWords } from "./context-words.ts";
import { failingRows } from "./failing.ts";
import { inputDiffs } from "./input-diffs.ts";
import { hookRows } from "./hook.ts";
import { memoryRows } from "./memory.ts";
import { markdown } from "./markdown.ts";
import { personLines } from "./person.ts";
import { line, type Line, type Span, wrap } from "./spans.ts";
import { type Card, cardLines } from "./tool.ts";
import { duration, several } from "./units.ts";

/** What was attached to a message, below it. */
function attachedRows(content: readonly ContentBlock[], width: number): Line[] {
  return attachedTo(content).flatMap((words) => wrap(line(`  ${cleanRow(words)}`, "dim"), { width, rest: line("  ") }));
}

/** The card of a call as the fold knows it; undefined while it has no result. */
export function cardOf(state: SessionState, callId: string, diffs?: readonly FileDiff[]): Card | undefined {
  const call = state.calls.get(callId);
  if (call?.result === undefined) return undefined;
  const step = state.steps.findLast((s) => s.callId === callId);
  const shown = ["landed", "undone", "pended", "squashed"].includes(step?.status ?? "");
  const landed = shown ? step?.summary : undefined;
  const said = shownText(call.result.content);
  return {
    tool: call.tool,
    input: call.input,
    status: call.result.status,
    text: call.result.status === "denied" && said === NOTHING_SAID ? "" : said,
    durationMs: call.result.durationMs,
    folder: state.folder,
    landed,
    diffs: landed === undefined ? undefined : (diffs ?? inputDiffs(call)),
    exit: exitOf(call.result.details),
    undone: step?.status === "undone",
    keys: call.result.keys,
    pending: step?.status === "pended",
    dropped: step?.status === "dropped" && (step.summary?.files ?? 0) > 0,
  };
}

/** What a command's result is where it wrote nothing: below a denial that tells nothing more. */
const NOTHING_SAID = "(no output)";

/** What the loop tells the model about what landed or was denied; the card and the row above it tell it better. */
const LOOP_WORDS =
  /^(?:\[(?:Landed in|The person (?:says to this|changed this)|Pending, not|None of its changes|Nothing of this step|\d+ regenerable|«key:…» stands)|Denied, nothing ran: )/;

function shownText(content: readonly ContentBlock[]): string {
  return textOf(content.filter((block) => block.type === "text" && !LOOP_WORDS.test(block.text)));
}

function exitOf(details: unknown): number | null | undefined {
  if (typeof details !== "object" || details === null) return undefined;
  for (const key of ["exit", "code"]) {
    const value: unknown = Reflect.get(details, key);
    if (typeof value === "number" || value === null) return value;
  }
  return undefined;
}

/** Facts that leave a row of their own in the transcript; undefined for the others. */
export function factLines(event: LogEvent, width: number, folder = ""): Line[] | undefined {
  const row = (text: string, style: Span["style"] = "dim") =>
    wrap(line(cleanRow(text), style), { width, rest: line("  ") });
  switch (event.type) {
    case "prompt.submitted":
      return [
        ...attachedRows(event.content, width),
        ...(event.keys === undefined ? [] : row(`── ${several(event.keys, "key")} in it hidden from the model`)),
      ];
    case "mode.changed":
      return row(`── ${event.mode} mode${event.by === "person" ? "" : ` (${event.by})`}`);
    case "model.changed":
      return row(modelWords(event), event.by === "fallback" ? "warning" : "dim");
    case "effort.changed":
      return row(`── effort ${event.effort ?? "as the model likes"}`);
    case "rehearsal.changed":
      return row(event.on ? "── rehearsing: nothing reaches the folder until /land" : "── the rehearsal is over");
    case "trust.ended":
      return row(`── no longer trusted: ${event.reason}`);
    case "bypass.changed":
      return row(event.on ? "── BYPASS: nothing is asked that no rule asks" : "── bypass is off", "error");
    case "rule.added":
      return ruleRow(event, row);
    case "rule.removed":
      return row(`── rule taken away: ${event.rule.action} ${event.rule.text} (${event.rule.source})`);
    case "permission.decided":
      return decidedRow(event, row, folder);
    case "changes.conflicted":
      return row(conflictedWords(event), "error");
    case "changes.landed": {
      const names = event.summary.entries.slice(0, 5).map(changeName);
      const more = event.summary.entries.length > 5 ? ` and ${event.summary.entries.length - 5} more` : "";
      const what = landedFrom(event);
      return row(`✓ ${what}: ${[...names, ...event.summary.git.map((g) => g.text)].join(", ")}${more}`);
    }
    case "kept.landed":
      return row(keptWords(event));
    case "group.ended":
      return row(
        `── background shell ${event.groupId} ${endWords(event.how)}`,
        event.how.code === 0 ? "dim" : "warning",
      );
    case "changes.undone":
      return row(`↶ undone${byOther(event.by)}: ${several(event.paths.length, "file")}`);
    case "changes.redone":
      return row(`↷ done again${byOther(event.by)}: ${several(event.paths.length, "file")}`);
    case "limit.warned":
      return row(event.text, "warning");
    case "context.mended":
      return row(event.why, "warning");
    case "context.rewound":
    case "context.compacted":
    case "context.cleared":
    case "context.restored":
    case "aside.asked":
      return row(contextWords(event));
    case "reply.cut":
      // Why, and whose doing it was, is told where the query ends.
      return undefined;
    case "limit.changed":
      return row(
        `── limit ${scopeText(event.scope)}: ${event.value === null ? `no limit in ${LIMIT_WORDS[event.limit]}` : amountText(event.limit, event.value)}`,
      );
    case "hook.ran":
      return hookRows(event, row);
    case "check.ran":
      return checkRows(event, row);
    case "query.finished":
      return finishedRow(event, row);
    default:
      return memoryRows(event, row);
  }
}

/** A review and a hook are calls of their own, which no reply made. */
function landedFrom({ callId, operationId }: Extract<LogEvent, { type: "changes.landed" }>): string {
  if (callId === operationId) return "the rehearsal landed";
  return callId?.startsWith("hook_") === true ? "landed from a hook" : "landed from a background shell";
}

/** A model that stands in is told with why, and until when. */
function modelWords({ model, by, reason }: Extract<LogEvent, { type: "model.changed" }>): string {
  if (by === "fallback")
    return `── ${model} stands in until your next message: ${reason ?? "the first choice can't be had"}`;
  return by === "back" ? `── back to ${model}` : `── model ${model}`;
}

/** One file in the way keeps back all of a step. */
function conflictedWords({ conflicts, files }: Extract<LogEvent, { type: "changes.conflicted" }>): string {
  const count = files === undefined ? "" : ` (${several(files, "file")})`;
  const some = conflicts
    .slice(0, 10)
    .map(({ path, why }) => (why.startsWith("it was ") ? `${path} ${why.slice(3)}` : `${path}: ${why}`));
  const more = conflicts.length > some.length ? ` and ${conflicts.length - some.length} more` : "";
  return `✗ nothing of this step landed${count}: ${some.join(", ")}${more}`;
}

/** Who it was, where it wasn't the person in this session. */
function byOther(by: string): string {
  return by === "person" ? "" : ` by ${by}`;
}

type MakeRow = (text: string, style?: Span["style"]) => Line[];

/** An answer leaves one row: what, decision, by whom, scope (P-8). What policy decided alone leaves none. */
function ruleRow({ rule, unsaved }: Extract<LogEvent, { type: "rule.added" }>, row: MakeRow): Line[] {
  const where = unsaved === undefined ? rule.source : `this session only: ${unsaved}`;
  return row(`── rule ${rule.action} ${rule.text} (${where})`, unsaved === undefined ? "dim" : "warning");
}

function decidedRow(
  event: Extract<LogEvent, { type: "permission.decided" }>,
  row: MakeRow,
  folder: string,
): Line[] | undefined {
  if (event.by === "policy" && event.outcome === "allow") return undefined;
  const what =
    event.effect === undefined ? "" : ` ${event.effect.tool} ${event.effect.subject.replace(`${folder}/`, "")}`;
  const by = event.by === "person" ? "you" : event.by === "rule" ? `rule ${event.rule?.text ?? ""}` : event.by;
  const part = event.dropped === undefined ? "" : `, without ${event.dropped.map((d) => d.path).join(", ")}`;
  const note = event.note === undefined ? "" : `: ${event.note}`;
  // Told by the row of its landing, which is next.
  if (event.outcome === "allow" && event.effect?.tool === "Rehearsal" && part === "") return undefined;
  if (event.outcome === "allow") return row(`✓ allowed by ${by}${what}${part}`, "dim");
  const why = event.by === "person" ? note : `: ${event.reason}`;
  return row(`⊘ denied by ${by}${what}${why}`, "warning");
}

/** A check's outcome; of one that failed what it says of the first failure, the rest is with the model. */
function checkRows(event: Extract<LogEvent, { type: "check.ran" }>, row: MakeRow): Line[] {
  const { name = "", command, exit, ended, changed, output } = event;
  // What only looks at files says itself what it is, and has no exit code.
  const looks = /^must (exist|not change): /.test(command);
  const what = name === "" || name === command || command.startsWith(`${name}: `) ? command : `${name}: ${command}`;
  const code = exit === 0 || exit === null || looks ? "" : ` (exit code ${exit})`;
  const how = ended === undefined ? code : ` (${ended})`;
  return [
    ...row(`${exit === 0 ? "✓" : "✗"} check ${what}${how}`, exit === 0 ? "ok" : "error"),
    ...(exit === 0 ? [] : failingRows(output)).flatMap((text) => row(`  ${text}`)),
    ...(changed === undefined ? [] : row(`  it changed ${changed.join(", ")}; that is dropped`, "warning")),
  ];
}

function finishedRow(event: Extract<LogEvent, { type: "query.finished" }>, row: MakeRow): Line[] | undefined {
  const ended = endedRow(event, row);
  if (event.unverified === undefined) return ended;
  const words = `? unverified: “${event.unverified}” — no test ran since the last change`;
  return [...(ended ?? []), ...row(words, "warning")];
}

function endedRow(event: Extract<LogEvent, { type: "query.finished" }>, row: MakeRow): Line[] | undefined {
  const detail = event.detail === undefined ? "" : `: ${event.detail}`;
  switch (event.reason) {
    case "done":
      return event.durationMs < 10_000 ? undefined : row(`✓ ${duration(event.durationMs)}`);
    case "interrupted":
      return row("■ Stopped by you", "warning");
    case "denied":
      return row("■ Stopped: you said no · say what to do instead", "warning");
    case "waiting":
      return row(`? Waits for your answer${detail}`, "warning");
    case "api-error":
      return row(`✗ ${event.detail ?? "The model could not be reached."} · any message goes on`, "error");
    case "tool-failing":
    case "going-round":
      return row(`✗ Handed over to you${detail} · say what to do instead`, "error");
    default:
      return row(`✗ ${event.detail ?? `Stopped (${event.reason})`}`, "error");
  }
}

/** The newest part of a session as it was on screen: at most `max` items, older ones counted (E2). */
export function historyLines(state: SessionState, width: number, max = 60): Line[] {
  const items = state.items.slice(-max);
  const left = state.items.length - items.length;
  const head: Line[] =
    left > 0 ? wrap(line(`… ${several(left, "earlier entry", "earlier entries")}`, "dim"), { width }) : [];
  return [...head, ...items.flatMap((item) => itemRows(item, state, width))];
}

/** The last rows of that, at most so many: also of a state that knows only how the session ends. */
export function newestLines(state: SessionState, width: number, rows: number, max = 60): Line[] {
  const out: Line[] = [];
  for (const item of state.items.slice(-max).toReversed()) {
    if (out.length >= rows) break;
    out.unshift(...itemRows(item, state, width));
  }
  return out.slice(-rows);
}

/** A blank row before each block. */
function itemRows(item: Item, state: SessionState, width: number): Line[] {
  return itemBlocks(item, state, width).flatMap((rows): Line[] => [[], ...rows]);
}

function itemBlocks(item: Item, state: SessionState, width: number): Line[][] {
  switch (item.kind) {
    case "prompt":
      return [[...personLines(textOf(item.content), width), ...attachedRows(item.content, width)]];
    case "note":
      return [];
    case "reply":
      return item.blocks.flatMap((block) => {
        if (block.type === "text") return block.text.trim() === "" ? [] : [markdown(block.text, width)];
        if (block.type !== "tool_use") return [];
        const card = cardOf(state, block.id);
        return card === undefined ? [] : [cardLines(card, width)];
      });
  }
}

function keptWords({ files, rule, rest }: LogEventOf<"kept.landed">): string {
  const stay = rest === 0 ? "" : `; the rest stays in the copy (${several(rest, "entry", "entries")})`;
  return `✓ ${several(files, "regenerable file")} landed by your rule ${rule?.text ?? "Land"}${stay}`;
}
