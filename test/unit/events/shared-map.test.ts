import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SharedMap } from "../../../src/events/shared-map.ts";

const writes = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer()), { maxLength: 400 });

describe("SharedMap", () => {
  it("is as a map that is copied each time, and no later write reaches an earlier one", () => {
    fc.assert(
      fc.property(writes, fc.integer({ min: 1, max: 40 }), (list, each) => {
        let [map, plain] = [SharedMap.from<number, number>(new Map([[7, 7]])), new Map([[7, 7]])];
        const before: [SharedMap<number, number>, Map<number, number>][] = [];
        for (const [i, [key, value]] of list.entries()) {
          if (i % each === 0) {
            before.push([map, plain]);
            [map, plain] = [SharedMap.from(map), new Map(plain)];
          }
          map.set(key, value);
          plain.set(key, value);
        }
        for (const [seen, wanted] of [...before, [map, plain] as const]) {
          expect([...seen]).toEqual([...wanted]);
          expect([...seen.keys()]).toEqual([...wanted.keys()]);
          expect([...seen.values()]).toEqual([...wanted.values()]);
          expect(seen.size).toBe(wanted.size);
          const told: unknown[] = [];
          seen.forEach((value, key) => told.push([key, value]));
          expect(told).toEqual([...wanted]);
          for (const key of [0, 7, 150, 299])
            expect([seen.has(key), seen.get(key)]).toEqual([wanted.has(key), wanted.get(key)]);
        }
      }),
    );
  });
  it("holds undefined as any other value", () => {
    const map = SharedMap.from(SharedMap.from(new Map([["a", 1 as number | undefined]])).set("a", undefined));
    expect([map.has("a"), map.get("a"), map.size]).toEqual([true, undefined, 1]);
  });
});
