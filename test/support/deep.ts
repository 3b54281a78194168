type Env = Readonly<Record<string, string | undefined>>;

/** Seed of every sample: `npm test` tries the same cases each time. */
const SEED = 20_261_130;

/** How many: `sample` in `npm test`, `full` in `npm run deep`. */
export function deep(sample: number, full: number, env: Env = process.env): number {
  return env["DEEP"] === "1" ? full : sample;
}

/** The same for fast-check: a seeded sample, or `full` runs of a new seed each time (a failure tells it). */
export function deepRuns(sample: number, full: number, env: Env = process.env): { numRuns: number; seed?: number } {
  return { numRuns: deep(sample, full, env), ...(env["DEEP"] === "1" ? {} : { seed: SEED }) };
}
