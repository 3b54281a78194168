import { prng } from "../../src/evals/numbers/prng.ts";

/** Tasks that a suite draws from: how likely a model solves each. */
export interface Population {
  name: string;
  mean: number;
  draw(random: () => number): number;
}

/** From suites on which nearly every task is a coin to those on which most are always solved. */
export const POPULATIONS: readonly Population[] = [
  beta("even, some hard, some easy", 2, 2),
  beta("leaning to easy", 2, 1),
  beta("nearly all at 80 %", 8, 2),
  beta("either easy or hard", 0.5, 0.5),
  beta("mostly easy", 4, 0.5),
  mixed("three kinds", [0.5, 0.95], [0.3, 0.6], [0.2, 0.1]),
];

/** Where most tasks are always solved, intervals are wider than they need be. */
export const LOPSIDED: readonly Population[] = [
  mixed("8 of 10 always", [0.8, 1], [0.2, 0.2]),
  mixed("9 of 10 always, the rest never", [0.9, 1], [0.1, 0]),
  mixed("19 of 20 always, the rest never", [0.95, 1], [0.05, 0]),
];

/** Passes of each of n tasks in k trials. */
export function drawSuite(of: Population, { tasks, k }: { tasks: number; k: number }, random: () => number): number[] {
  return Array.from({ length: tasks }, () => passes(of.draw(random), k, random));
}

/** How many of k trials pass. */
export function passes(p: number, k: number, random: () => number): number {
  let passed = 0;
  for (let i = 0; i < k; i++) passed += random() < p ? 1 : 0;
  return passed;
}

/** The share of `of` cases in which it holds, each with randomness of its own. */
export function shareOf(of: number, seed: number, holds: (random: () => number, at: number) => boolean): number {
  let held = 0;
  for (let i = 0; i < of; i++) held += holds(prng(seed * 1_000_003 + i), i) ? 1 : 0;
  return held / of;
}

function mixed(name: string, ...kinds: readonly (readonly [share: number, p: number])[]): Population {
  return {
    name,
    mean: kinds.reduce((sum, [share, p]) => sum + share * p, 0),
    draw(random) {
      let left = random();
      for (const [share, p] of kinds) {
        left -= share;
        if (left < 0) return p;
      }
      return kinds.at(-1)?.[1] ?? 0;
    },
  };
}

function beta(name: string, a: number, b: number): Population {
  return {
    name,
    mean: a / (a + b),
    draw(random) {
      const x = gamma(random, a);
      return x / (x + gamma(random, b));
    },
  };
}

/** Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. */
function gamma(random: () => number, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = gauss(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < x * x * 0.5 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Box and Muller. */
function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
