// `node scripts/coverage.mjs [SUITES [SIZES]]`: measures how often the 95 % intervals of evals hold the truth, by number of tasks, on simulated suites out of populations of
// tasks (1, 3 and 5 trials each). Prints the lowest of all, in %, for `src/evals/numbers/coverage.ts`, and which population it was.
import { bootstrapDifference, bootstrapMean } from "../src/evals/numbers/bootstrap.ts";
import { within } from "../src/evals/numbers/interval.ts";
import { drawSuite, LOPSIDED, POPULATIONS, passes, shareOf } from "../test/support/populations.ts";

const SIZES = (process.argv[3] ?? "3,4,5,6,8,10,13,16,20,30").split(",").map(Number);
const TRIALS = [1, 3, 5];
const suites = Number(process.argv[2] ?? 2000);
const options = (random) => ({ seed: Math.floor(random() * 2 ** 31), resamples: 1000 });

function rateHeld(of, tasks, k) {
  return (random) => {
    const rates = drawSuite(of, { tasks, k }, random).map((c) => c / k);
    return within(of.mean, bootstrapMean(rates, options(random)));
  };
}

function differenceHeld(of, tasks, k) {
  return (random) => {
    const differences = Array.from({ length: tasks }, () => {
      const p = of.draw(random);
      return (passes(p, k, random) - passes(p, k, random)) / k;
    });
    return within(0, bootstrapDifference(differences, options(random)));
  };
}

for (const [name, held] of [
  ["rate", rateHeld],
  ["difference", differenceHeld],
])
  for (const tasks of SIZES) {
    const all = [...POPULATIONS, ...LOPSIDED].flatMap((of, at) =>
      TRIALS.map((k) => ({ of: of.name, k, share: shareOf(suites, tasks * 1000 + at * 10 + k, held(of, tasks, k)) })),
    );
    const lowest = all.toSorted((a, b) => a.share - b.share)[0];
    const mean = all.reduce((sum, { share }) => sum + share, 0) / all.length;
    const figure = (share) => (100 * share).toFixed(1);
    console.log(
      `${name} ${tasks} tasks: lowest ${figure(lowest.share)} (${lowest.of}, k=${lowest.k}), mean ${figure(mean)}`,
    );
  }
