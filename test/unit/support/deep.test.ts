import { describe, expect, it } from "vitest";
import { deep, deepRuns } from "../../support/deep.ts";

describe("deep", () => {
  it("takes the sample, and all of it with DEEP=1 alone", () => {
    expect([deep(3, 400, {}), deep(3, 400, { DEEP: "0" }), deep(3, 400, { DEEP: "1" })]).toEqual([3, 3, 400]);
  });
  it("a sample is seeded, a long run is not", () => {
    expect(deepRuns(3, 400, {})).toEqual({ numRuns: 3, seed: expect.any(Number) });
    expect(deepRuns(3, 400, { DEEP: "1" })).toEqual({ numRuns: 400 });
  });
});
