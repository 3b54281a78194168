import type { LogEvent } from "../events/event.ts";
import { isLeaving } from "./trace-calls.ts";
import { type Breach, type Claim, count } from "./verify-claim.ts";

/** Every call of a whole reply has one result; only those of the newest reply may still wait for theirs (L4). */
export function verifyCalls(events: readonly LogEvent[]): Claim {
  const replyOf = new Map<string, number>();
  const results = new Map<string, number>();
  const breaches: Breach[] = [];
  let newest = 0;
  for (const event of events) {
    if (event.type === "reply.completed") {
      newest = event.seq;
      for (const block of event.blocks) {
        if (block.type !== "tool_use") continue;
        if (replyOf.has(block.id)) breaches.push({ seq: event.seq, what: `call ${block.id} was there before` });
        replyOf.set(block.id, event.seq);
      }
    }
    if (event.type !== "call.finished") continue;
    const { callId, seq } = event;
    const first = results.get(callId);
    if (first !== undefined) breaches.push({ seq, what: `a second result of call ${callId}, after event ${first}` });
    else if (!replyOf.has(callId)) breaches.push({ seq, what: `a result of call ${callId}, which no reply asked for` });
    results.set(callId, first ?? seq);
  }
  const without = [...replyOf].filter(([id]) => !results.has(id));
  const open = without.filter(([, seq]) => seq === newest && isOpen(events, newest));
  const lost = without.filter((call) => !open.includes(call));
  return {
    name: "results",
    text: `${count(replyOf.size, "call")}, one result each${open.length === 0 ? "" : `; ${open.length} still without, a resume settles them`}`,
    breaches: [...breaches, ...lost.map(([id, seq]) => ({ seq, what: `call ${id} has no result` }))].toSorted(
      (a, b) => a.seq - b.seq,
    ),
  };
}

/** The query of this reply has no end, or waits for the person. */
function isOpen(events: readonly LogEvent[], reply: number): boolean {
  const end = events.find((e) => e.seq > reply && e.type === "query.finished");
  return end === undefined || (end.type === "query.finished" && end.reason === "waiting");
}

/** Every run has an operation id of its own; what left the copy began once (E3). */
export function verifyOperations(events: readonly LogEvent[]): Claim {
  const callOf = new Map<string, string>();
  const begun = new Map<string, string>();
  const leaving = new Set<string>();
  const breaches: Breach[] = [];
  let runs = 0;
  let again = 0;
  for (const event of events) {
    if (isLeaving(event) && event.outcome === "allow") leaving.add(event.callId);
    if (event.type !== "call.started") continue;
    const { callId, operationId, seq } = event;
    runs++;
    const other = callOf.get(operationId);
    const before = begun.get(callId);
    if (other !== undefined && other !== callId)
      breaches.push({ seq, what: `operation ${operationId} is that of call ${other}` });
    if (before !== undefined) again++;
    if (before !== undefined && before !== operationId)
      breaches.push({ seq, what: `call ${callId} began as operation ${before}, and again as ${operationId}` });
    if (before !== undefined && leaving.has(callId))
      breaches.push({ seq, what: `call ${callId} had begun outside the copy, and was run again` });
    callOf.set(operationId, callId);
    begun.set(callId, operationId);
  }
  const unknown = events.filter((e) => e.type === "call.finished" && e.status === "unknown").length;
  const parts = [
    `${count(runs, "run")}, each with its operation id`,
    ...(again === 0 ? [] : [`${again} again after a stop, inside the copy`]),
    ...(unknown === 0 ? [] : [`${unknown} of unknown effect, none of them repeated`]),
  ];
  return { name: "operations", text: parts.join("; "), breaches };
}
