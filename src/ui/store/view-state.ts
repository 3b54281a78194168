import { attachedTo, textOf } from "../../events/block.ts";
import { isFact, type LogEvent, type LogEventOf, type SessionEvent, type Todo } from "../../events/event.ts";
import type { LiveEvent } from "../../events/live-event.ts";
import { assertNever } from "../../util/never.ts";
import type { Entry } from "./entry.ts";
import { NO_STREAM } from "./stream.ts";
import { agentBegins, spentByAgent, withAgent } from "./view-agents.ts";
import { deniedCall, finishedCall, heard, started } from "./view-calls.ts";
import { inputDelta, replied, spent, textDelta, thinkingDelta } from "./view-reply.ts";
import { IDLE, NO_REPLY, NO_VIEW, type View, type ViewStep } from "./view.ts";

/**
 * One event, fact or live. Pure. `at`: the clock's milliseconds; when a log is folded on resume, the fact's own time.
 * Facts alone give the same transcript as facts with their live events, but for where its Markdown is cut.
 */
export function reduceView(view: View, event: SessionEvent, at: number): ViewStep {
  return isFact(event) ? reduceFact(view, event, at) : reduceLive(view, event, at);
}

/** Folds a log's facts. */
export function viewOf(facts: Iterable<LogEvent>): ViewStep {
  let view = NO_VIEW;
  const entries: Entry[] = [];
  for (const fact of facts) {
    const step = reduceView(view, fact, Date.parse(fact.at));
    view = step.view;
    entries.push(...step.entries);
  }
  return { view, entries };
}

function reduceLive(before: View, event: LiveEvent, at: number): ViewStep {
  const view: View = { ...before, lastSignAt: at, retry: undefined };
  switch (event.type) {
    case "limits.told":
      return just({ ...view, limits: event.limits });
    case "reply.started":
      return just({ ...view, ...NO_REPLY, phase: "waiting" });
    case "check.started":
      return just(checking(view, event, at));
    case "text.delta":
      return textDelta(view, event.text);
    case "thinking.delta":
      return thinkingDelta(view, event.text);
    case "input.delta":
      return inputDelta(view, event.json);
    case "tool.output":
      return just({
        ...view,
        running: view.running.map((c) => (c.callId === event.callId ? heard(c, event.text) : c)),
      });
    case "agent.event":
      return just({ ...view, running: withAgent(view.running, event) });
    case "request.retrying": {
      const retry = { attempt: event.attempt, of: event.of, reason: event.reason, at: at + event.inMs };
      return just({ ...view, retry, phase: "waiting" });
    }
    case "reply.discarded": {
      const shown = view.committed !== "" || view.stream !== NO_STREAM;
      const notice: Entry = { kind: "notice", text: `The reply broke off and is asked for anew: ${event.reason}` };
      return { view: { ...view, ...NO_REPLY }, entries: shown ? [notice] : [] };
    }
    default:
      return assertNever(event);
  }
}

function just(view: View): ViewStep {
  return { view, entries: [] };
}

function reduceFact(before: View, event: LogEvent, at: number): ViewStep {
  const view: View = { ...before, lastSignAt: at };
  const fact: Entry = { kind: "fact", event };
  switch (event.type) {
    case "session.opened":
      return just({ ...view, folder: event.folder, mode: event.mode, model: event.model });
    case "session.resumed":
      return just({ ...view, folder: event.folder });
    case "mode.changed":
      return { view: { ...view, mode: event.mode }, entries: [fact] };
    case "model.changed":
      return { view: { ...view, model: event.model }, entries: [fact] };
    case "effort.changed":
      return { view: { ...view, effort: event.effort }, entries: [fact] };
    case "prompt.submitted":
      return submitted(view, event, at);
    case "turn.started":
      return just({ ...view, ...NO_REPLY, turn: event.turn, phase: "waiting", startedAt: view.startedAt ?? at });
    case "reply.completed":
    case "reply.cut":
      return replied(view, event);
    case "permission.asked": {
      const { questionId, callId, effect, decision } = event;
      return just({ ...view, phase: "asking", question: { questionId, callId, effect, decision } });
    }
    case "permission.decided": {
      const answered = view.question?.callId === event.callId;
      const running = event.outcome === "deny" ? deniedCall(view.running, event.callId) : view.running;
      const next = answered
        ? ({ ...view, running, question: undefined, phase: "running" } as const)
        : { ...view, running };
      return { view: next, entries: [fact] };
    }
    case "hook.started":
      return { view: { ...view, hooks: [...view.hooks, ...event.names] }, entries: [fact] };
    case "hook.ran":
      return { view: { ...view, hooks: without(view.hooks, event.name) }, entries: [fact] };
    case "call.started":
      return just({ ...view, phase: "running", running: started(view.running, event, at) });
    case "call.finished":
      return finishedCall(view, event);
    case "agent.started":
      return just({ ...view, running: agentBegins(view.running, event) });
    case "todo.updated":
      return todos(view, event.todos);
    case "shell.ran":
      return { view, entries: [{ kind: "shell", event }] };
    case "query.finished":
      return { view: { ...view, ...NO_REPLY, ...IDLE }, entries: [fact] };
    case "context.reset":
      return { view: { ...view, contextTokens: 0, todos: [] }, entries: [fact] };
    case "context.rewound":
      return { view: { ...view, contextTokens: 0 }, entries: [fact] };
    case "context.compacted":
    case "context.cleared":
    case "context.restored":
      return { view: { ...view, contextTokens: event.after }, entries: [fact] };
    case "verdict.given":
    case "check.ran":
      return { view: { ...view, checking: undefined, running: [] }, entries: [fact] };
    case "group.ended":
      return { view, entries: event.told ? [] : [fact] };
    case "memory.read":
    case "memory.recalled":
    case "skills.listed":
    case "skill.loaded":
      return { view, entries: [fact] };
    case "changes.landed": {
      // Of a background shell, whose call has its card already; any other card tells it itself.
      const { callId } = event;
      const late = callId !== undefined && event.by !== "recovery" && !view.running.some((c) => c.callId === callId);
      return { view, entries: late ? [fact] : [] };
    }
    case "agent.ended":
      return just({ ...view, usage: spentByAgent(view.usage, event) });
    case "reply.voided":
      return just({ ...view, usage: spent(view.usage, event.model, event.usage, 0) });
    case "work.begun":
    case "judge.named":
    case "session.repaired":
    case "session.foreign":
    case "session.named":
    case "fork.left":
    case "rule.added":
    case "rule.removed":
    case "trust.given":
    case "trust.ended":
    case "bypass.changed":
    case "note.added":
    case "hooks.set":
    case "group.started":
    case "call.edited":
    case "changes.proposed":
    case "rehearsal.changed":
    case "changes.pended":
    case "changes.squashed":
    case "changes.kept":
    case "kept.landed":
    case "changes.dropped":
    case "changes.conflicted":
    case "changes.undone":
    case "changes.redone":
    case "shell.moved":
    case "context.mended":
    case "limit.warned":
    case "limit.changed":
    case "aside.asked":
    case "context.pinned":
    case "context.unpinned":
      return { view, entries: [fact] };
    default:
      return assertNever(event);
  }
}

/** A check is shown as a call that runs: there are no others when the model is done. */
function checking(view: View, event: Extract<LiveEvent, { type: "check.started" }>, at: number): View {
  const { checkId: callId, name, command } = event;
  const call = { callId, tool: "Check", input: { command }, startedAt: at, lines: [] };
  return { ...view, phase: "checking", checking: name, running: [call] };
}

function submitted(view: View, event: LogEventOf<"prompt.submitted">, at: number): ViewStep {
  const words: Entry = { kind: "person", when: event.when, text: textOf(event.content) };
  const more = event.keys !== undefined || attachedTo(event.content).length > 0;
  const entries: Entry[] = more ? [words, { kind: "fact", event }] : [words];
  if (event.when === "steer") return { view, entries };
  return { view: { ...view, ...IDLE, phase: "waiting", startedAt: at, up: 0, down: 0, turn: 0 }, entries };
}

/** One of that name fewer: several hooks may have the same. */
function without(names: readonly string[], name: string): readonly string[] {
  const at = names.indexOf(name);
  return at < 0 ? names : names.toSpliced(at, 1);
}

/** The list is printed when it is done, and only then (F-5). */
function todos(view: View, list: readonly Todo[]): ViewStep {
  const done = list.length > 0 && list.every((t) => t.status === "done");
  return { view: { ...view, todos: done ? [] : list }, entries: done ? [{ kind: "todos", todos: list }] : [] };
}
