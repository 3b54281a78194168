/** Of 95 % intervals: 2.5 % lie above it. */
export const Z95 = 1.959963984540054;
/** 80 % lie below it: a test of this power. */
export const Z80 = 0.8416212335729143;

/** Share of the standard normal distribution up to z. G. West, "Better approximations to cumulative normal functions", Wilmott 2005, after Hart 1968; good to 14 digits. */
export function normalShare(z: number): number {
  const x = Math.abs(z);
  if (x > FAR) return z > 0 ? 1 : 0;
  const density = Math.exp((-x * x) / 2);
  const tail = x < BEND ? (density * polynomial(x, ABOVE)) / polynomial(x, BELOW) : density / (fraction(x) * ROOT_2PI);
  return z > 0 ? 1 - tail : tail;
}

const FAR = 37;
const BEND = 7.07106781186547;
const ROOT_2PI = 2.506628274631;
const ABOVE = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871, 221.213596169931,
  220.206867912376,
];
const BELOW = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
];

function polynomial(x: number, coefficients: readonly number[]): number {
  return coefficients.reduce((sum, c) => sum * x + c, 0);
}

function fraction(x: number): number {
  return x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))));
}

/** Where the share of the standard normal distribution is p, for p strictly between 0 and 1: by halving, to the last digits of `normalShare`. */
export function normalQuantile(p: number): number {
  let low = -FAR;
  let high = FAR;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const HALVINGS = 60;

/**
 * The 97.5 % point of Student's t with these degrees of freedom, from 4 on good to 3 parts of 1,000: four terms of the Cornish-Fisher expansion
 * (Abramowitz and Stegun 1964, 26.7.5).
 */
export function t975(freedom: number): number {
  const z = Z95;
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduce((sum, term, i) => sum + term / freedom ** (i + 1), z);
}
