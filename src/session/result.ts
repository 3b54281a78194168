import { textOf } from "../events/block.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import type { Mode } from "../events/effect.ts";
import type { SessionState } from "../events/state.ts";
import { NO_USAGE, sumOf, type Usage } from "../events/usage.ts";
import type { Stop } from "../loop/deps.ts";
import { deleteRules, offer, pinnedRules } from "../permissions/offer.ts";
import { openQuestions } from "./questions.ts";
import type { QueryResult } from "./session.ts";

/** The last reply's text, with that of the replies which it goes on with: cut by the output limit or the connection, or paused. */
function answerOf(events: readonly LogEvent[]): string {
  const replies = events.filter((e) => e.type === "reply.completed");
  let whole = "";
  let paused = false;
  for (const [i, { blocks }] of [...replies.entries()].toReversed()) {
    const text = textOf(blocks);
    whole = paused && text !== "" && whole !== "" ? `${text}\n${whole}` : text + whole;
    const before = replies[i - 1];
    if (before === undefined || before.blocks.some((b) => b.type === "tool_use")) break;
    paused = before.stopReason === "pause_turn";
    if (!paused && before.stopReason !== "max_tokens" && before.stopReason !== "broken-off") break;
  }
  return whole;
}

function usageOf(event: LogEvent): Usage | undefined {
  switch (event.type) {
    case "reply.completed":
    case "reply.cut":
    case "reply.voided":
    case "context.compacted":
      return event.usage;
    default:
      return undefined;
  }
}

/** What a query came to, out of its own facts. `text` is the last reply's, whether the query is done or not. */
export function resultOf(stop: Stop, state: SessionState, events: readonly LogEvent[]): QueryResult {
  const usage = events.flatMap((e) => usageOf(e) ?? []).reduce(sumOf, NO_USAGE);
  const agents = events.flatMap((e) => (e.type === "agent.ended" ? Object.values(e.usage) : []));
  const denied = events.filter((e) => e.type === "permission.decided").filter((e) => e.outcome === "deny");
  const finished = events.findLast((e) => e.type === "query.finished");
  return {
    ...stop,
    text: answerOf(events),
    turns: finished?.turns ?? state.query?.turn ?? 0,
    usage: agents.reduce((sum, used) => sumOf(sum, used), usage),
    durationMs: finished?.durationMs ?? 0,
    ...(stop.reason === "waiting" ? { questions: openQuestions(state) } : {}),
    ...(finished?.unverified === undefined ? {} : { unverified: finished.unverified }),
    ...checksOf(events),
    denials: denied.map((event) => {
      const { effect, reason, by } = event;
      const rules = rulesFor(event, state.mode);
      return {
        tool: effect?.tool ?? "",
        subject: effect?.subject ?? "",
        reason,
        by,
        ...(rules.length === 0 ? {} : { rules }),
      };
    }),
  };
}

/** The rules that would have answered for a person: what they would have been offered, or what lifts each need. */
function rulesFor(
  { effect, by, gate, risk, reason, rule, hook }: LogEventOf<"permission.decided">,
  mode: Mode,
): readonly string[] {
  if (by !== "nobody" || effect === undefined || hook !== undefined) return [];
  const offered = offer(effect, { action: "ask", risk, reason, ...(rule === undefined ? {} : { rule }) })?.session;
  if (offered !== undefined) return [offered];
  if (rule !== undefined) return [];
  return gate === "needs" ? pinnedRules(effect) : deleteRules(effect, mode);
}

/** The newest run of each check. */
function checksOf(events: readonly LogEvent[]): Pick<QueryResult, "checks"> {
  const last = new Map<string, NonNullable<QueryResult["checks"]>[number]>();
  for (const event of events) {
    if (event.type !== "check.ran") continue;
    const { command, name = command, exit, tree = "" } = event;
    last.set(name, { name, command, exit, tree });
  }
  return last.size === 0 ? {} : { checks: [...last.values()] };
}
