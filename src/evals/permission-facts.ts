import type { Mode } from "../events/effect.ts";
import type { LogEvent } from "../events/event.ts";
import type { Claim } from "../session/verify-claim.ts";
import { landings, questions, type LandedFact } from "../session/verify-facts.ts";
import type { Landed, PermissionFacts } from "./trial.ts";

/** What a trial's log says of permissions (V5). `claims`: what `verifyLog` proves of the same log. */
export function permissionFacts(events: readonly LogEvent[], claims: readonly Claim[]): PermissionFacts {
  const byMode: Partial<Record<Mode, Landed>> = {};
  for (const fact of landings(events)) byMode[fact.mode] = sum(byMode[fact.mode], landedOf(fact));
  return {
    asked: questions(events).size,
    denied: events.filter((e) => e.type === "permission.decided" && e.outcome === "deny").length,
    byMode,
    breaches: claims.flatMap(({ name, breaches }) => breaches.map((b) => `${name}: event ${b.seq}: ${b.what}`)),
  };
}

function landedOf({ landed, asked, decided }: LandedFact): Landed {
  const { entries } = landed.summary;
  const deletes = entries.filter((e) => e.op === "delete").reduce((n, e) => n + Math.max(e.files ?? 1, 1), 0);
  const writes = entries.filter((e) => e.op !== "delete").length;
  const wasAsked = asked !== undefined && decided?.by === "person";
  return { writes, writesUnasked: wasAsked ? 0 : writes, deletes, deletesAsked: wasAsked ? deletes : 0 };
}

function sum(a: Landed | undefined, b: Landed): Landed {
  if (a === undefined) return b;
  return {
    writes: a.writes + b.writes,
    writesUnasked: a.writesUnasked + b.writesUnasked,
    deletes: a.deletes + b.deletes,
    deletesAsked: a.deletesAsked + b.deletesAsked,
  };
}
