import { defineConfig } from "vitest/config";

/** The tests that a mutant runs against: those of one process, so that a mutant is active in it. */
export default defineConfig({
  test: {
    include: (process.env["MUTATE_TESTS"] ?? "test/unit/workspace/**/*.test.ts").split(","),
    setupFiles: ["test/support/seed.ts"],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NODE_ENV: "test" },
  },
});
