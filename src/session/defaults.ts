import type { Limits } from "../loop/deps.ts";
import type { Prices } from "./prices.ts";

/** Limits of one query, where neither settings nor flags say otherwise (S2: in code, not in the prompt). */
export const LIMITS: Limits = { turns: 100, parallel: 8, resultChars: 30_000 };

/** The model of a new session. */
export const MODEL = "claude-sonnet-5-5";

/** The person's own prices where settings name none; those of `price-table.ts` stand behind them. */
export const PRICES: Prices = {};
