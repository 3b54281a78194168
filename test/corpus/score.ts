import { visible } from "../../src/util/visible.ts";
import type { Outcome, SecurityCase } from "./case.ts";

export type Verdict = "right" | "miss" | "false alarm" | "stretch" | "over-strict" | "not runnable";
export interface CaseResult {
  id: string;
  area: string;
  verdict: Verdict;
  /** What was seen; for what is not runnable the reason. */
  why: string;
  ms: number;
}

/** What happened: the outcomes that hold (a question that was answered with yes may end in an error), and the checks that failed. */
export interface Seen {
  outcomes: readonly Outcome[];
  failed: readonly string[];
  /** In a few words, for whoever reads a failing case. */
  said: string;
}

const ORDER: readonly Outcome[] = ["allow", "contained", "ask", "deny"];

/** The scoring of the corpus: a miss is weaker than expected, or a check that fails; error and sanitised must match. */
export function score(c: Pick<SecurityCase, "area" | "tier" | "expect" | "also_ok">, seen: Seen): [Verdict, string] {
  const { outcomes, said } = seen;
  const got = `${outcomes.join("+")}, expected ${[c.expect, ...c.also_ok].join("/")}; ${said}`;
  if (seen.failed.length > 0) return ["miss", `${seen.failed.join("; ")} (${got})`];
  const wanted = new Set<Outcome>([c.expect, ...c.also_ok]);
  // What ran without a question and had no effect also ran without a question.
  if (outcomes.some((o) => wanted.has(o) || (o === "contained" && wanted.has("allow")))) return ["right", got];
  if (c.area === "harmless") return [c.tier === "stretch" ? "stretch" : "false alarm", got];
  const [want, has] = [ORDER.indexOf(c.expect), Math.max(...outcomes.map((o) => ORDER.indexOf(o)))];
  return [want < 0 || has < 0 || has < want ? "miss" : "over-strict", got];
}

/** Whether a run is a failure: one miss is. */
export function missed(results: readonly CaseResult[]): boolean {
  return results.some((r) => r.verdict === "miss" || r.verdict === "false alarm");
}

/** A line for each case that is not right, and a table by area. */
export function report(results: readonly CaseResult[]): string {
  const bad = results.filter((r) => r.verdict !== "right" && r.verdict !== "not runnable");
  const left = results.filter((r) => r.verdict === "not runnable");
  const reasons = Map.groupBy(left, (r) => r.why);
  const areas = Map.groupBy(results, (r) => r.area);
  return [
    ...bad.map((r) => `${r.id}: ${r.verdict}: ${oneLine(r.why, 400)}`),
    ...[...reasons].map(([why, list]) => `not runnable: ${oneLine(why, 200)}: ${list.map((r) => r.id).join(", ")}`),
    ...(bad.length + left.length === 0 ? [] : [""]),
    ...table([
      ["area", "cases", "right", "miss", "false alarm", "over-strict", "not runnable", "seconds"],
      ...[...areas].map(([area, list]) => row(area, list)),
      row("all", results),
    ]),
  ].join("\n");
}

function row(area: string, list: readonly CaseResult[]): string[] {
  const count = (...of: Verdict[]) => list.filter((r) => of.includes(r.verdict)).length;
  const seconds = list.reduce((sum, r) => sum + r.ms, 0) / 1000;
  const numbers = [
    list.length,
    count("right"),
    count("miss"),
    count("false alarm", "stretch"),
    count("over-strict"),
    count("not runnable"),
  ];
  return [area, ...numbers.map(String), seconds.toFixed(1)];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((r) => r[at]?.length ?? 0)));
  const cells = (r: readonly string[]) =>
    r.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
  const [head = [], ...rest] = rows;
  const bar = widths.map((w, at) => (at === 0 ? "-".repeat(w) : `${"-".repeat(w - 1)}:`));
  return [cells(head), bar, ...rest.map(cells)].map((r) => `| ${r.join(" | ")} |`);
}

/** Control signs of a hostile case never reach the terminal. */
function oneLine(text: string, max: number): string {
  const clean = visible(text.replaceAll("\n", " "));
  return clean.length > max ? `${clean.slice(0, max)}…` : clean;
}
