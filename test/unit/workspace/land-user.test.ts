import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fingerprint } from "../../../src/workspace/fingerprint.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { forward, Raced, reversed } from "../../../src/workspace/land-move.ts";
import type { MoveOp } from "../../../src/workspace/plan.ts";
import { stepTo } from "../../support/change-set.ts";
import { print } from "../../support/check-changes.ts";
import { openAt, place } from "../../support/door.ts";
import { asUser, missingUser } from "../../support/in-process-user.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { treeLines } from "../../support/tree.ts";

const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

/** A folder `d` of an ordinary user's, an op that takes it away, and what that says. */
async function taken(mode: number, holds: boolean, more: Partial<MoveOp> = {}) {
  const dir = scratch();
  chmodSync(dir, 0o777);
  return asUser(async () => {
    const [root, out] = [join(dir, "work"), join(dir, "out")];
    mkdirSync(join(root, "d"), { recursive: true });
    if (holds) writeFileSync(join(root, "d/x"), "x");
    chmodSync(join(root, "d"), mode);
    const op: MoveOp = {
      kind: "move",
      root: 0,
      path: "d",
      before: print(fingerprint(systemDisk, join(root, "d"))),
      out,
      ...more,
    };
    const run = async (of: MoveOp | ReturnType<typeof reversed>): Promise<string> => {
      try {
        await forward(systemDisk, [root], of, new Set());
        return "";
      } catch (error) {
        if (error instanceof Raced) return error.why;
        throw error;
      }
    };
    const whys = [await run(op)];
    const gone = !existsSync(join(root, "d"));
    const held = modeOf(gone ? out : join(root, "d"));
    whys.push(await run(reversed(op)));
    const back = modeOf(join(root, "d"));
    chmodSync(join(root, "d"), 0o700);
    return { whys, gone, held, back, names: readdirSync(join(root, "d")) };
  });
}

describe("an ordinary user's folders", () => {
  it.for([0o755, 0o555, 0o500, 0o100, 0o000])(
    "W3: of mode %o move there and back with their mode and all that is in them",
    async (mode, ctx) => {
      needs(ctx, missingUser());
      expect(await taken(mode, true)).toEqual({ whys: ["", ""], gone: true, held: mode, back: mode, names: ["x"] });
    },
  );
  it.for([0o755, 0o300, 0o000])(
    "W3: of mode %o go alone only while they are empty, closed ones as well",
    async (mode, ctx) => {
      needs(ctx, missingUser());
      const plain = { plain: true };
      expect(await taken(mode, false, plain)).toEqual({
        whys: ["", ""],
        gone: true,
        held: mode,
        back: mode,
        names: [],
      });
      expect(await taken(mode, true, plain)).toEqual({
        whys: ["", ""],
        gone: false,
        held: mode,
        back: mode,
        names: ["x"],
      });
    },
  );
  it("W3: a landing in one that may not be written to, there, back and raced, leaves its mode as it was", async (ctx) => {
    needs(ctx, missingUser());
    await asUser(async () => {
      const at = place();
      const wanted = join(at.folder, "../wanted");
      for (const dir of [at.folder, wanted]) {
        mkdirSync(join(dir, "d"), { recursive: true });
        writeFileSync(join(dir, "d/f"), "old\n");
      }
      writeFileSync(join(wanted, "d/f"), "new\n");
      writeFileSync(join(wanted, "d/n"), "n\n");
      for (const dir of [at.folder, wanted]) chmodSync(join(dir, "d"), 0o555);
      const before = treeLines(at.folder);
      let [armed, made] = [true, false];
      const link = (from: string, to: string): void => {
        if (armed && to.endsWith("/work/d/n")) {
          writeFileSync(to, "mine");
          made = true;
        }
        systemDisk.link(from, to);
      };
      const ws = await openAt(at, { disk: { ...systemDisk, link } });
      const set = await stepTo(ws, "op_1", at.folder, wanted);
      expect(await ws.land(set)).toMatchObject({ ok: false, conflicts: [{ path: "d/n" }] });
      expect([made, modeOf(join(at.folder, "d"))]).toEqual([true, 0o555]);
      armed = false;
      chmodSync(join(at.folder, "d"), 0o755);
      rmSync(join(at.folder, "d/n"));
      chmodSync(join(at.folder, "d"), 0o555);
      expect(treeLines(at.folder)).toEqual(before);
      expect(await ws.land(set)).toMatchObject({ ok: true });
      expect(treeLines(at.folder)).toEqual(treeLines(wanted));
      expect(await ws.undo("op_1")).toMatchObject({ ok: true });
      expect(treeLines(at.folder)).toEqual(before);
    });
  });
});
