import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scan } from "../../../src/sandbox/scan.ts";
import { asUser, missingUser } from "../../support/in-process-user.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { turnsOf } from "../../support/turns.ts";
import { type Act, file, folder, missingLayer, scanned, TAR, told, whiteout } from "../../support/upper-layer.ts";

/** Everything of a scan as an ordinary user has it; `close`: what that user did to their folder before the scan. */
async function scannedAsUser(lower: readonly Act[], upper: readonly Act[], close: Act): Promise<string[]> {
  const top = scratch();
  chmodSync(top, 0o777);
  return asUser(async () => {
    const dir = join(top, "own");
    for (const [name, acts] of [
      ["work", lower],
      ["step/u0", upper],
    ] as const) {
      mkdirSync(join(dir, name), { recursive: true });
      for (const act of acts) act(join(dir, name));
    }
    close(join(dir, "work"));
    const roots = [{ path: join(dir, "work"), kind: "folder" as const }];
    const of = { operationId: "op_1", stepFolder: join(dir, "step"), since: "9".repeat(30), layers: [], tar: TAR };
    return told(await scan({ ...of, roots, root: false }));
  });
}

describe("scan as an ordinary user", () => {
  it("W2: in a folder of theirs that they closed, what the command did is all that is known", async (ctx) => {
    needs(ctx, missingUser() ?? missingLayer());
    const lower = [file("d/a"), file("d/b"), file("e/f")];
    const upper = [whiteout("d/a"), file("d/n/m"), folder("d/x/y"), whiteout("e/f")];
    const lines = await scannedAsUser(lower, upper, (dir) => chmodSync(join(dir, "d"), 0o000));
    expect(lines).toEqual([
      "chmod d: folder 0 > folder 755",
      "delete d/a: - > -",
      "create d/n: - > folder 755",
      "create d/n/m: - > file 644",
      "create d/x: - > folder 755",
      "create d/x/y: - > folder 755",
      "delete e/f: file 644 > -",
    ]);
  });
  it("W2: what can't be read there counts as changed, and has no hash; what can't be counted is not counted", async (ctx) => {
    needs(ctx, missingUser() ?? missingLayer());
    const lower = [file("a"), file("g/x"), file("g/h/y"), file("b", "b", 0o200)];
    const upper = [file("a"), whiteout("g"), file("b", "b", 0o200)];
    const lines = await scannedAsUser(lower, upper, (dir) => {
      chmodSync(join(dir, "a"), 0o000);
      chmodSync(join(dir, "g/h"), 0o000);
    });
    expect(lines).toEqual([
      "modify a: file 0 > file 644",
      "modify b: file 200 > file 200",
      "delete g: folder 755 > - (1 files, 3 bytes)",
    ]);
  });
  it("W2: what the command closed of its own is opened for the look, hashed, and closed again", async (ctx) => {
    needs(ctx, missingUser());
    const top = scratch();
    chmodSync(top, 0o777);
    await asUser(async () => {
      const upper = join(top, "step/u0");
      for (const path of ["work", "step/u0"]) mkdirSync(join(top, path), { recursive: true });
      for (const act of [file("f", "same"), file("d/k", "k")]) act(join(top, "work"));
      for (const act of [
        file("f", "same", 0o000),
        file("n/m/x", "x", 0o000),
        file("node_modules/q/z", "12"),
        file("d/k", "l", 0o000),
      ])
        act(upper);
      for (const path of ["n/m", "n", "node_modules/q", "d"]) chmodSync(join(upper, path), 0o000);
      const roots = [{ path: join(top, "work"), kind: "folder" as const }];
      const of = { operationId: "op_1", stepFolder: join(top, "step"), since: "9".repeat(30), layers: [], tar: TAR };
      const set = await scan({ ...of, roots, root: false });
      expect(told(set)).toEqual([
        "chmod d: folder 755 > folder 0",
        "modify d/k: file 644 > file 0",
        "chmod f: file 644 > file 0",
        "create n: - > folder 0",
        "create n/m: - > folder 0",
        "create n/m/x: - > file 0",
        "create node_modules: - > folder 755 (1 files, 2 bytes)",
      ]);
      const hashes = set.changes.filter((c) => c.after?.type === "file").map((c) => c.after?.hash !== undefined);
      expect(hashes).toEqual([true, true, true]);
      expect(["n", "d", "f"].map((path) => lstatSync(join(upper, path)).mode & 0o7777)).toEqual([0, 0, 0]);
      for (const path of ["n", "n/m", "node_modules/q", "d"]) {
        expect(lstatSync(join(upper, path)).mode & 0o7777).toBe(0);
        chmodSync(join(upper, path), 0o700);
      }
    });
  });
});

describe("scan", () => {
  it("W2: touches nothing of a layer that root reads as it is", async (ctx) => {
    needs(ctx, process.geteuid?.() === 0 ? missingLayer() : "no root");
    const { set, stepFolder } = await scanned({
      lower: [file("a", "a", 0o000)],
      upper: [file("a", "b", 0o000), folder("d", 0o000)],
    });
    for (const { path, after } of set.changes) {
      const stat = lstatSync(join(stepFolder, "u0", path), { bigint: true });
      expect([path, String(stat.ctimeNs), Number(stat.mode) & 0o7777]).toEqual([path, after?.ctime, 0]);
      expect(BigInt(set.since) > stat.ctimeNs).toBe(true);
    }
  });
  it("W2: targets and names in any bytes are told apart", async (ctx) => {
    needs(ctx, missingLayer());
    const raw = (bytes: string): Buffer => Buffer.from(bytes, "latin1");
    const odd =
      (target: string): Act =>
      (dir) =>
        symlinkSync(raw(target), join(dir, "l"));
    const { set } = await scanned({ lower: [odd("\xfe")], upper: [odd("\xff")] });
    expect(set.changes.map((c) => [c.op, c.before?.target, c.after?.target])).toEqual([["modify", "\xfe", "\xff"]]);
    const name: Act = (dir) => {
      mkdirSync(join(dir, "d"));
      writeFileSync(Buffer.concat([Buffer.from(`${dir}/d/`), raw("\xff")]), "12");
    };
    expect((await scanned({ lower: [name], upper: [whiteout("d")] })).lines).toEqual([
      "delete d: folder 755 > - (1 files, 2 bytes)",
    ]);
    const made = await scanned({ lower: [], upper: [name] });
    expect(made.set.changes.map((c) => c.path)).toEqual(["d", "d/\xff"]);
  });
  it("W2: links, folders and their like have no hash, and make no rename; an edit is no half of one", async (ctx) => {
    needs(ctx, missingLayer());
    const link: Act = (dir) => symlinkSync("k", join(dir, "l"));
    const { set, lines } = await scanned({
      lower: [file("k", "k"), link, file("gone", "moved"), file("was", "old"), file("d/x", ""), folder("e")],
      upper: [
        (dir) => symlinkSync("gone", join(dir, "l")),
        whiteout("gone"),
        file("was", "moved"),
        file("new", "old"),
        whiteout("e"),
        folder("f"),
        (dir) => symlinkSync("k", join(dir, "m")),
      ],
    });
    expect(lines).toEqual([
      "delete e: folder 755 > - (0 files, 0 bytes)",
      "create f: - > folder 755",
      "delete gone: file 644 > -",
      "modify l: link 777 to k > link 777 to gone",
      "create m: - > link 777 to k",
      "create new: - > file 644",
      "modify was: file 644 > file 644",
    ]);
    const hashed = set.changes.flatMap((c) => [c.before, c.after]).filter((p) => p?.hash !== undefined);
    expect(hashed.every((p) => p?.type === "file")).toBe(true);
    expect(hashed).toHaveLength(4);
  });
  it("W2: leaves no file open, whether bytes were the same, other, or could not be read", async (ctx) => {
    needs(ctx, missingLayer() ?? (process.platform === "linux" ? undefined : "no /proc"));
    const open = (): number => readdirSync("/proc/self/fd").length;
    const before = open();
    for (let n = 0; n < 5; n++)
      await scanned({ lower: [file("a", "1"), file("b", "1")], upper: [file("a", "1"), file("b", "2")] });
    expect(open() - before).toBeLessThan(5);
  });
  it("W2: lets others in after each 500 entries, and no more often than that", async (ctx) => {
    needs(ctx, missingLayer());
    const many =
      (count: number): Act =>
      (dir) => {
        mkdirSync(join(dir, "d"));
        for (let n = 0; n < count; n++) writeFileSync(join(dir, "d", `f${n}`), "");
      };
    const turns = (layers: Parameters<typeof scanned>[0]): Promise<number> => turnsOf(() => scanned(layers));
    for (const layers of [
      (count: number) => ({ lower: [], upper: [many(count)] }),
      (count: number) => ({ lower: [many(count)], upper: [whiteout("d")] }),
    ]) {
      const more = (await turns(layers(1600))) - (await turns(layers(5)));
      expect([3, 4]).toContain(more);
    }
    const shared = { lower: [folder("d")], upper: [many(1600)] };
    expect(await turns(shared)).toBeGreaterThanOrEqual(3);
    expect(await turns(shared)).toBeLessThan(20);
  });
});
