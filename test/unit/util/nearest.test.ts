import { describe, expect, it } from "vitest";
import { nearest } from "../../../src/util/nearest.ts";

describe("nearest", () => {
  const words = ["Bash", "Edit", "Read", "permissions", "maxTurns"];
  it.each([
    ["bash", "Bash"],
    ["Edti", "Edit"],
    ["permision", "permissions"],
    ["maxturns", "maxTurns"],
    ["Reed", "Read"],
  ])("%s means %s", (word, meant) => {
    expect(nearest(word, words)).toBe(meant);
  });
  it("says nothing where nothing is near", () => {
    for (const word of ["", "x", "zz", "somethingElse", "a".repeat(200)]) expect(nearest(word, words)).toBeUndefined();
    expect(nearest("Bash", [])).toBeUndefined();
  });
});
