import type { LogEvent } from "../events/event.ts";
import { ruleName } from "../permissions/decide.ts";
import { assertNever } from "../util/never.ts";
import { agentText } from "./trace-agents.ts";
import { memoryText } from "./trace-memory.ts";
import { workText } from "./trace-work.ts";
import { hookSetText, hookText } from "./trace-hooks.ts";
import { filesText, keptText, summaryText } from "./trace-calls.ts";

/** A fact that has a line of its own in the trace, in words; undefined for what the rows of turns and calls tell. */
export function factText(event: LogEvent): string | undefined {
  switch (event.type) {
    case "session.resumed":
      return "resumed";
    case "session.repaired":
      return `repaired: ${event.notes.join("; ")}`;
    case "session.foreign":
      return `foreign from here: ${event.reason}`;
    case "session.named":
      return `named ${event.name}`;
    case "fork.left":
      return `left with the session that it was forked from: ${event.kind}`;
    case "mode.changed":
      return `mode ${event.mode} (by ${event.by})`;
    case "effort.changed":
      return `effort ${event.effort ?? "as settings say"} (by ${event.by})`;
    case "model.changed":
      return `model ${event.model}${event.by === undefined ? "" : ` (by ${event.by})`}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "rule.added":
      return `rule: ${event.rule.action} ${ruleName(event.rule)}${event.unsaved === undefined ? "" : `, not saved: ${event.unsaved}`}`;
    case "rule.removed":
      return `rule taken away: ${event.rule.action} ${ruleName(event.rule)}`;
    case "rehearsal.changed":
      return `rehearsal ${event.on ? "on" : "off"} (by ${event.by})`;
    case "trust.given":
      return `trust given to ${event.folder}${event.by === undefined ? "" : ` (by ${event.by})`}`;
    case "trust.ended":
      return `trust in ${event.folder} ended: ${event.reason}`;
    case "bypass.changed":
      return `bypass ${event.on ? "on: what the policy would ask is allowed" : "off"} (by ${event.by})`;
    case "note.added":
      return `note to the model: ${event.text}`;
    case "memory.read":
    case "memory.recalled":
    case "skills.listed":
    case "skill.loaded":
      return memoryText(event);
    case "hook.ran":
      return hookText(event);
    case "hooks.set":
      return hookSetText(event);
    case "limit.warned":
      return `limit: ${event.text}`;
    case "limit.changed":
      return `limit of a ${event.scope} in ${event.limit}: ${event.value ?? "none"}`;
    case "context.cleared":
      return `context: results of ${event.callIds.length} calls cleared${ruleOf(event)}, ${event.before} to ${event.after} tokens`;
    case "context.mended":
      return `context mended: ${event.why}`;
    case "context.compacted":
      return `context ${event.handoff === undefined ? "compacted" : `handed off to ${event.handoff}`}${event.turn === undefined ? "" : ` ahead of turn ${event.turn}`}, ${event.before} to ${event.after} tokens`;
    case "context.restored":
      return `context: what event ${event.of} took out is sent again`;
    case "context.pinned":
      return `pinned ${event.id}`;
    case "context.unpinned":
      return `unpinned ${event.id}`;
    case "context.reset":
      return "context reset";
    case "aside.asked":
      return `a question beside the conversation (${event.model}): ${event.question}`;
    case "context.rewound":
      return `conversation rewound to before event ${event.to}`;
    case "work.begun":
    case "judge.named":
    case "verdict.given":
      return workText(event);
    case "check.ran":
      return `check ${event.name ?? event.command}: exit ${event.exit ?? "none"}${event.ended === undefined ? "" : `, ${event.ended}`}${event.changed === undefined ? "" : `; it changed ${event.changed.join(", ")}, dropped`}`;
    default:
      return changeText(event);
  }
}

type ChangeFact = Exclude<
  LogEvent,
  {
    type:
      | `session.${"resumed" | "repaired" | "foreign" | "named"}`
      | `${"mode" | "model" | "effort" | "rehearsal" | "bypass"}.changed`
      | "fork.left"
      | `rule.${"added" | "removed"}`
      | `trust.${"given" | "ended"}`
      | "note.added"
      | `memory.${"read" | "recalled"}`
      | `skill${".loaded" | "s.listed"}`
      | "hook.ran"
      | "hooks.set"
      | `limit.${"warned" | "changed"}`
      | `context.${string}`
      | "work.begun"
      | "judge.named"
      | "verdict.given"
      | "check.ran";
  }
>;

/** What happened to files and shells without a call, or after its end. */
function changeText(event: ChangeFact): string | undefined {
  switch (event.type) {
    case "changes.landed":
      return event.callId === undefined ? `landed ${summaryText(event.summary)} (by ${event.by})` : undefined;
    case "changes.pended":
      return event.callId === undefined ? `${summaryText(event.summary)} waiting for the review` : undefined;
    case "changes.dropped":
      return event.callId === undefined ? `dropped: ${event.reason}` : undefined;
    case "changes.conflicted":
      return event.callId === undefined ? `in conflict: ${event.conflicts[0]?.path ?? ""}` : undefined;
    case "changes.kept":
      return event.callId === undefined ? `${filesText(event.files)} kept in the copy` : undefined;
    case "kept.landed":
      return event.callId === undefined ? keptText(event) : undefined;
    case "changes.undone":
      return `undone: ${filesText(event.paths.length)} (by ${event.by})`;
    case "changes.redone":
      return `redone: ${filesText(event.paths.length)} (by ${event.by})`;
    case "shell.ran":
      return `${event.outside ? "!!" : "!"}${event.command}: exit ${event.exit ?? "none"}`;
    case "group.started":
      return `background shell ${event.groupId} started: ${event.command}`;
    case "group.ended":
      return `background shell ${event.groupId} ended: ${event.how.reason}${event.how.code === null ? "" : ` ${event.how.code}`}`;
    case "agent.started":
    case "agent.ended":
      return agentText(event);
    case "session.opened":
    case "prompt.submitted":
    case "turn.started":
    case "reply.completed":
    case "reply.cut":
    case "reply.voided":
    case "aside.asked":
    case "hook.started":
    case "permission.asked":
    case "permission.decided":
    case "call.edited":
    case "call.started":
    case "call.finished":
    case "changes.proposed":
    case "changes.squashed":
    case "shell.moved":
    case "todo.updated":
    case "query.finished":
      return undefined;
    default:
      return assertNever(event);
  }
}

function ruleOf({ rule, turn }: { rule?: string | undefined; turn?: number | undefined }): string {
  return `${rule === undefined ? "" : ` (${rule})`}${turn === undefined ? "" : ` ahead of turn ${turn}`}`;
}
