import { lstatSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Lifted } from "../../../src/sandbox/lift.ts";
import { UpperLayer } from "../../../src/sandbox/upper.ts";
import type { Node } from "../../../src/workspace/tree.ts";
import { scratch } from "../../support/scratch.ts";
import { turnsOf } from "../../support/turns.ts";
import { type Act, file, folder, link } from "../../support/upper-layer.ts";

const mode = (path: string): number => lstatSync(path).mode & 0o7777;

function layer(needed: boolean, ...acts: Act[]) {
  const dir = scratch();
  for (const act of acts) act(dir);
  const lifted = new Lifted(needed);
  return { dir, lifted, upper: new UpperLayer(dir, lifted) };
}

describe("UpperLayer", () => {
  it("W2: names in order of their bytes, folders opened for the time of the scan", () => {
    const { dir, lifted, upper } = layer(true, file("b"), file("a"), file("B"), file("é"), folder("d", 0o100));
    expect([...upper.entries("")].map(([name]) => name)).toEqual(["B", "a", "b", "d", "\xc3\xa9"]);
    expect(mode(join(dir, "d"))).toBe(0o700);
    lifted.restore();
    expect(mode(join(dir, "d"))).toBe(0o100);
    expect([upper.at(""), upper.at("d/x")]).toEqual([dir, `${dir}/d/x`]);
  });
  it("W2: that order is theirs, not the one that they were made in; files are left as they are", () => {
    const names = Array.from({ length: 40 }, (_, n) => `f${(n * 17) % 40}`);
    const { dir, upper } = layer(true, ...names.map((name) => file(name)), ...names.map((name) => folder(`d${name}`)));
    const sorted = [...names, ...names.map((name) => `d${name}`)].toSorted();
    expect([...upper.entries("")].map(([name]) => name)).toEqual(sorted);
    expect(names.map((name) => mode(join(dir, name)))).toEqual(names.map(() => 0o644));
  });
  it("W2: lets others in now and then while it compares large files", async () => {
    const { dir, upper } = layer(false, file("a", Buffer.alloc(9 << 20)), file("b", Buffer.alloc(9 << 20)));
    const [stat, other] = ["a", "b"].map((name) => lstatSync(join(dir, name), { bigint: true }));
    if (stat === undefined || other === undefined) throw new Error("no files");
    const old: Node = { root: 0, path: "a", type: "file", stat: other, places: [{ real: join(dir, "b"), layer: 0 }] };
    let same = false;
    const turns = await turnsOf(async () => (same = await upper.sameContent("a", stat, old)));
    expect([same, turns]).toEqual([true, 3]);
  });
  it("W2: files and bytes below a folder, at any depth", async () => {
    const { upper } = layer(
      false,
      file("d/a", "1"),
      file("d/e/b", "12"),
      file("d/e/f/c", "123"),
      file("x"),
      folder("d/g"),
    );
    expect(await upper.sizeBelow("d")).toEqual({ files: 3, bytes: 6 });
    expect(await upper.sizeBelow("d/g")).toEqual({ files: 0, bytes: 0 });
  });
  const CHUNK = 1 << 16;
  const bytes = (size: number, odd?: number): Buffer => {
    const all = Buffer.alloc(size, "x");
    if (odd !== undefined) all[odd] = 0;
    return all;
  };
  it.each([
    [0, undefined, true],
    [1, undefined, true],
    [1, 0, false],
    [CHUNK, undefined, true],
    [CHUNK, CHUNK - 1, false],
    [CHUNK + 1, undefined, true],
    [CHUNK + 1, CHUNK, false],
    [CHUNK + 1, 0, false],
    [5 * CHUNK, 2 * CHUNK, false],
    [5 * CHUNK + 3, 5 * CHUNK + 2, false],
    [5 * CHUNK + 3, undefined, true],
  ])("W2: two files of %d bytes, other at %s, are the same: %s", async (size, odd, same) => {
    const { dir, upper } = layer(false, file("a", bytes(size, odd)), file("b", bytes(size)));
    const stat = lstatSync(join(dir, "a"), { bigint: true });
    const old = (places: Node["places"]): Node => ({
      root: 0,
      path: "a",
      type: "file",
      stat: lstatSync(join(dir, "b"), { bigint: true }),
      places,
    });
    expect(await upper.sameContent("a", stat, old([{ real: join(dir, "b"), layer: 0 }]))).toBe(same);
    expect(await upper.sameContent("a", stat, old([]))).toBe(false);
    if (size > 0)
      await expect(upper.sameContent("a", stat, old([{ real: join(dir, "c"), layer: 0 }]))).rejects.toThrow("ENOENT");
  });
  it("W2: a file is made readable for a hash, and a link is not followed", () => {
    const { dir, lifted, upper } = layer(true, file("a", "a", 0o200), link("l", "a"), file("r", "r", 0o400));
    expect(upper.readable("a")).toBe(`${dir}/a`);
    expect([mode(`${dir}/a`), upper.readable("r"), mode(`${dir}/r`)]).toEqual([0o600, `${dir}/r`, 0o400]);
    expect([lifted.modeOf(`${dir}/a`, 1), lifted.modeOf(`${dir}/r`, 1)]).toEqual([0o200, 1]);
    lifted.restore();
    expect(mode(`${dir}/a`)).toBe(0o200);
  });
});

describe("Lifted", () => {
  it("W2: gives what is lacking, remembers what was there first, puts it back from the inside out", () => {
    const { dir, lifted } = layer(true, file("d/e/f", "", 0o000), folder("d/e", 0o2100), folder("d", 0o000));
    const [d, e, f] = [`${dir}/d`, `${dir}/d/e`, `${dir}/d/e/f`];
    for (const [path, bits] of [
      [d, 0o700],
      [e, 0o700],
      [f, 0o400],
    ] as const)
      lifted.lift(path, lstatSync(path).mode, bits);
    expect([d, e, f].map(mode)).toEqual([0o700, 0o2700, 0o400]);
    lifted.lift(f, lstatSync(f).mode, 0o600);
    expect([mode(f), lifted.modeOf(f, 0o600), lifted.modeOf(dir, 0o755)]).toEqual([0o600, 0, 0o755]);
    expect(lifted.modeOf(e, 0)).toBe(0o2100);
    lifted.restore();
    expect([mode(d), lifted.ctimeOf(d)]).toEqual([0, String(lstatSync(d, { bigint: true }).ctimeNs)]);
    lifted.lift(d, lstatSync(d).mode, 0o700);
    lifted.lift(e, lstatSync(e).mode, 0o700);
    expect([e, f].map(mode)).toEqual([0o2700, 0]);
  });
  it("W2: touches nothing where root reads everything as it is, or nothing is lacking", () => {
    const { dir, lifted } = layer(false, file("a", "a", 0o000));
    lifted.lift(`${dir}/a`, 0, 0o400);
    expect([mode(`${dir}/a`), lifted.modeOf(`${dir}/a`, 1)]).toEqual([0, 1]);
    const other = new Lifted(true);
    other.lift(`${dir}/a`, 0o100400, 0o400);
    other.restore();
    expect([mode(`${dir}/a`), other.modeOf(`${dir}/a`, 1), other.ctimeOf(`${dir}/a`)]).toEqual([0, 1, undefined]);
  });
});
