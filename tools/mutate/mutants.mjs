// Makes the mutants of some files, and finds for each the tests that come by it.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { createInstrumenter } from "@stryker-mutator/instrumenter";

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent, trace: silent, isDebugEnabled: () => false };
/** As much of Stryker's container as its instrumenter asks for. */
const container = {
  provideValue: () => container,
  injectClass: (made) => new made(logger),
};

/** Writes the mutated sources as one JSON file (path → text) and gives the mutants. Patterns are relative to `root`. */
export async function makeMutants(root, patterns, file) {
  const paths = globSync(patterns, { cwd: root }).toSorted();
  const files = paths.map((path) => ({
    name: root + path,
    mutate: true,
    content: readFileSync(root + path, "utf8"),
  }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const made = await createInstrumenter(container).instrument(files, options);
  writeFileSync(file, JSON.stringify(Object.fromEntries(made.files.map((f) => [f.name, f.content]))));
  return made.mutants.map(({ id, fileName, location, mutatorName, replacement }) => ({
    id,
    file: fileName.slice(root.length),
    place: `${location.start.line + 1}:${location.start.column + 1}`,
    what: `${mutatorName}: ${replacement}`.replaceAll(/\s+/g, " ").replaceAll("`", "'").slice(0, 120),
  }));
}

/** Each mutant with the tests that come by it, the quickest first; one that is met while a file is imported with all tests. */
export function planOf(mutants, { tests, coverage }) {
  const quick = tests.toSorted((a, b) => a.ms - b.ms);
  return mutants.map((mutant) => {
    const isStatic = coverage.static[mutant.id] !== undefined;
    const by = quick.filter((test) => coverage.perTest[test.id]?.[mutant.id] !== undefined);
    const hits = by.reduce((most, test) => Math.max(most, coverage.perTest[test.id][mutant.id]), 0);
    const rest = isStatic ? quick.filter((test) => !by.includes(test)) : [];
    return { ...mutant, isStatic, hits, order: [...by, ...rest].map((test) => [test.id, test.ms]) };
  });
}
