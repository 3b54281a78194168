// Counts a vitest run for scripts/test.mjs: passed, failed, what this machine can't run, with the reason, and how long each file took.
import { mkdirSync, writeFileSync } from "node:fs";

export default class Counts {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, notRunnable: [], seconds: {} };
    for (const module of modules) {
      counts.seconds[module.relativeModuleId] = Math.round(module.diagnostic().duration / 100) / 10;
      counts.failed += module.state() === "failed" ? module.errors().length : 0;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") counts.passed++;
        else if (result.state === "failed") counts.failed++;
        else counts.notRunnable.push({ test: test.fullName, why: result.note ?? "skipped without a reason" });
      }
    }
    mkdirSync(".test-results", { recursive: true });
    writeFileSync(".test-results/counts.json", JSON.stringify(counts, null, 1));
  }
}
