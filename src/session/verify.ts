import type { LogEvent } from "../events/event.ts";
import { fold, initialState } from "../events/reduce.ts";
import type { LoadedLog } from "../events/load.ts";
import type { Breach, Claim } from "./verify-claim.ts";
import { verifyCalls, verifyOperations } from "./verify-calls.ts";
import { type JournalSeen, verifyJournal } from "./verify-journal.ts";
import { verifyDecided, verifyHighRisk, verifyPlan } from "./verify-landed.ts";
import { verifyNeeds } from "./verify-needs.ts";

/** Checks everything that a session's log can prove about itself (E6). Reads nothing: log and journal are given. */
export function verifyLog(
  loaded: Pick<LoadedLog, "events" | "foreign" | "torn">,
  sessionId: string,
  journal: JournalSeen,
): Claim[] {
  const { events } = loaded;
  // Not the state that was loaded: of a log that is not trusted it holds no steps.
  const state = fold(initialState(sessionId), events);
  const claims = [
    verifyHighRisk(events),
    verifyDecided(events),
    verifyPlan(events),
    verifyNeeds(events),
    verifyCalls(events),
    verifyOperations(events),
    verifyJournal(state, events, journal),
  ];
  // A fork doesn't take over all that its parent decided: what that did is to be proved from the parent's log.
  const taken = state.forkedFrom?.seq ?? 0;
  const own = claims.map((claim) => ({ ...claim, breaches: claim.breaches.filter((b) => b.seq > taken) }));
  return [verifyChain(loaded), ...own];
}

function verifyChain({ events, foreign, torn }: Pick<LoadedLog, "events" | "foreign" | "torn">): Claim {
  const last = events.at(-1)?.seq ?? 0;
  const [first] = events;
  const from = first?.type === "session.opened" ? first.forkedFrom : undefined;
  const fork = from === undefined ? "" : `; those up to ${from.seq} are taken over from session ${from.sessionId}`;
  const anew = events.flatMap((e): Breach[] =>
    e.type === "session.foreign" ? [{ seq: e.seq, what: `what stands before it was changed: ${e.reason}` }] : [],
  );
  return {
    name: "chain",
    text: `${last} events, each sealed behind the one before, none missing${fork}`,
    breaches: [
      ...anew,
      ...(foreign === undefined ? holes(events) : [{ seq: brokenAt(foreign, last), what: foreign }]),
      ...(torn === 0 ? [] : [{ seq: last + 1, what: `its line was cut short (${torn} bytes are left)` }]),
    ],
  };
}

/** The first event that does not follow the one before. */
function holes(events: readonly LogEvent[]): Breach[] {
  const at = events.findIndex((event, i) => event.seq !== i + 1);
  const event = events[at];
  return event === undefined ? [] : [{ seq: event.seq, what: `it stands where event ${at + 1} belongs` }];
}

/** Every line is an event, so the line that a reader names is its number. */
function brokenAt(foreign: string, last: number): number {
  const line = /, line (\d+):/.exec(foreign)?.[1];
  return line === undefined ? last : Number(line);
}
