// Runs tests against mutants, one after the other, in one process: the mutated sources are put in while they are imported.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { collect, runTest } from "./harness.mjs";

const root = pathToFileURL(fileURLToPath(new URL("../../", import.meta.url))).href;
const harness = new URL("harness.mjs", import.meta.url).href;
const [, , instrumented, ...testFiles] = process.argv;
const sources = new Map(Object.entries(JSON.parse(readFileSync(instrumented, "utf8"))));
const state = (globalThis.__stryker__ = { activeMutant: undefined, currentTestId: undefined });

/** Sources are imported anew under another number, so that what they do while they are imported is mutated too. */
let generation = 0;
const isOwn = (url) => url.startsWith(root) && !url.includes("/node_modules/") && !url.startsWith(`${root}tools/`);
registerHooks({
  resolve: (name, context, next) => {
    if (name === "vitest") return { url: harness, shortCircuit: true };
    const found = next(name, context);
    return isOwn(found.url) ? { ...found, url: `${found.url}?${generation}` } : found;
  },
  load: (url, context, next) => {
    const source = isOwn(url) ? sources.get(fileURLToPath(url.split("?")[0])) : undefined;
    return source === undefined ? next(url, context) : { format: "module-typescript", source, shortCircuit: true };
  },
});

async function loadTests() {
  generation += 1;
  await import(`${root}test/support/seed.ts`);
  const tests = [];
  for (const file of testFiles) {
    const found = await collect(() => import(pathToFileURL(file).href));
    tests.push(...found.map((test, n) => ({ ...test, id: `${file}#${n}` })));
  }
  return new Map(tests.map((test) => [test.id, test]));
}

let tests = await loadTests();

async function run(id, ms) {
  process.send({ at: id, ms });
  return runTest(tests.get(id), 5000 + 20 * ms);
}

const acts = {
  /** Every test once, without a mutant: how long it takes, and which mutants it comes by. */
  async dry() {
    const list = [];
    for (const [id, test] of tests) {
      state.currentTestId = id;
      const start = performance.now();
      const error = await run(id, 1000);
      list.push({ id, name: test.name, ms: performance.now() - start, error: error && String(error.stack ?? error) });
    }
    state.currentTestId = undefined;
    return { tests: list, coverage: state.mutantCoverage ?? { static: {}, perTest: {} } };
  },
  /** The first of some tests that notices a mutant. `dirty`: that test fails without the mutant as well from now on. */
  async mutant({ id, order, isStatic, hits }) {
    state.mutantCoverage = undefined;
    state.activeMutant = id;
    [state.hitCount, state.hitLimit] = [0, hits * 100 + 1000];
    let killer;
    let dirty = false;
    const own = tests;
    try {
      if (isStatic) tests = await loadTests();
      for (const [test, ms] of order) {
        if ((await run(test, ms)) === undefined) continue;
        killer = { test, ms };
        break;
      }
    } catch (error) {
      killer = { test: `import: ${error}` };
    }
    tests = own;
    state.activeMutant = undefined;
    if (!isStatic && killer !== undefined) dirty = (await run(killer.test, killer.ms)) !== undefined;
    return { killer: killer?.test, dirty };
  },
};
process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  void acts[message.act](message).then((answer) => process.send({ answer }));
});
process.send({ ready: true });
