import { describe, expect, it } from "vitest";
import { workNames } from "../../bench/questions/work.ts";
import { questionRows } from "../../bench/questions.ts";
import { deep } from "../support/deep.ts";
import { missingTool, needs } from "../support/runnable.ts";

describe("G2: questions of recorded work, its tools run for real", () => {
  it("P1, P4, P9: what changes nothing is never asked about; auto mode asks about the deletion alone", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("git"));
    const { rows, asked } = await questionRows("each", ["clean-up"]);
    expect(asked.flatMap((a) => a.strayed)).toEqual([]);
    expect(rows[0]).toEqual({ name: "clean up", calls: 16, ask: 5, auto: 1, list: 8 });
    expect(asked[1]?.asked).toEqual([expect.stringMatching(/^deletes 6 files: bin\/release\.sh\.bak, /)]);
  });

  it("P9: over ten recorded pieces of work auto mode asks four times, each time about high risk; ask mode about changes alone", async (ctx) => {
    const missing = ["bwrap", "git", "npm", "python3", "cc", "make"].map(missingTool).find((why) => why !== undefined);
    needs(ctx, missing);
    const names = workNames();
    expect(names).toHaveLength(10);
    const { rows, asked } = await questionRows("each", names.slice(0, deep(0, names.length)));
    expect(asked.flatMap((a) => a.strayed)).toEqual([]);
    const [ask, auto] = [0, 1].map((odd) => asked.filter((_, i) => i % 2 === odd).flatMap((a) => a.asked));
    const total = rows.at(-1) ?? { calls: NaN, list: NaN };
    expect(ask?.length).toBeLessThanOrEqual(total.list * 0.55);
    expect(ask?.filter((why) => !/^(?:changes|deletes|staged|commit|branch|uses the network)/.test(why))).toEqual([]);
    expect(auto?.map((why) => why.split(/[: ]/)[0])).toEqual(
      ["deletes", "deletes", "uses", "deletes"].slice(0, deep(0, 4)),
    );
  });
});
