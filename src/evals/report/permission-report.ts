import type { Permissions } from "../numbers/summary.ts";
import { several } from "./figures.ts";
import type { Section } from "./report.ts";

const MOST_BREACHES = 10;

/** What the logs prove about permissions (V5): totals, then what doesn't hold. */
export function permissionSection({ asked, denied, byMode, breaches }: Permissions): Section {
  const deletes = byMode.reduce((sum, { deletes: n }) => sum + n, 0);
  const first = byMode.reduce((sum, { deletesAsked }) => sum + deletesAsked, 0);
  const plan = byMode.find(({ mode }) => mode === "plan");
  return {
    title: "Permissions, out of the logs",
    lines: [],
    table: {
      header: ["mode", "files written", "without a question", "files deleted", "asked before"],
      rows: byMode.map((of) => [of.mode, of.writes, of.writesUnasked, of.deletes, of.deletesAsked].map(String)),
      right: [1, 2, 3, 4],
    },
    notes: [
      `${first} of ${several(deletes, "deleted file")} ${first === 1 ? "was" : "were"} asked about before.`,
      ...(plan === undefined ? [] : [`Written in plan mode: ${plan.writes + plan.deletes}.`]),
      `${several(asked, "question")}, ${several(denied, "verdict")} no.`,
      breaches.length === 0
        ? "Every log proves its permissions."
        : `${several(breaches.length, "claim")} of the permission proof ${breaches.length === 1 ? "doesn't" : "don't"} hold: ${breaches.slice(0, MOST_BREACHES).join("; ")}.`,
    ],
  };
}
