import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    // Whole files that take too long for every run: `npm run deep` runs them.
    exclude: process.env["DEEP"] === "1" ? [] : ["test/**/*.deep.test.ts"],
    setupFiles: ["test/support/seed.ts"],
    // Two cores: more forks than that only fight for them.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NODE_ENV: "test" },
  },
});
