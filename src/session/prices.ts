import type { Usage } from "../events/event.ts";
import { longOf, lessOf } from "../events/usage.ts";
import { PRICE_TABLE } from "./price-table.ts";

/** USD per million tokens. `cacheWrite`: for five minutes; `cacheWrite1h`: for an hour, by default twice `input` where that is asked for. */
interface Rates {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h?: number | undefined;
}
/** `long`: of a request above 100,000 tokens, all of it. */
export interface Price extends Rates {
  long?: Rates | undefined;
}
/** By model. A model that is not listed has no known price, and is said so. */
export type Prices = Readonly<Record<string, Price>>;

/** Models that cost nothing, whatever the table says. */
const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const free = /^(demo|scripted|recorded)\b/;

/**
 * The price of a model: of the person's own (`own`, by the beginning of the name, the longest one), else of the built-in table, which knows
 * whole names alone, with the date of a snapshot or without: a newer model's price is not that of the one whose name it begins with.
 */
export function priceOf(model: string, own: Prices): Price | undefined {
  if (free.test(model)) return FREE;
  const name = Object.keys(own)
    .filter((key) => model.startsWith(key))
    .toSorted((a, b) => b.length - a.length)[0];
  return name === undefined ? PRICE_TABLE[model.replace(/-\d{8}$/, "")] : own[name];
}

/** Cost of a reply's usage or of a sum of one model's in USD, undefined where its price is not known. Not rounded. */
export function costOf(model: string, usage: Usage, own: Prices): number | undefined {
  const price = priceOf(model, own);
  if (price === undefined) return undefined;
  if (price.long === undefined) return at(price, usage);
  const long = longOf(usage);
  return at(price.long, long) + at(price, lessOf(usage, long));
}

function at(rates: Rates, { input, output, cacheRead, cacheWrite, cacheWrite1h = 0 }: Usage): number {
  const hour = rates.cacheWrite1h ?? 2 * rates.input;
  const usd =
    input * rates.input +
    output * rates.output +
    cacheRead * rates.cacheRead +
    (cacheWrite - cacheWrite1h) * rates.cacheWrite +
    cacheWrite1h * hour;
  return usd / 1e6;
}
