import { existsSync } from "node:fs";
import type { LoadedLog } from "../events/load.ts";
import type { Store } from "../session/store.ts";
import type { Claim } from "../session/verify-claim.ts";
import type { JournalSeen } from "../session/verify-journal.ts";
import { verifyLog } from "../session/verify.ts";
import { systemClock } from "../util/system.ts";
import { savedSteps } from "../workspace/open.ts";
import { tell, tellJson } from "./diff-text.ts";

/** Events named for one claim; the rest is counted. */
const SHOWN = 10;

/** `agent trace ID --verify`: a line for each claim, or a line of JSON. 1 when one fails. Reads only. */
export function printVerified(store: Store, loaded: LoadedLog, json: boolean): number {
  const claims = verifyLog(loaded, loaded.state.id, journalOf(store, loaded));
  for (const claim of claims) {
    if (json) tellJson(claim);
    else for (const line of claimLines(claim)) tell(line);
  }
  return claims.some((claim) => claim.breaches.length > 0) ? 1 : 0;
}

function claimLines({ name, text, breaches, skipped }: Claim): string[] {
  if (skipped !== undefined) return [`-      ${name}: not looked at, ${skipped}`];
  if (breaches.length === 0) return [`holds  ${name}: ${text}`];
  const shown = breaches.slice(0, SHOWN).map((b) => `         event ${b.seq}: ${b.what}`);
  const more = breaches.length > SHOWN ? [`         and ${breaches.length - SHOWN} more`] : [];
  return [`FAILS  ${name}: in ${breaches.length} ${breaches.length === 1 ? "place" : "places"}`, ...shown, ...more];
}

function journalOf(store: Store, { state, events }: LoadedLog): JournalSeen {
  // Of a log that is not trusted the roots are not either, but they are only read here.
  const roots =
    events.findLast((e) => e.type === "session.resumed" || e.type === "session.opened")?.roots ?? state.roots;
  const folder = roots[0]?.path ?? state.folder;
  if (!existsSync(folder)) return `the folder ${folder} is not on this machine`;
  return savedSteps(store.folders, roots, systemClock) ?? `there is no journal of ${folder} here`;
}
