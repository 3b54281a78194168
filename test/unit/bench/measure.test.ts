import { describe, expect, it } from "vitest";
import { measure, median, timedProgram } from "../../../bench/measure.ts";

describe("ratios", () => {
  it("the median of odd and even numbers of goes", () => {
    expect([median([9, 1, 2]), median([1, 9, 2, 3])]).toEqual([2, 2.5]);
  });
  it("the first go of each does not count; both are run in turn", async () => {
    const order: string[] = [];
    const from = (name: string, values: number[]) => () => {
      order.push(name);
      return Promise.resolve(values.shift() ?? 0);
    };
    const run = from("run", [1000, 20, 10, 30]);
    const floor = from("floor", [1000, 5, 4, 6]);
    expect(await measure({ name: "x", floorName: "y", run, floor, n: 3 })).toEqual({
      name: "x",
      floorName: "y",
      ms: 20,
      floorMs: 5,
      ratio: 4,
      leastMs: 10,
      leastFloorMs: 4,
      n: 3,
    });
    expect(order).toEqual(["run", "floor", "run", "floor", "run", "floor", "run", "floor"]);
  });
  it("a program that fails is no figure", async () => {
    await expect(timedProgram(["-e", "console.error('bad'); process.exit(3)"])).rejects.toThrow(/ended with 3: bad/);
  });
});
