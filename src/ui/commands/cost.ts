import type { CostReport } from "../../session/cost.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line } from "../render/spans.ts";
import { tableLines } from "../render/table.ts";
import { grouped, money } from "../render/units.ts";

/** Tokens and money by model. */
export function costLines(report: CostReport, width: number): Line[] {
  if (report.models.length === 0) return [line("Nothing was sent to a model yet.", "dim")];
  const header = ["model", "replies", "in", "out", "cache read", "cache write", "cost"].map((text) => line(text));
  const rows = report.models.map((m) => {
    const { input, output, cacheRead, cacheWrite } = m.usage;
    const cells = [cleanRow(m.model), ...[m.replies, input, output, cacheRead, cacheWrite].map(grouped), money(m.usd)];
    return cells.map((text) => line(text));
  });
  return [
    ...tableLines(header, rows, width),
    ...(report.models.length > 1 ? [line(`in all ${money(report.usd)}`)] : []),
  ];
}
