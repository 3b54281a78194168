import type { Usage } from "../events/event.ts";
import type { CostReport } from "./session.ts";
import type { SessionState } from "../events/state.ts";

/** USD per million tokens; `cacheRead` and `cacheWrite` too. A model that is not listed has no known price, and is said so. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}
export type Prices = Readonly<Record<string, Price>>;

/** Models that cost nothing, whatever the table says. */
const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const free = /^(demo|scripted|recorded)\b/;

/** Cost of one model's usage in USD, undefined where its price is not known. The longest listed prefix of its name counts. */
export function costOf(model: string, usage: Usage, prices: Prices): number | undefined {
  const name = Object.keys(prices)
    .filter((key) => model.startsWith(key))
    .toSorted((a, b) => b.length - a.length)[0];
  const price = free.test(model) ? FREE : name === undefined ? undefined : prices[name];
  if (price === undefined) return undefined;
  const { input, output, cacheRead, cacheWrite } = usage;
  return (
    (input * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite) / 1e6
  );
}

/** Sums by model, and in all where every price is known. */
export function costReport(state: SessionState, prices: Prices): CostReport {
  const models = [...state.usage].map(([model, { replies, ...usage }]) => {
    const usd = costOf(model, usage, prices);
    return { model, usage, replies, ...(usd === undefined ? {} : { usd }) };
  });
  const known = models.every((m) => m.usd !== undefined);
  return { models, ...(known ? { usd: models.reduce((sum, m) => sum + (m.usd ?? 0), 0) } : {}) };
}
