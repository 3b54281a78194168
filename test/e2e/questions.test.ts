import { describe, expect, it } from "vitest";
import { questionRows, WORKS } from "../../bench/questions.ts";
import { deep } from "../support/deep.ts";
import { missingTool, needs } from "../support/runnable.ts";

describe("G2: questions of everyday work", () => {
  it("P1, P4: at most one in five calls in ask mode, one in fifty in auto mode, and none of the work fails", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("git"));
    const all = WORKS.length === 10;
    const works = deep(1, WORKS.length) === 1 ? WORKS.filter((w) => w.name === "tidy docs, delete what is old") : WORKS;
    const { rows, asked } = await questionRows("each", works);
    expect(all).toBe(true);
    expect(asked.flatMap((a) => a.failed)).toEqual([]);
    const total = rows.at(-1);
    if (total === undefined) throw new Error("no sums");
    expect(total.auto).toBeLessThanOrEqual(works.length === 1 ? 1 : total.calls / 50);
    expect(total.ask).toBeLessThanOrEqual(works.length === 1 ? 5 : total.calls / 5);
    expect(total.list).toBeGreaterThan(total.ask);
  });
});
