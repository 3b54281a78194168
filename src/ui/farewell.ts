import { pendingText } from "../events/layers.ts";
import { keptWords } from "../events/kept-output.ts";
import type { Session } from "../session/session.ts";
import type { Line } from "./render/spans.ts";
import { farewellLines } from "./render/welcome.ts";

/** The exit summary out of the fold (N-7). */
export function farewell(session: Session, width: number, next?: (id: string) => string): Line[] {
  const state = session.state();
  const report = session.cost();
  const sum = (key: "input" | "output" | "cacheRead") => report.models.reduce((n, m) => n + m.usage[key], 0);
  const landed = state.steps.filter((step) => step.status === "landed").flatMap((step) => step.summary?.entries ?? []);
  return farewellLines(
    {
      sessionId: session.id,
      durationMs: Date.parse(state.lastAt) - Date.parse(state.startedAt) || 0,
      apiMs: report.apiMs,
      usd: report.usd,
      input: sum("input"),
      output: sum("output"),
      cached: sum("cacheRead"),
      added: landed.reduce((n, entry) => n + (entry.added ?? 0), 0),
      removed: landed.reduce((n, entry) => n + (entry.removed ?? 0), 0),
      files: new Set(landed.map((entry) => `${entry.root}/${entry.path}`)).size,
      prompts: state.prompts,
      pending: state.steps.some((step) => step.status === "pended") ? pendingText(state) : undefined,
      kept: keptWords(state),
      next: next?.(session.id),
    },
    width,
  );
}
