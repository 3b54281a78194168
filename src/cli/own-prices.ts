import { PRICES } from "../session/defaults.ts";
import { homeOf, programDirs } from "../session/environment.ts";
import type { Prices } from "../session/prices.ts";
import { loadSettings } from "../session/settings.ts";
import { sanitize } from "../util/visible.ts";

/** Prices of the person's settings. Settings that can't be read are no reason to show nothing: list prices alone count then, and it is said. */
export function ownPrices(): Prices {
  const { env } = process;
  try {
    return loadSettings({ configDir: programDirs(env).config, folder: process.cwd(), home: homeOf(env) }).prices;
  } catch (error) {
    process.stderr.write(`agent: no prices: ${sanitize(error instanceof Error ? error.message : String(error))}\n`);
    return PRICES;
  }
}
