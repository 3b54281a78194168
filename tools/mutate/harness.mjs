// Stands in for vitest where the tests of a mutant run: collects tests, and runs one at a time in this very process.
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from "@vitest/expect";
import * as chai from "chai";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

/** vitest's own matchers. */
export const expect = Object.assign(
  (value, message) => chai.expect(value, message),
  chai.expect,
  globalThis[ASYMMETRIC_MATCHERS_OBJECT],
);
globalThis[GLOBAL_EXPECT] = expect;

class Skipped extends Error {}
const hooks = () => ({ before: [], after: [] });
let collected = [];
let suites = [hooks()];
let finished = [];

export function onTestFinished(act) {
  finished.push(act);
}
export const beforeEach = (act) => void suites.at(-1).before.push(act);
export const afterEach = (act) => void suites.at(-1).after.push(act);

/** Rows of a table, one argument list each. */
const spread = (row) => (Array.isArray(row) ? row : [row]);

export function it(name, ...rest) {
  collected.push({ name, run: rest.find((part) => typeof part === "function"), suites: [...suites] });
}
it.each =
  (table) =>
  (name, ...rest) => {
    const run = rest.find((part) => typeof part === "function");
    for (const row of table) it(name, () => run(...spread(row)));
  };
it.for =
  (table) =>
  (name, ...rest) => {
    const run = rest.find((part) => typeof part === "function");
    for (const row of table) it(name, (ctx) => run(row, ctx));
  };
export const test = it;

export function describe(_name, ...rest) {
  suites.push(hooks());
  rest.find((part) => typeof part === "function")();
  suites.pop();
}
describe.each =
  (table) =>
  (name, ...rest) => {
    const run = rest.find((part) => typeof part === "function");
    for (const row of table) describe(name, () => run(...spread(row)));
  };
describe.for = (table) => (name, run) => {
  for (const row of table) describe(name, () => run(row));
};

/** The tests that `load` (the import of a test file) brings. */
export async function collect(load) {
  collected = [];
  suites = [hooks()];
  await load();
  return collected;
}

/** Runs one test; gives what it threw, or undefined. A skipped one throws nothing. */
export async function runTest({ run, suites: around }, limitMs) {
  finished = [];
  setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null, testPath: "" }, expect);
  const ctx = {
    skip: (why) => {
      throw new Skipped(why);
    },
  };
  let error;
  const loose = new Promise((_done, fail) => (onLoose = fail));
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  const slow = new Promise((_done, fail) => late.signal.addEventListener("abort", () => fail(new Error("too slow"))));
  try {
    const work = async () => {
      for (const suite of around) for (const act of suite.before) await act(ctx);
      await run(ctx);
    };
    await Promise.race([work(), loose, slow]);
  } catch (thrown) {
    if (!(thrown instanceof Skipped)) error = thrown ?? new Error("threw nothing");
  }
  clearTimeout(timer);
  for (const act of [...around.flatMap((suite) => suite.after), ...finished.toReversed()]) {
    try {
      await act();
    } catch (thrown) {
      error ??= thrown;
    }
  }
  return error;
}

/** What was thrown where nobody waits for it fails the test that runs. */
let onLoose = () => {};
process.on("unhandledRejection", (error) => onLoose(error));
process.on("uncaughtException", (error) => onLoose(error));
