import { describe, expect, it } from "vitest";
import { bash, del, edit, read, type Work } from "../../bench/questions/call.ts";
import { questionRows, WORKS } from "../../bench/questions.ts";
import { deep } from "../support/deep.ts";
import { missingTool, needs } from "../support/runnable.ts";

const SMALL: Work = {
  name: "small",
  turns: [
    [read("README.md"), bash("ls; wc -l src/*.js")],
    [edit("README.md", "# Shop", "# The shop"), bash("sort data/prices.csv > /tmp/sorted && cat /tmp/sorted")],
    [del("docs/old-api.md")],
  ],
};

describe("G2: questions of everyday work", () => {
  it("P1, P4, P9: what changes nothing is never asked about; auto mode asks about the deletion alone", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("git"));
    const { rows, asked } = await questionRows("each", [SMALL]);
    expect(asked.flatMap((a) => a.failed)).toEqual([]);
    expect(rows[0]).toEqual({ name: "small", calls: 5, ask: 2, auto: 1, list: 3 });
  });

  it("P9: at most one question in five calls in ask mode and one in fifty in auto mode, over ten pieces of work", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("git"));
    const works = WORKS.slice(0, deep(0, WORKS.length));
    const { rows, asked } = await questionRows("each", works);
    expect(asked.flatMap((a) => a.failed)).toEqual([]);
    const total = rows.at(-1) ?? { calls: NaN, ask: NaN, auto: NaN };
    expect(WORKS).toHaveLength(10);
    expect(total.ask).toBeLessThanOrEqual(total.calls / 5);
    expect(total.auto).toBeLessThanOrEqual(total.calls / 50);
  });
});
