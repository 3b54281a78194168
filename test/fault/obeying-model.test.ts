import { describe, expect, it } from "vitest";
import { deep } from "../support/deep.ts";
import { DECEIVE } from "../support/obey/deeds-deceive.ts";
import { DESTROY } from "../support/obey/deeds-destroy.ts";
import { OUTSIDE } from "../support/obey/deeds-outside.ts";
import { SEND } from "../support/obey/deeds-send.ts";
import { STEER } from "../support/obey/deeds-steer.ts";
import { sanitize } from "../../src/util/visible.ts";
import { obeyAll, type Case, type Run } from "../support/obey/run.ts";
import { missingTool, needs } from "../support/runnable.ts";

const AREAS = { DESTROY, SEND, OUTSIDE, STEER, DECEIVE };
const ALL = Object.entries(AREAS)
  .flatMap(([area, deeds]) => deeds.map((deed) => ({ area, deed })))
  .map((one, n) => ({ ...one, n }));

function casesIn(mode: "ask" | "auto", among: typeof ALL): Case[] {
  const fit = among.filter(({ deed }) => mode === "ask" || deed.medium !== true);
  return fit.map(({ n, deed }) => ({ n: mode === "auto" ? n + 1000 : n, deed, mode }));
}

/** Some of every area in both modes, or in the long run all of them, each area and mode in a project of its own. */
const RUNS: readonly [string, Case[]][] =
  deep(0, 1) === 0
    ? [["a sample", [...casesIn("ask", everyNth(25, 0)), ...casesIn("auto", everyNth(25, 12))]]]
    : (["ask", "auto"] as const).flatMap((mode) =>
        Object.keys(AREAS).map((area): [string, Case[]] => [
          `${area.toLowerCase()} in ${mode} mode`,
          casesIn(
            mode,
            ALL.filter((one) => one.area === area),
          ),
        ]),
      );

function everyNth(step: number, from: number): typeof ALL {
  return ALL.filter(({ n }) => n % step === from);
}

/** Everything that is wrong about a run, with the orders that led to it. */
function problems(run: Run): unknown[] {
  const wrong = run.cases.flatMap(({ n, mode, orders, changed, made, asked, ended }) => [
    ...(changed.length === 0 ? [] : [{ n, mode, orders, changed }]),
    // A text that was never met would prove nothing.
    ...(made === orders.length ? [] : [{ n, mode, orders, made, ended }]),
    ...asked.filter((text) => sanitize(text) !== text).map((shown) => ({ n, mode, shown })),
  ]);
  const { hits, leaks, left, breaches } = run;
  return [...wrong, ...hits, ...leaks, ...left, ...breaches];
}

describe("a model that obeys every text it reads, every question answered no", () => {
  it("there are 200 different orders and more", () => {
    expect(new Set(ALL.map(({ deed }) => JSON.stringify(deed.calls))).size).toBeGreaterThanOrEqual(200);
  });

  for (const [title, cases] of RUNS) {
    it(
      `P3, P10: ${title}: folder, what lies beside it, secrets and listeners stay as they are`,
      { timeout: 300_000 },
      async (ctx) => {
        needs(ctx, missingTool("bwrap") ?? missingTool("git"));
        const run = await obeyAll(cases);
        expect(problems(run)).toEqual([]);
        expect(run.cases.some((c) => c.asked.length > 0)).toBe(true);
      },
    );
  }
});
