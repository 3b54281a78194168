import { text } from "./block.ts";
import type { Draft } from "./draft.ts";
import { NO_MARKS } from "./reduce-mark.ts";
import { judgedAnew } from "./reduce-work.ts";
import type { LogEventOf } from "./event.ts";

export function opened(draft: Draft, event: LogEventOf<"session.opened">): void {
  const { state } = draft;
  // A log has one opening; a second one could only have been put there.
  if (state.startedAt !== "") return;
  state.folder = event.folder;
  state.roots = event.roots;
  state.mode = event.mode;
  state.model = event.model;
  state.shell = { cwd: event.folder, env: {} };
  if (event.branch !== undefined) state.branch = event.branch;
  state.startedAt = event.at;
  const from = event.forkedFrom;
  if (from !== undefined) state.forkedFrom = { sessionId: from.sessionId, seq: from.seq };
}

/** A model that stands in keeps in mind whom it stands in for; any other choice ends that. */
export function modelChanged({ state }: Draft, event: LogEventOf<"model.changed">): void {
  const from = state.fellFrom ?? state.model;
  state.model = event.model;
  if (event.by === "fallback") state.fellFrom = from;
  else delete state.fellFrom;
}

export function effortChanged({ state }: Draft, { effort }: LogEventOf<"effort.changed">): void {
  if (effort === undefined) delete state.effort;
  else state.effort = effort;
}

/** Every rule of the session that says the same. */
export function ruleRemoved(draft: Draft, { rule }: LogEventOf<"rule.removed">): void {
  if (rule.source !== "session") return;
  const left = draft.state.rules.filter((r) => r.action !== rule.action || r.text !== rule.text);
  draft.rules().splice(0, Infinity, ...left);
}

/**
 * Trust and bypass are for one run: what the folder brings may be another by now, and a flag is typed anew. Another folder than before:
 * where the shell stood belongs to the old one.
 */
export function resumed(draft: Draft, event: LogEventOf<"session.resumed">): void {
  const { state } = draft;
  state.trusted = false;
  state.bypass = false;
  if (event.folder !== state.folder) state.shell = { cwd: event.folder, env: {} };
  state.folder = event.folder;
  state.roots = event.roots;
  if (event.branch === undefined) delete state.branch;
  else state.branch = event.branch;
  withoutUnanswered(state);
}

/** A turn that no reply came of is asked for again under its own number, and is none of those that a limit allows. */
function withoutUnanswered(state: Draft["state"]): void {
  const { query } = state;
  if (query === undefined || query.ended !== undefined || query.turn === 0) return;
  const reply = state.items.findLast((item) => item.kind === "reply");
  if (reply?.kind === "reply" && reply.seq > query.startSeq && reply.turn === query.turn) return;
  state.query = { ...query, turn: query.turn - 1 };
  state.turns = Math.max(0, state.turns - 1);
}

/**
 * Takes out of a state whatever a stranger could have written into its log to gain by it: mode, rules, trust, roots, the shell's
 * environment, step layers, file hashes, and every unfinished call, which is closed without being run (E1). What was said stays.
 */
export function distrust(draft: Draft): void {
  const { state } = draft;
  state.foreign = true;
  state.mode = "ask";
  state.rehearsing = false;
  state.trusted = false;
  state.bypass = false;
  state.roots = state.roots.filter((root) => root.kind === "folder" && root.path === state.folder);
  state.shell = { cwd: state.folder, env: {} };
  state.groups = [];
  state.agents = [];
  draft.rules().length = 0;
  draft.steps().length = 0;
  draft.touched().clear();
  draft.made().clear();
  draft.failures().clear();
  draft.changed().clear();
  state.marks = NO_MARKS;
  state.limits = { message: {}, session: {} };
  state.checks = new Map();
  // What it may not do still holds; what was agreed does not.
  judgedAnew(draft);
  if (state.query !== undefined && (state.query.ended ?? "waiting") === "waiting") {
    state.query = { ...state.query, ended: "interrupted" };
  }
  const note =
    "Never finished and not run again: the session's log was changed from outside, so this call can't be trusted.";
  for (const [callId, { question: _, ...call }] of state.calls) {
    if (call.result !== undefined) continue;
    draft
      .calls()
      .set(callId, { ...call, result: { status: "unknown", content: [text(note)], touched: [], durationMs: 0 } });
  }
}
