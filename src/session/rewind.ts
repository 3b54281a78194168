import { belongsTo } from "../events/agent-id.ts";
import { textOf } from "../events/block.ts";
import type { LogEvent } from "../events/event.ts";
import { sideEffectText } from "../events/side-effect.ts";
import { fold, initialState } from "../events/reduce.ts";
import type { SessionState } from "../events/state.ts";
import { leaves } from "../loop/leaves.ts";
import { previewSteps, turnSteps } from "./changes.ts";
import type { JournalStep } from "../workspace/workspace.ts";
import type { LiveParts } from "./live-parts.ts";
import type { ChangeReport, RewindPoint, RewindPreview, RewindWhat, UndoHow } from "./session.ts";

/** The person's messages that are part of the conversation, oldest first, each with what landed until the next. */
export function rewindPoints({ log }: Pick<LiveParts, "log">): RewindPoint[] {
  const prompts = log.state.items.flatMap((item) => (item.kind === "prompt" && item.when === "start" ? [item] : []));
  const found: (RewindPoint & { paths: Set<string> })[] = [];
  // One pass over both: a long session has thousands of each.
  for (const event of log.events) {
    const next = prompts[found.length];
    if (next !== undefined && event.seq === next.seq)
      found.push({ to: next.seq, text: textOf(next.content), at: event.at, steps: 0, files: 0, paths: new Set() });
    const point = found.at(-1);
    if (point === undefined || event.type !== "changes.landed") continue;
    point.steps++;
    for (const entry of event.summary.entries) point.paths.add(`${entry.root}/${entry.path}`);
  }
  return found.map(({ paths, ...point }) => ({ ...point, files: paths.size }));
}

/** What going back to before a message would do, to the files and to the conversation. Touches nothing. */
export async function previewRewind(parts: LiveParts, to: number): Promise<RewindPreview> {
  const { log } = parts;
  pointAt(parts, to);
  const since = log.events.filter((e) => e.seq >= to);
  const steps = await stepsSince(parts, to);
  const landed = new Set(since.flatMap((e) => (e.type === "changes.landed" ? [e.operationId] : [])));
  const proposed = new Set(since.flatMap((e) => (e.type === "changes.proposed" ? [e.operationId] : [])));
  const gone = log.state.items.filter((item) => item.seq >= to);
  return {
    to,
    prompts: gone.filter((item) => item.kind === "prompt").length,
    replies: gone.filter((item) => item.kind === "reply").length,
    ...(steps.length === 0 ? {} : { files: await previewSteps(parts, "undo", steps) }),
    outside: outsideOf(since),
    pending: log.state.steps.filter((s) => s.status === "pended" && proposed.has(s.operationId)).length,
    undone: log.state.steps.filter((s) => s.status === "undone" && landed.has(s.operationId)).length,
  };
}

/**
 * Goes back to before a message: the files that landed since, the conversation, or both; the files first, and where they can't be,
 * nothing. The model is told of files that were undone by a conversation that goes on.
 */
export async function rewind(
  parts: LiveParts,
  to: number,
  what: RewindWhat,
  how: UndoHow = "alone",
): Promise<ChangeReport> {
  const { log } = parts;
  const point = pointAt(parts, to);
  const since = log.events.filter((e) => e.seq >= to);
  const steps = what === "conversation" ? [] : await stepsSince(parts, to);
  const undone =
    steps.length === 0
      ? { ok: true, text: what === "files" ? "No files landed since then." : "", paths: [] }
      : await turnSteps(parts, "undo", steps, how);
  if (!undone.ok || what === "files") return undone;
  await back(parts, to);
  // The conversation of before knows nothing of what stays in the folder.
  if (what === "conversation") await tellStaying(parts, since);
  const words = `The conversation is as it was before "${short(textOf(point.content))}".`;
  return { ...undone, text: undone.text === "" ? words : `${undone.text} ${words}` };
}

function pointAt({ log }: LiveParts, to: number) {
  const found = log.state.items.find((item) => item.seq === to);
  if (found?.kind !== "prompt") throw new Error(`there is no message ${to} in this conversation to go back to`);
  return found;
}

/** Steps of this session that are landed now and were not then. What the log doesn't hold (output that was kept first) goes by its time. */
async function stepsSince({ log, workspace }: LiveParts, to: number): Promise<string[]> {
  const then = new Set(stateBefore(log, to).steps.flatMap((s) => (s.status === "landed" ? [s.operationId] : [])));
  const known = new Set(log.state.steps.map((s) => s.operationId));
  const at = log.events.find((e) => e.seq === to)?.at ?? "";
  const isSince = (s: JournalStep): boolean => (known.has(s.operationId) ? !then.has(s.operationId) : s.at >= at);
  const own = (await workspace.journal()).filter((s) => s.status === "landed" && belongsTo(s.sessionId, log.state.id));
  return own.filter(isSince).map((s) => s.operationId);
}

function stateBefore(log: LiveParts["log"], to: number): SessionState {
  return fold(
    initialState(log.state.id),
    log.events.filter((e) => e.seq < to),
  );
}

async function back({ log }: LiveParts, to: number): Promise<void> {
  const then = stateBefore(log, to);
  const keptFrom = then.items[then.firstItem]?.seq ?? to;
  const summary = then.summary === undefined ? {} : { summary: then.summary };
  await log.append({ type: "context.rewound", to, keptFrom, ...summary });
  if (JSON.stringify(then.todos) !== JSON.stringify(log.state.todos))
    await log.append({ type: "todo.updated", todos: [...then.todos] });
  const { cwd, env } = then.shell;
  if (cwd !== log.state.shell.cwd || JSON.stringify(env) !== JSON.stringify(log.state.shell.env))
    await log.append({ type: "shell.moved", cwd, env: { ...env } });
}

async function tellStaying({ log }: LiveParts, since: readonly LogEvent[]): Promise<void> {
  const landed = since.flatMap((e) => (e.type === "changes.landed" ? [e] : []));
  const stays = landed.filter((e) =>
    log.state.steps.some((s) => s.operationId === e.operationId && s.status === "landed"),
  );
  const names = [...new Set(stays.flatMap((e) => e.summary.entries.map((entry) => entry.path)))];
  if (names.length === 0) return;
  const shown = names.slice(0, 10).join(", ") + (names.length > 10 ? ` and ${names.length - 10} more` : "");
  const text = `The person went back to this point of the conversation, but these files stay as they were changed after it: ${shown}. Read them before you rely on them.`;
  await log.append({ type: "note.added", text });
}

/** Calls since then that had effects outside of the copy and the folder: no undo takes those back. */
export function outsideOf(events: readonly LogEvent[]): string[] {
  const started = new Map(events.flatMap((e) => (e.type === "call.started" ? [[e.callId, e.tool] as const] : [])));
  const names = new Map<string, string>();
  const calls = new Map<string, string>();
  for (const e of events) {
    if (e.type === "permission.decided" && e.gate === "needs" && e.outcome === "allow" && e.effect !== undefined) {
      names.set(e.callId, `${e.effect.tool} ${short(e.effect.subject)}`);
      const needs = e.effect.needs.filter(leaves);
      const where = [...new Set(needs.map(whereOf))].join(", ");
      if (needs.length > 0 && started.has(e.callId)) calls.set(e.callId, `${names.get(e.callId) ?? ""} (${where})`);
    }
    // What it did is more than what it was allowed.
    const did = e.type === "call.finished" ? sideEffectText(e.sideEffects ?? []) : undefined;
    if (e.type === "call.finished" && did !== undefined)
      calls.set(e.callId, `${names.get(e.callId) ?? started.get(e.callId) ?? "a call"}: ${did}`);
  }
  const own = events.flatMap((e) => (e.type === "shell.ran" && e.outside ? [`!! ${short(e.command)} (outside)`] : []));
  return [...calls.values(), ...own];
}

function whereOf(need: Parameters<typeof leaves>[0]): string {
  switch (need.kind) {
    case "network":
      return `network: ${need.host}`;
    case "outside":
      return `outside: ${need.path}`;
    case "mcp":
      return `server ${need.server}`;
    case "unsandboxed":
    case "uncontained":
      return "outside of the copy";
    case "port":
      return `port ${need.port}`;
    case "before":
    case "change":
      return "the folder";
  }
}

function short(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
