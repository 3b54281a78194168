import { describe, expect, it } from "vitest";
import { sideEffectText } from "../../../src/events/side-effect.ts";

describe("sideEffectText", () => {
  it("P5: says what was reached and how much went each way", () => {
    expect(sideEffectText([])).toBeUndefined();
    expect(
      sideEffectText([
        { kind: "network", host: "registry.example", port: 443, up: 12_345, down: 3_100_000 },
        { kind: "network", host: "::1", port: 80, up: 0, down: 999 },
      ]),
    ).toBe("reached registry.example:443 (12 kB up, 3.1 MB down), [::1]:80 (0 B up, 999 B down)");
    expect(
      sideEffectText([{ kind: "unsandboxed" }, { kind: "whole-network" }, { kind: "outside", path: "/srv/a" }]),
    ).toBe(
      "ran outside the copy, what it changed is not known; had the whole network, what it reached is not known; could write in /srv/a",
    );
  });

  it("counts what it doesn't list", () => {
    const many = Array.from(
      { length: 11 },
      (_, n) => ({ kind: "network", host: `h${n}.example`, port: 1, up: 0, down: 0 }) as const,
    );
    expect(sideEffectText(many)).toMatch(/h7\.example:1 \(0 B up, 0 B down\) and 3 more$/);
  });
});
