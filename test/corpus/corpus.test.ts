import { describe, expect, it } from "vitest";
import { deep } from "../support/deep.ts";
import { isMeasured, nameOf, startsProgram, type Line } from "./case.ts";
import { allLines, sample } from "./pick.ts";
import { runCorpus } from "./pool.ts";
import type { CaseResult } from "./score.ts";

/** Areas that this machine settles in no time. */
const FAST = new Set(["terminal-escape", "redirect-write", "edit", "read", "search", "workspace"]);
/** Those of which no case may fail; the others wait for parts of the program that are not there yet. */
const isFast = (line: Line): boolean =>
  FAST.has(nameOf(line).area) || (line.kind === "security" && ["Settings", "Render"].includes(line.case.tool));

function failing(results: readonly CaseResult[]): string[] {
  return results
    .filter((r) => r.verdict !== "right" && r.verdict !== "not runnable")
    .map((r) => `${r.id}: ${r.verdict}: ${r.why}`);
}

describe("the corpus", () => {
  const title = "P1, P2, P3, P4, P9, P10, W1: its cases are right: all where that is quick, else a sample";
  it(title, { timeout: deep(300_000, 3_600_000) }, async () => {
    const lines = allLines();
    const quick = lines.filter(isFast);
    const others = lines.filter(
      (line) => !isFast(line) && (deep(0, 1) === 1 || !(isMeasured(line) || startsProgram(line))),
    );
    const results = await runCorpus([...quick, ...sample(others, deep(32, 1))]);
    expect(failing(results)).toEqual([]);
    // A runner that can run nothing would fail nothing.
    expect(results.filter((r) => r.verdict === "right").length).toBeGreaterThan(deep(80, 500));
  });
});
