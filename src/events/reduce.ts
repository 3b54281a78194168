import { assertNever } from "../util/never.ts";
import { type Draft, draftOf } from "./draft.ts";
import type { LogEvent } from "./event.ts";
import { agentEnded, agentStarted } from "./reduce-agents.ts";
import { NO_MARKS } from "./reduce-mark.ts";
import { callEdited, callFinished, callStarted, permissionAsked, permissionDecided } from "./reduce-calls.ts";
import { conflicted, dropped, kept, keptLanded, landed, pended, proposed, squashed, undone } from "./reduce-changes.ts";
import {
  asideAsked,
  cleared,
  compacted,
  mended,
  pinned,
  promptSubmitted,
  replyCompleted,
  replyCut,
  replyVoided,
  reset,
  restored,
  rewound,
  unpinned,
} from "./reduce-talk.ts";
import { checkRan, limitChanged, limitWarned } from "./reduce-limits.ts";
import { hookRan, hookStarted } from "./reduce-hooks.ts";
import { toldOf } from "./reduce-memory.ts";
import { distrust, effortChanged, modelChanged, opened, resumed, ruleRemoved } from "./reduce-session.ts";
import { addTime } from "./reduce-time.ts";
import { judgeNamed, verdictGiven, workBegun } from "./reduce-work.ts";
import { SharedMap } from "./shared-map.ts";
import { movedShell } from "./shell-state.ts";
import type { QueryState, SessionState } from "./state.ts";

/** The state before the first event. */
export function initialState(sessionId: string): SessionState {
  return {
    seq: 0,
    mac: "",
    id: sessionId,
    folder: "",
    roots: [],
    mode: "ask",
    rehearsing: false,
    model: "",
    foreign: false,
    items: [],
    firstItem: 0,
    cleared: new Set(),
    mended: new Map(),
    thinkingFrom: 0,
    pins: [],
    resets: [],
    calls: SharedMap.from(new Map()),
    steps: [],
    rules: [],
    trusted: false,
    bypass: false,
    todos: [],
    touched: new Map(),
    made: new Map(),
    changed: new Map(),
    marks: NO_MARKS,
    checks: new Map(),
    shell: { cwd: "", env: {} },
    groups: [],
    agents: [],
    failures: new Map(),
    turns: 0,
    workedMs: 0,
    idle: false,
    warned: [],
    limits: { message: {}, session: {} },
    usage: new Map(),
    contextTokens: 0,
    sizedAt: 0,
    startedAt: "",
    lastAt: "",
    prompts: 0,
  };
}

/** The state after one more event. Pure. */
export function reduce(state: SessionState, event: LogEvent): SessionState {
  return fold(state, [event]);
}

/** The state after some events: the same as reducing one after another, in time linear to their number. Pure. */
export function fold(state: SessionState, events: Iterable<LogEvent>): SessionState {
  const draft = draftOf(state);
  for (const event of events) {
    addTime(draft, event);
    apply(draft, event);
    draft.state.seq = event.seq;
    draft.state.mac = event.mac;
    draft.state.lastAt = event.at;
  }
  return draft.state;
}

/** A state of which nothing that needs trust is left (E1): what `session.foreign` makes of it. */
export function distrusted(state: SessionState): SessionState {
  const draft = draftOf(state);
  distrust(draft);
  return draft.state;
}

function onQuery(state: Draft["state"], change: (query: QueryState) => QueryState): void {
  if (state.query !== undefined) state.query = change(state.query);
}

/** A turn that starts says that the query has not ended: what it waited for came. */
function goingOn(query: QueryState, turn: number): QueryState {
  const copy = { ...query, turn };
  delete copy.ended;
  return copy;
}

function apply(draft: Draft, event: LogEvent): void {
  const { state } = draft;
  switch (event.type) {
    case "session.opened":
      return opened(draft, event);
    case "session.resumed":
      return resumed(draft, event);
    case "session.foreign":
      return distrust(draft);
    case "session.named":
      return void (state.name = event.name);
    case "mode.changed":
      return void (state.mode = event.mode);
    case "model.changed":
      return modelChanged(draft, event);
    case "effort.changed":
      return effortChanged(draft, event);
    case "rehearsal.changed":
      return void (state.rehearsing = event.on);
    case "rule.added":
      // Any other was saved to a file, which is read anew by each session: taken out there, it must not live on here.
      return event.rule.source === "session" ? void draft.rules().push(event.rule) : undefined;
    case "rule.removed":
      return ruleRemoved(draft, event);
    case "trust.given":
      return void (state.trusted ||= event.folder === state.folder);
    case "trust.ended":
      return void (state.trusted &&= event.folder !== state.folder);
    case "bypass.changed":
      return void (state.bypass = event.on);
    case "todo.updated":
      return void (state.todos = event.todos);
    case "shell.moved":
      return void (state.shell = movedShell(state.shell, event, event.by));
    case "group.started": {
      const { groupId, callId, operationId, command, cwd } = event;
      return void (state.groups = [...state.groups, { groupId, callId, operationId, command, cwd }]);
    }
    case "group.ended":
      return void (state.groups = state.groups.map((group) =>
        group.groupId === event.groupId ? { ...group, end: event.how, told: event.told } : group,
      ));
    case "agent.started":
      return agentStarted(draft, event);
    case "agent.ended":
      return agentEnded(draft, event);
    case "turn.started":
      // What a fork took over was the work of the session that it comes from.
      if (state.seq >= (state.forkedFrom?.seq ?? 0)) state.turns++;
      return onQuery(state, (query) => goingOn(query, event.turn));
    case "query.finished":
      return onQuery(state, (query) => ({ ...query, ended: event.reason }));
    case "limit.warned":
      return limitWarned(draft, event);
    case "limit.changed":
      return limitChanged(draft, event);
    case "check.ran":
      return checkRan(draft, event);
    case "work.begun":
      return workBegun(draft, event);
    case "judge.named":
      return judgeNamed(draft, event);
    case "verdict.given":
      return verdictGiven(draft, event);
    case "prompt.submitted":
      return promptSubmitted(draft, event);
    case "note.added":
      return void draft.items().push({ kind: "note", seq: event.seq, text: event.text });
    case "memory.read":
    case "memory.recalled":
    case "skills.listed":
    case "skill.loaded":
      return toldOf(draft, event);
    case "reply.completed":
      return replyCompleted(draft, event);
    case "reply.cut":
      return replyCut(draft, event);
    case "reply.voided":
      return replyVoided(draft, event);
    case "aside.asked":
      return asideAsked(draft, event);
    case "hook.started":
      return hookStarted(draft, event);
    case "hook.ran":
      return hookRan(draft, event);
    case "context.cleared":
      return cleared(draft, event);
    case "context.mended":
      return mended(draft, event);
    case "context.compacted":
      return compacted(draft, event);
    case "context.reset":
      return reset(draft, event);
    case "context.restored":
      return restored(draft, event);
    case "context.pinned":
      return pinned(draft, event);
    case "context.unpinned":
      return unpinned(draft, event);
    case "context.rewound":
      return rewound(draft, event);
    case "permission.asked":
      return permissionAsked(draft, event);
    case "permission.decided":
      return permissionDecided(draft, event);
    case "call.edited":
      return callEdited(draft, event);
    case "call.started":
      return callStarted(draft, event);
    case "call.finished":
      return callFinished(draft, event);
    case "changes.proposed":
      return proposed(draft, event);
    case "changes.pended":
      return pended(draft, event);
    case "changes.squashed":
      return squashed(draft, event);
    case "changes.landed":
      return landed(draft, event);
    case "changes.kept":
      return kept(draft, event);
    case "kept.landed":
      return keptLanded(draft, event);
    case "changes.dropped":
      return dropped(draft, event);
    case "changes.conflicted":
      return conflicted(draft, event);
    case "changes.undone":
      return undone(draft, event, "undone");
    case "changes.redone":
      return undone(draft, event, "landed");
    // For the record and the screen; nothing to go on from depends on them.
    case "session.repaired":
    case "fork.left":
    case "hooks.set":
    case "shell.ran":
      return;
  }
  assertNever(event);
}
