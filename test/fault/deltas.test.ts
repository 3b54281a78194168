import { expect, it } from "vitest";
import { replyOfDeltas, takeDeltas } from "../support/deltas.ts";

/** Milliseconds of processor time, the least of some goes. */
function cost(deltas: number): number {
  const events = replyOfDeltas(deltas);
  const goes = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    const { blocks, typed } = takeDeltas(events);
    const { user, system } = process.cpuUsage(before);
    expect(blocks).toBe(2);
    expect(typed).toBeGreaterThan(deltas * 5);
    return (user + system) / 1000;
  });
  return Math.min(...goes);
}

it("S10: four times the deltas cost about four times the work", () => {
  cost(5000);
  const [few, many] = [cost(5000), cost(20_000)];
  expect(many / few).toBeLessThan(7);
});
