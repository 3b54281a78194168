/**
 * Numbers from 0 up to below 1 out of a seed: sfc32 ("small fast counting", Chris Doty-Humphrey, PractRand 2010), period at least 2^32.
 * The same seed gives the same numbers on every machine, so that a report can be made anew to the digit.
 */
export function prng(seed: number): () => number {
  let a = 0x9e3779b9;
  let b = 0x243f6a88 ^ Math.trunc(seed / 2 ** 32);
  let c = seed | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < WARM_UP; i++) next();
  return next;
}

/** Until the seed has reached every bit. */
const WARM_UP = 20;
