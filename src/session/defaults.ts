import type { Limits } from "../loop/deps.ts";
import type { Prices } from "./prices.ts";

/** Limits of one query, where neither settings nor flags say otherwise (S2: in code, not in the prompt). */
export const LIMITS: Limits = { turns: 100, parallel: 8, resultChars: 30_000 };

/** The model of a new session. */
export const MODEL = "claude-sonnet-5-5";

/**
 * USD per million tokens. None is built in: a price that is out of date would be told as true. Settings name them (`prices`), and what has no
 * price is shown as unknown.
 */
export const PRICES: Prices = {};
