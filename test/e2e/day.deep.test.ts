import { describe, expect, it } from "vitest";
import { runDay, slopes } from "../support/day.ts";
import { deep } from "../support/deep.ts";
import { scratch } from "../support/scratch.ts";

const TURNS = deep(100, 5000);

describe("a day in fast motion", () => {
  it(
    `${TURNS} turns in one process: no handle and no process is left, the sums are right, no turn costs more for those before it`,
    { timeout: 1_800_000 },
    async () => {
      const { looks, end, answered, breaches, code } = await runDay(scratch("day"), TURNS);
      expect([code, breaches, answered.requests]).toEqual([0, [], TURNS]);
      expect(end.usage).toMatchObject(answered.usage);
      expect(end.usd).toBeCloseTo(answered.usd, 9);
      const [first] = looks;
      if (first === undefined) throw new Error("it said nothing");
      expect(looks.map(({ children }) => children)).toEqual(looks.map(() => 0));
      // Between two messages; a connection that is kept may come or go.
      expect(Math.max(...looks.map(({ handles }) => handles))).toBeLessThanOrEqual(first.handles + 2);
      expect(end.handles).toBeLessThanOrEqual(first.handles);
      if (TURNS < 1000) return;
      const { early, late, bytes } = slopes(looks);
      // A ratio, not a speed. What was said stays in memory, a few kilobytes a turn; work that grew with the talk would be many times as much.
      expect(late / early).toBeLessThan(2.5);
      expect(bytes).toBeLessThan(10_000);
    },
  );
});
