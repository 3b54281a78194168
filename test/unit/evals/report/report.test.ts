import { describe, expect, it } from "vitest";
import { reportRows } from "../../../../src/cli/eval-report-text.ts";
import { compareRuns } from "../../../../src/evals/numbers/compare-runs.ts";
import { summarise } from "../../../../src/evals/numbers/summary.ts";
import { compareReport } from "../../../../src/evals/report/compare-report.ts";
import { compareJson, runJson } from "../../../../src/evals/report/json.ts";
import { markdownOf } from "../../../../src/evals/report/markdown.ts";
import { comparePage, runPage } from "../../../../src/evals/report/pages.ts";
import { runReport } from "../../../../src/evals/report/run-report.ts";
import { maskDeep } from "../../../../src/util/secrets/deep.ts";
import { makeSecrets } from "../../../../src/util/secrets/secrets.ts";
import { widthOf } from "../../../../src/ui/render/spans.ts";
import { HOSTILE, hostileRun, madeRun, type Letters } from "../../../support/eval-run.ts";

const RUN = madeRun({ a: "PPPPP", b: "PFPFP", c: "PP!PF", d: "FFFFF", e: "PPPPP", f: "PPPPF" });
const OTHER = madeRun(
  { a: "PPPPP", b: "PPPPP", c: "PPPPF", d: "FFFFP", e: "PPPPP", f: "PPPPF" },
  { delta: 0.1, id: "other" },
);
const page = (run = RUN) => [...runPage(summarise(run), () => undefined)].join("");

describe("the report of a run", () => {
  it("V2: says rate and three intervals, pass^k, each task, work, permissions, ends and failures", () => {
    const rows = reportRows(runReport(summarise(RUN)), 100).join("\n");
    for (const words of [
      "69 % pass (20 of 29 trials)",
      "bootstrap over tasks",
      "Wilson, 29 trials",
      "normal approximation, 29 trials",
      "pass^k: all pass",
      "✓✗✓✗✓",
      "3 of 5",
      "6,500",
      "$0.0123",
      "files deleted",
      "d/5",
      "in simulations",
    ])
      expect(rows).toContain(words);
  });
  it.each([40, 80, 120])("V2: no row is wider than %i columns", (width) => {
    const rows = [
      ...reportRows(runReport(summarise(hostileRun())), width),
      ...reportRows(compareReport(compareRuns(RUN, OTHER)), width),
    ];
    expect(rows.filter((row) => widthOf(row) > width)).toEqual([]);
  });
  it("V2: what is said by a model or a file does nothing in a terminal", () => {
    expect(
      reportRows(runReport(summarise(hostileRun())), 100).filter((row) => /[\x00-\x1f\x7f-\x9f]/.test(row)),
    ).toEqual([]);
  });
  it("V2: JSON names its form, and leaves out what is not known", () => {
    const json = JSON.parse(JSON.stringify(runJson(summarise(RUN))));
    expect(json).toMatchObject({
      type: "eval-report",
      version: 1,
      trials: 29,
      passes: 20,
      infra: { attempts: 1 },
      rate: { coverage: 0.92 },
    });
    expect(json.tasks[1]).toMatchObject({ id: "b", passes: 3, flipRate: 0.6 });
    const both = JSON.parse(JSON.stringify(compareJson(compareRuns(RUN, OTHER))));
    expect(both).toMatchObject({
      type: "eval-comparison",
      version: 1,
      rates: { verdict: "can't be told apart", coverage: 0.94 },
    });
    expect(JSON.stringify(runJson(summarise(madeRun({ a: "!" }))))).not.toContain("null");
  });
  it("V2: Markdown shows the verdict, and whatever else is said stays text that calls nobody", () => {
    const text = markdownOf(runReport(summarise(hostileRun())));
    expect(text).toMatch(/^### .*\n\n\*\*\d+ % pass/);
    expect(text).not.toMatch(/<(?!\/?details>|\/?summary>)/);
    expect(text).not.toMatch(/@ada|#12\b|https?:|\]\(/);
    expect(markdownOf(compareReport(compareRuns(RUN, OTHER)))).toContain("**The two can't be told apart");
  });
});

describe("a comparison of few tasks", () => {
  const notes = (base: Letters, candidate: Letters): string =>
    compareReport(compareRuns(madeRun(base), madeRun(candidate))).sections[0]?.notes.join(" ") ?? "";
  it("V3: says that nothing was drawn, and promises no difference of more than 100 points", () => {
    const two = notes({ a: "PPPPF", b: "PPFFF" }, { a: "PPPPP", b: "PPPPF" });
    expect(two).toContain("over 2 tasks; too few to draw from, so for the interval each counts as one trial.");
    expect(two).toContain("These 2 tasks are too few to find any difference four times out of five.");
    const same = { a: "P", b: "P", c: "P", d: "P", e: "P" };
    expect(notes(same, same)).toContain(
      "over 5 tasks; all with the same difference, so for the interval each counts as one trial.",
    );
    expect(notes({ ...same, a: "F", b: "F" }, same)).toContain("over 5 tasks; interval by bootstrap over tasks.");
  });
});

describe("the page", () => {
  it("V2: holds no script, address or picture from outside, and its policy allows none", () => {
    const html = [...runPage(summarise(hostileRun()), () => [{ kind: "reply", at: "", text: HOSTILE }])].join("");
    expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'");
    const tags = new Set([...html.matchAll(/<([a-z]\w*)/g)].map((m) => m[1]));
    expect(
      [...tags].filter((tag) =>
        /^(script|img|iframe|object|embed|link|base|form|input|video|audio|use|image|foreignObject)$/.test(tag ?? ""),
      ),
    ).toEqual([]);
    expect(
      [...html.matchAll(/\s(?:href|src|style|on\w+)="([^"]*)"/g)]
        .map((m) => m[1])
        .filter((to) => !/^#(top|t\d+-\d+)$/.test(to ?? "")),
    ).toEqual([]);
  });
  it("V2: each trial that ran is one click from its trace, and each link leads somewhere", () => {
    const html = page();
    const links = [...html.matchAll(/class="cell \w+" href="#([^"]+)"/g)].map((m) => m[1]);
    const places = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map((m) => m[1]));
    expect(links).toHaveLength(30);
    expect(links.filter((id) => !places.has(id))).toEqual([]);
  });
  it("V2: traces are bounded, and what is left out is said with the way to see it", () => {
    const long = { kind: "reply" as const, at: "", text: "x".repeat(100_000) };
    const html = [...runPage(summarise(RUN), () => Array.from({ length: 50 }, () => long))].join("");
    expect(html.length).toBeLessThan(7_000_000);
    expect(html).toContain("agent eval show d/1 20261201-120000-made");
    expect(html).toContain("letters left out");
  });
  it("V2: a run without a verdict, or with one task and one trial, is a page too", () => {
    expect(page(madeRun({ a: "!." }))).toContain("No trial has a verdict.");
    expect(page(madeRun({ a: "P" }))).toContain("One task says nothing about others.");
  });
  it("V3: a comparison shows the difference with its interval and the margin", () => {
    const html = [...comparePage(compareRuns(RUN, OTHER))].join("");
    expect(html).toContain('aria-label="difference of success rates with its 95 % interval"');
    expect(html).toContain('<line class="margin"');
    expect(html).toContain("the margin set before the run");
  });
  it("V2: a key that a grader told is on no page", () => {
    const key = `sk-ant-api03-${"aB3dE5fG7h".repeat(9)}-AA`;
    const told = madeRun({ a: "F" }, {}, { reason: `it printed ${key}` });
    const secrets = makeSecrets({ key: new Uint8Array(32), values: [] });
    expect(page(told)).toContain(key);
    expect([...runPage(maskDeep(summarise(told), secrets), () => undefined)].join("")).not.toContain(key);
  });
});
