import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LONG_TESTS } from "./scripts/long-tests.mjs";

/** A file that is named is run. */
const named = process.argv.some((word) => word.startsWith("test/"));
const long = process.env["DEEP"] === "1" ? [] : ["test/**/*.deep.test.ts", ...(named ? [] : LONG_TESTS)];

/** What a test does to the process that it runs in: mocks, spies, the environment, its folder, its streams. */
const SHARED =
  /\bvi\.(?!waitFor|waitUntil|fn\b)|\bprocess\.(?!execPath|pid\b|version|arch\b|memoryUsage|hrtime|getuid|getgid)|\bglobalThis\b|\bconfigureGlobal\b/;

/** Unit tests that leave their process as it was: each worker runs many of them, which saves most of their time. */
function tame(): string[] {
  return readdirSync(join(import.meta.dirname, "test/unit"), { recursive: true, encoding: "utf8" })
    .map((file) => `test/unit/${file}`)
    .filter((file) => /(?<!\.deep)\.test\.tsx?$/.test(file))
    .filter((file) => !long.includes(file))
    .filter((file) => !SHARED.test(readFileSync(join(import.meta.dirname, file), "utf8")))
    .toSorted();
}
const together = tame();

export default defineConfig({
  test: {
    setupFiles: ["test/support/seed.ts"],
    // Two cores, and tests that wait for processes of theirs: more forks than that only fight for them.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NODE_ENV: "test" },
    projects: [
      { extends: true, test: { name: "together", include: together, isolate: false } },
      // The `*.deep.test.ts` take too long for every run: `npm run deep` runs them.
      { extends: true, test: { name: "apart", include: ["test/**/*.test.{ts,tsx}"], exclude: [...long, ...together] } },
    ],
  },
});
