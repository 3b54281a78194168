import type { CostReport, TurnCost } from "../../session/cost.ts";
import { hitRate } from "../../session/cost.ts";
import { cleanRow } from "../render/clean.ts";
import { limitWords } from "../render/rate-limit.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { tableLines } from "../render/table.ts";
import { grouped, money, several } from "../render/units.ts";

/** Tokens and money by model and tool, what the cache gave, what the service's limits are at. */
export function costLines(report: CostReport, width: number): Line[] {
  if (report.models.length === 0)
    return [line("Nothing was sent to a model yet.", "dim"), ...limitLines(report, width)];
  const agents = report.agents.map((row) => ({ ...row, model: `agent ${agentName(row.sessionId)}, ${row.model}` }));
  const rows = [...report.models, ...agents].map(({ model, usage, replies, usd }) => {
    const { input, output, cacheRead, cacheWrite } = usage;
    return [cleanRow(model), ...[replies, input, output, cacheRead, cacheWrite].map(grouped), money(usd)];
  });
  return [
    ...table(["model", "replies", "in", "out", "cache read", "cache write", "cost"], rows, width),
    ...(rows.length > 1 ? wrap(line(`in all ${money(report.usd)}`), { width }) : []),
    ...words(cacheWords(report), width),
    ...words(voidWords(report), width),
    ...words(asideWords(report), width),
    ...toolLines(report, width),
    ...words(priceWords(report), width),
    ...limitLines(report, width),
  ];
}

/** `a2` of `s_…-a2`, `a2-a1` of one that that one started. */
function agentName(sessionId: string): string {
  return /(?:-a\d+)+$/.exec(sessionId)?.[0].slice(1) ?? sessionId;
}

const OUTCOMES: Readonly<Record<TurnCost["outcome"], string>> = {
  kept: "",
  void: " (asked anew)",
  cut: " (cut off)",
  aside: " (beside)",
  summary: " (summing up)",
};

/** A row for each request. */
export function turnLines({ turns }: CostReport, width: number): Line[] {
  if (turns.length === 0) return [line("Nothing was sent to a model yet.", "dim")];
  const rows = turns.map(({ message, turn, model, outcome, usage, usd }) => {
    const { input, output, cacheRead, cacheWrite } = usage;
    return [
      `${message}${outcome === "aside" ? "" : `.${turn}`}${OUTCOMES[outcome]}`,
      cleanRow(model),
      ...[input, output, cacheRead, cacheWrite].map(grouped),
      percent(hitRate(usage)),
      money(usd),
    ];
  });
  return table(["turn", "model", "in", "out", "cache read", "cache write", "hit", "cost"], rows, width);
}

function table(header: readonly string[], rows: readonly (readonly string[])[], width: number): Line[] {
  return tableLines(
    header.map((text) => line(text)),
    rows.map((row) => row.map((text) => line(text))),
    width,
  );
}

function words(text: string | undefined, width: number): Line[] {
  return text === undefined ? [] : wrap(line(text, "dim"), { width });
}

function percent(share: number | undefined): string {
  return share === undefined ? "" : `${Math.floor(share * 100)} %`;
}

function cacheWords({ hitRate: rate, turns }: CostReport): string | undefined {
  const newest = turns.findLast((turn) => turn.outcome === "kept");
  if (rate === undefined || newest === undefined) return undefined;
  const last = hitRate(newest.usage);
  const then = last === undefined ? "" : `; of the newest request ${percent(last)}`;
  return `From the cache: ${percent(rate)} of all that was sent${then}.`;
}

function voidWords({ turns }: CostReport): string | undefined {
  const lost = turns.filter((turn: TurnCost) => turn.outcome === "void");
  if (lost.length === 0) return undefined;
  return `${several(lost.length, "attempt")} broke off and ${lost.length === 1 ? "was" : "were"} asked for anew: counted, as the service does.`;
}

function asideWords({ turns }: CostReport): string | undefined {
  const asides = turns.filter((turn) => turn.outcome === "aside");
  if (asides.length === 0) return undefined;
  const known = asides.every((turn) => turn.usd !== undefined);
  const usd = known ? asides.reduce((sum, turn) => sum + (turn.usd ?? 0), 0) : undefined;
  return `Of these ${several(asides.length, "question")} beside the conversation (/btw): ${money(usd)}.`;
}

function toolLines({ tools }: CostReport, width: number): Line[] {
  if (tools.length === 0) return [];
  const rows = tools.map(({ tool, calls, tokens }) => [cleanRow(tool), grouped(calls), grouped(tokens)]);
  return [[], ...table(["tool", "results", "tokens they added (an estimate)"], rows, width)];
}

function priceWords({ models, pricesAsOf }: CostReport): string | undefined {
  const unknown = models.filter((m) => m.usd === undefined).map((m) => cleanRow(m.model));
  if (unknown.length > 0)
    return `No price is known for ${unknown.join(", ")}: the settings' prices can name it (docs/models.md).`;
  if (models.every((m) => m.usd === 0)) return undefined;
  return `By list prices of ${pricesAsOf}, where the settings' prices say nothing else; the bill is the provider's.`;
}

function limitLines({ limits }: CostReport, width: number): Line[] {
  if (limits.length === 0) return [];
  return [
    [],
    ...wrap(line("The service's limits, as its last answer told them", "bold"), { width }),
    ...limits.flatMap((limit) => wrap(line(`  ${limitWords(limit)}`), { width })),
  ];
}
