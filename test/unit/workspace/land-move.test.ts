import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fingerprint, treePrint } from "../../../src/workspace/fingerprint.ts";
import type { Fingerprint } from "../../../src/workspace/change.ts";
import { type Disk, systemDisk } from "../../../src/workspace/land-disk.ts";
import { checkParents, forward, Raced, reversed, secondName, targetOf } from "../../../src/workspace/land-move.ts";
import type { ModeOp, MoveOp, Op } from "../../../src/workspace/plan.ts";
import { scratch } from "../../support/scratch.ts";
import { treeLines } from "../../support/tree.ts";

interface Scene {
  root: string;
  target: string;
  slot: (name: string) => string;
  text: () => string | undefined;
  op: (more?: Partial<MoveOp>) => MoveOp;
  run: (op: Op, lifted?: readonly string[], disk?: Disk) => Promise<string>;
}

function printed(path: string): Fingerprint {
  const found = fingerprint(systemDisk, path);
  if (found === undefined) throw new Error(`nothing at ${path}`);
  return found;
}

/** A root with a folder `d`, whose entry `f` an op is about, and a folder for slots. */
function scene(): Scene {
  const dir = scratch();
  mkdirSync(join(dir, "work/d"), { recursive: true });
  mkdirSync(join(dir, "slots"));
  const root = join(dir, "work");
  const target = join(root, "d/f");
  const slot = (name: string): string => join(dir, "slots", name);
  const text = (): string | undefined => (existsSync(target) ? readFileSync(target, "utf8") : undefined);
  const op = (more: Partial<MoveOp> = {}): MoveOp => ({ kind: "move", root: 0, path: "d/f", ...more });
  const run = async (of: Op, lifted: readonly string[] = [], disk = systemDisk): Promise<string> => {
    try {
      await forward(disk, [root], of, new Set(lifted));
      return "";
    } catch (error) {
      if (!(error instanceof Raced)) throw error;
      expect(error).toMatchObject({ root: of.root, path: of.path, message: `${of.path}: ${error.why}` });
      return error.why;
    }
  };
  return { root, target, slot, text, op, run };
}

/** An op that takes an old file away. */
function taking(s: Scene): MoveOp {
  writeFileSync(s.target, "old");
  return s.op({ before: printed(s.target), out: s.slot("out") });
}
/** One that brings a new file. */
function bringing(s: Scene): MoveOp {
  writeFileSync(s.slot("in"), "new");
  return s.op({ after: printed(s.slot("in")), in: s.slot("in") });
}
/** One that replaces a file. */
const replacing = (s: Scene): MoveOp => ({ ...taking(s), ...bringing(s), before: printed(s.target) });

function takingFolder(s: Scene, mode = 0o755): MoveOp {
  mkdirSync(s.target);
  writeFileSync(join(s.target, "x"), "x");
  chmodSync(s.target, mode);
  return s.op({ before: printed(s.target), out: s.slot("out") });
}
function bringingFolder(s: Scene, mode = 0o755): MoveOp {
  mkdirSync(s.slot("in"));
  chmodSync(s.slot("in"), mode);
  return s.op({ after: printed(s.slot("in")), in: s.slot("in") });
}
const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

describe("a move of a file", () => {
  it.each<[string, (s: Scene) => MoveOp, string | undefined]>([
    ["taken away", taking, undefined],
    ["brought", bringing, "new"],
    ["replaced", replacing, "new"],
  ])("W3: %s, done again, taken back, and back again", async (_name, make, after) => {
    const s = scene();
    const op = make(s);
    const before = s.text();
    for (let round = 0; round < 2; round++) expect([await s.run(op), s.text()]).toEqual(["", after]);
    const slots = readdirSync(join(s.slot("x"), ".."));
    expect(slots).toEqual(op.out === undefined ? [] : ["out"]);
    for (let round = 0; round < 2; round++) expect([await s.run(reversed(op)), s.text()]).toEqual(["", before]);
    expect([await s.run(op), s.text()]).toEqual(["", after]);
  });
  it("W5: what a dead process left between any two calls is brought to its end, forth or back", async () => {
    for (const way of ["forth", "back"]) {
      for (let stop = 1; stop < 12; stop++) {
        const s = scene();
        const op = replacing(s);
        let calls = 0;
        const writes = ["rename", "link", "unlink", "chmod"];
        const disk = new Proxy(systemDisk, {
          get: (of, name: keyof Disk) => {
            const call = of[name].bind(of) as (...args: unknown[]) => unknown;
            return (...args: unknown[]): unknown => {
              if (writes.includes(name) && ++calls >= stop) throw new Error("dead");
              return call(...args);
            };
          },
        });
        await s.run(op, [], disk).catch((error: unknown) => expect(error).toMatchObject({ message: "dead" }));
        expect(await s.run(way === "forth" ? op : reversed(op))).toBe("");
        expect(s.text()).toBe(way === "forth" ? "new" : "old");
        expect(readdirSync(join(s.slot("x"), ".."))).toEqual([way === "forth" ? "out" : "in"]);
      }
    }
  });
  it.each<[string, (s: Scene) => MoveOp, (s: Scene) => void, string, string | undefined]>([
    ["gone", taking, (s) => rmSync(s.target), "it is gone", undefined],
    ["written to", taking, (s) => writeFileSync(s.target, "mine, longer"), "it changed meanwhile", "mine, longer"],
    ["of another mode", taking, (s) => chmodSync(s.target, 0o600), "it changed meanwhile", "old"],
    [
      "another file",
      taking,
      (s) => {
        rmSync(s.target);
        writeFileSync(s.target, "mine!");
      },
      "it changed meanwhile",
      "mine!",
    ],
    ["made", bringing, (s) => writeFileSync(s.target, "mine"), "somebody made it meanwhile", "mine"],
    [
      "its folder is gone",
      bringing,
      (s) => rmSync(join(s.root, "d"), { recursive: true }),
      "its folder d is gone",
      undefined,
    ],
    [
      "its folder is a file",
      bringing,
      (s) => {
        rmSync(join(s.root, "d"), { recursive: true });
        writeFileSync(join(s.root, "d"), "");
      },
      "its folder d is no folder",
      undefined,
    ],
    [
      "its folder is a link",
      taking,
      (s) => {
        renameSync(join(s.root, "d"), join(s.root, "e"));
        symlinkSync("e", join(s.root, "d"));
      },
      "its folder d is no folder",
      "old",
    ],
  ])("W3: by somebody else meanwhile: %s", async (_name, make, person, why, text) => {
    const s = scene();
    const op = make(s);
    person(s);
    expect([await s.run(op), s.text()]).toEqual([why, text]);
  });
  /** A disk on which somebody else acts just before or after the n-th call of a kind. */
  const racing = (name: "rename" | "link", act: () => void, when: "before" | "after" = "before"): Disk => {
    let done = false;
    const call = (from: string, to: string): void => {
      if (!done && when === "before") act();
      systemDisk[name](from, to);
      if (!done && when === "after") act();
      done = true;
    };
    return { ...systemDisk, [name]: call };
  };
  it("W3: what was saved between the look and the move is put back", async () => {
    const s = scene();
    const op = taking(s);
    expect(
      await s.run(
        op,
        [],
        racing("rename", () => writeFileSync(s.target, "mine, longer")),
      ),
    ).toBe("it was saved at the same moment");
    expect(s.text()).toBe("mine, longer");
    const t = scene();
    const gone = taking(t);
    expect(
      await t.run(
        gone,
        [],
        racing("rename", () => rmSync(t.target)),
      ),
    ).toBe("it was taken away at this moment");
    const u = scene();
    const broken = taking(u);
    const eio = () => {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    await expect(u.run(broken, [], { ...systemDisk, rename: eio })).rejects.toThrow("EIO");
  });
  it("W3: what came to the free name at the last moment stays, and what was written through an open file is told", async () => {
    const s = scene();
    const op = replacing(s);
    expect(
      await s.run(
        op,
        [],
        racing("link", () => writeFileSync(s.target, "mine")),
      ),
    ).toBe("somebody made it meanwhile");
    expect([s.text(), readFileSync(s.slot("in"), "utf8"), readFileSync(s.slot("out"), "utf8")]).toEqual([
      "mine",
      "new",
      "old",
    ]);
    const t = scene();
    const open = replacing(t);
    expect(
      await t.run(
        open,
        [],
        racing("link", () => writeFileSync(t.slot("out"), "late bytes"), "after"),
      ),
    ).toBe("it was written to meanwhile");
    const u = scene();
    const lost = replacing(u);
    expect(
      await u.run(
        lost,
        [],
        racing("link", () => rmSync(u.slot("out")), "after"),
      ),
    ).toBe("it was written to meanwhile");
  });
  it("W3: where there are no hard links, a look and a rename do", async () => {
    for (const code of ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]) {
      const s = scene();
      const link = (): never => {
        throw Object.assign(new Error(code), { code });
      };
      const op = bringing(s);
      expect([await s.run(op, [], { ...systemDisk, link }), s.text(), existsSync(s.slot("in"))]).toEqual([
        "",
        "new",
        false,
      ]);
      const t = scene();
      const other = bringing(t);
      const late = (): never => {
        writeFileSync(t.target, "mine");
        return link();
      };
      expect([await t.run(other, [], { ...systemDisk, link: late }), t.text()]).toEqual([
        "somebody made it meanwhile",
        "mine",
      ]);
    }
    const s = scene();
    const op = bringing(s);
    const eio = (): never => {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    await expect(s.run(op, [], { ...systemDisk, link: eio })).rejects.toThrow("EIO");
  });
  it("W5: killed with two names: the second one is taken away, whichever it is, and never what somebody else has there", async () => {
    const s = scene();
    const op = taking(s);
    linkSync(s.target, s.slot("out"));
    expect([await s.run(op), s.text(), existsSync(s.slot("out")), existsSync(secondName(s.slot("out")))]).toEqual([
      "",
      undefined,
      true,
      false,
    ]);
    const t = scene();
    const parked = taking(t);
    renameSync(t.target, t.slot("out"));
    linkSync(t.slot("out"), secondName(t.slot("out")));
    expect([await t.run(parked), existsSync(secondName(t.slot("out")))]).toEqual(["", false]);
    const u = scene();
    const theirs = taking(u);
    renameSync(u.target, u.slot("out"));
    writeFileSync(secondName(u.slot("out")), "mine");
    expect(await u.run(theirs)).toBe("");
    expect([u.text(), existsSync(secondName(u.slot("out")))]).toEqual(["mine", false]);
    const v = scene();
    const saved = taking(v);
    linkSync(v.target, v.slot("out"));
    const between = (from: string, to: string): void => {
      if (from === v.target) {
        rmSync(v.target);
        writeFileSync(v.target, "mine");
      }
      systemDisk.rename(from, to);
    };
    expect(await v.run(saved, [], { ...systemDisk, rename: between })).toBe("");
    expect([v.text(), readFileSync(v.slot("out"), "utf8")]).toEqual(["mine", "old"]);
  });
});

describe("names that two entries have", () => {
  it("W3: what somebody has at the target and at the second name stays where it is", async () => {
    const s = scene();
    const op = taking(s);
    renameSync(s.target, s.slot("out"));
    writeFileSync(s.target, "theirs");
    writeFileSync(secondName(s.slot("out")), "mine");
    expect(await s.run(op)).toBe("");
    expect([s.text(), readFileSync(secondName(s.slot("out")), "utf8")]).toEqual(["theirs", "mine"]);
  });
  it("W3: a folder that took the target's place meanwhile is none of the op's", async () => {
    const s = scene();
    const op = taking(s);
    renameSync(s.target, s.slot("out"));
    mkdirSync(s.target);
    expect([await s.run(op), existsSync(s.target)]).toEqual(["", true]);
  });
  it("W3: a folder in place of which a file comes is not looked at again", async () => {
    const s = scene();
    const op = { ...takingFolder(s), ...bringing(s), before: printed(s.target) };
    expect([await s.run(op), s.text()]).toEqual(["", "new"]);
    writeFileSync(join(s.slot("out"), "late"), "");
    expect(await s.run({ ...op, before: { ...op.before } })).toBe("");
  });
});

describe("a move of a folder", () => {
  it("W3: whole, there and back, also without a w bit, whose mode comes with it", async () => {
    for (const mode of [0o755, 0o555, 0o500]) {
      const s = scene();
      const op = takingFolder(s, mode);
      op.before = { ...printed(s.target), hash: (await treePrint(systemDisk, s.target)).hash };
      const before = treeLines(s.root);
      expect([await s.run(op), existsSync(s.target), modeOf(s.slot("out"))]).toEqual(["", false, mode]);
      expect(await s.run(op)).toBe("");
      // A kill between its move and its mode.
      if (mode !== 0o755) chmodSync(s.slot("out"), mode | 0o700);
      expect([await s.run(op), modeOf(s.slot("out"))]).toEqual(["", mode]);
      const back = reversed(op);
      expect([await s.run(back), treeLines(s.root)]).toEqual(["", before]);
      if (mode !== 0o755) chmodSync(s.target, mode | 0o700);
      expect([await s.run(back), treeLines(s.root)]).toEqual(["", before]);
    }
  });
  it("W3: a mode that somebody else gave it meanwhile is theirs", async () => {
    const s = scene();
    const op = takingFolder(s, 0o555);
    expect(await s.run(op)).toBe("");
    chmodSync(s.slot("out"), 0o711);
    expect([await s.run(op), modeOf(s.target)]).toEqual(["it was saved at the same moment", 0o711]);
    const t = scene();
    const writable = takingFolder(t, 0o300);
    expect(await t.run(writable)).toBe("");
    chmodSync(t.slot("out"), 0o700);
    expect([await t.run(writable), modeOf(t.slot("out"))]).toEqual(["", 0o700]);
    const u = scene();
    const brought = bringingFolder(u, 0o555);
    expect(await u.run(brought)).toBe("");
    chmodSync(u.target, 0o711);
    expect([await u.run(brought), modeOf(u.target)]).toEqual(["", 0o711]);
    rmSync(u.target, { recursive: true });
    writeFileSync(u.target, "", { mode: 0o755 });
    chmodSync(u.target, 0o755);
    expect([await u.run(brought), modeOf(u.target)]).toEqual(["", 0o755]);
    rmSync(u.target);
    expect(await u.run(brought)).toBe("");
  });
  it("W3: one in which something changed is put back; so is one that held more than was known", async () => {
    const s = scene();
    const op = takingFolder(s);
    op.before = { ...printed(s.target), hash: (await treePrint(systemDisk, s.target)).hash };
    writeFileSync(join(s.target, "x"), "mine!");
    const before = treeLines(s.root);
    expect([await s.run(op), treeLines(s.root)]).toEqual(["it was saved at the same moment", before]);
    const t = scene();
    const unknown = takingFolder(t);
    writeFileSync(join(t.target, "y"), "");
    const { hash: _, ...print } = unknown.before ?? printed(t.target);
    expect(await t.run({ ...unknown, before: print })).toBe("");
  });
  it("W3: a folder alone goes only while it is empty", async () => {
    const s = scene();
    const op = { ...takingFolder(s), plain: true };
    expect([await s.run(op), existsSync(join(s.target, "x"))]).toEqual(["", true]);
    const link = { ...op, after: printed(s.root), in: s.slot("in") };
    expect(await s.run(link)).toBe("somebody put something into it");
    rmSync(join(s.target, "x"));
    expect([await s.run(op), existsSync(s.target)]).toEqual(["", false]);
    const t = scene();
    mkdirSync(t.target);
    const empty = t.op({ before: printed(t.target), out: t.slot("out"), plain: true });
    const rename = (from: string, to: string): void => {
      if (from === t.target) writeFileSync(join(t.target, "mine"), "");
      systemDisk.rename(from, to);
    };
    expect(await t.run(empty, [], { ...systemDisk, rename })).toBe("it was saved at the same moment");
    expect(existsSync(join(t.target, "mine"))).toBe(true);
  });
  it("W3: a new one never replaces what somebody else made, not even an empty folder", async () => {
    const s = scene();
    const op = bringingFolder(s);
    mkdirSync(s.target);
    expect(await s.run(op)).toBe("somebody made it meanwhile");
    expect(existsSync(s.slot("in"))).toBe(true);
    for (const make of [
      (path: string) => writeFileSync(path, ""),
      (path: string) => mkdirSync(join(path, "x"), { recursive: true }),
    ]) {
      const t = scene();
      const other = bringingFolder(t);
      const rename = (from: string, to: string): void => {
        if (to === t.target) make(t.target);
        systemDisk.rename(from, to);
      };
      expect(await t.run(other, [], { ...systemDisk, rename })).toBe("somebody made it meanwhile");
    }
    const u = scene();
    const eio = () => {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    await expect(u.run(bringingFolder(u), [], { ...systemDisk, rename: eio })).rejects.toThrow("EIO");
  });
  it("W3: one that is writable for the pass stays so until its end", async () => {
    const s = scene();
    const op = bringingFolder(s, 0o555);
    expect([await s.run(op, ["0/d/f"]), modeOf(s.target)]).toEqual(["", 0o755]);
    expect([await s.run(op, ["0/d/f"]), modeOf(s.target)]).toEqual(["", 0o755]);
    expect([await s.run(op), modeOf(s.target)]).toEqual(["", 0o555]);
    const t = scene();
    const other = bringingFolder(t, 0o555);
    expect([await t.run(other), modeOf(t.target)]).toEqual(["", 0o555]);
    const u = scene();
    expect([await u.run(bringing(u), ["0/d/f"]), modeOf(u.target) & 0o700]).toEqual(["", 0o600]);
  });
});

describe("a mode", () => {
  const modeOp: ModeOp = { kind: "mode", root: 0, path: "d/f", type: "file", from: 0o644, to: 0o755 };
  it.each<[string, (s: Scene) => void, string, number | undefined]>([
    ["set", (s) => chmodSync(s.target, 0o644), "", 0o755],
    ["set already", (s) => chmodSync(s.target, 0o755), "", 0o755],
    ["set to another meanwhile", (s) => chmodSync(s.target, 0o600), "its mode changed meanwhile", 0o600],
    ["of what is gone", (s) => rmSync(s.target), "it is gone", undefined],
    [
      "of what became something else",
      (s) => {
        rmSync(s.target);
        mkdirSync(s.target, 0o644);
      },
      "it became something else",
      0o644,
    ],
    [
      "behind a link",
      (s) => {
        chmodSync(s.target, 0o644);
        renameSync(join(s.root, "d"), join(s.root, "e"));
        symlinkSync("e", join(s.root, "d"));
      },
      "its folder d is no folder",
      0o644,
    ],
  ])("W3: %s", async (_name, person, why, mode) => {
    const s = scene();
    writeFileSync(s.target, "");
    person(s);
    expect(await s.run(modeOp)).toBe(why);
    expect(existsSync(s.target) ? modeOf(s.target) : undefined).toBe(mode);
  });
  it("W3: goes back, and waits for the end where its folder is writable for the pass", async () => {
    const s = scene();
    writeFileSync(s.target, "");
    chmodSync(s.target, 0o755);
    expect(reversed(modeOp)).toEqual({ ...modeOp, from: 0o755, to: 0o644 });
    expect([await s.run(reversed(modeOp)), modeOf(s.target)]).toEqual(["", 0o644]);
    expect([await s.run(modeOp, ["0/d/f"]), modeOf(s.target)]).toEqual(["", 0o644]);
    expect([await s.run(modeOp, ["1/d/f"]), modeOf(s.target)]).toEqual(["", 0o755]);
  });
});

describe("reversed", () => {
  it("W4: takes back what an op brings and brings what it takes, and is itself again reversed", () => {
    const s = scene();
    writeFileSync(s.target, "");
    const print = printed(s.target);
    const base = { kind: "move", root: 0, path: "d/f" } as const;
    const pairs: [MoveOp, MoveOp][] = [
      [
        { ...base, before: print, out: "/o" },
        { ...base, after: print, in: "/o" },
      ],
      [
        { ...base, after: print, in: "/i" },
        { ...base, before: print, out: "/i" },
      ],
      [
        { ...base, before: print, out: "/o", plain: true, store: "/s" },
        { ...base, after: print, in: "/o", plain: true, store: "/s" },
      ],
      [base, base],
    ];
    for (const [op, back] of pairs) {
      expect(reversed(op)).toStrictEqual(back);
      expect(reversed(back)).toStrictEqual(op);
    }
  });
});

describe("the way to a target", () => {
  it("W8: is counted from its root", () => {
    expect(targetOf(["/a", "/b"], { root: 1, path: "c/d" })).toBe("/b/c/d");
    expect(targetOf(["/a"], { root: 0, path: "" })).toBe("/a");
    expect(targetOf(["/\u00e9"], { root: 0, path: "x" })).toBe("/\xc3\xa9/x");
    expect(() => targetOf(["/a"], { root: 1, path: "" })).toThrow("no root 1");
  });
  it("W3: is checked from the root on, each folder named that is none", () => {
    const s = scene();
    mkdirSync(join(s.root, "d/e"));
    writeFileSync(join(s.root, "d/file"), "");
    symlinkSync("d", join(s.root, "l"));
    const why = (path: string, root = s.root): string => {
      try {
        checkParents(systemDisk, [root], { root: 0, path });
        return "";
      } catch (error) {
        return error instanceof Raced ? error.why : String(error);
      }
    };
    expect(["x", "d/e/x", "d/file", "l"].map((path) => why(path))).toEqual(["", "", "", ""]);
    expect(why("d/n/x")).toBe("its folder d/n is gone");
    expect(why("d/file/x")).toBe("its folder d/file is no folder");
    expect(why("l/e/x")).toBe("its folder l is no folder");
    expect(why("x", join(s.root, "gone"))).toBe("the folder that it lies in is gone");
  });
});
