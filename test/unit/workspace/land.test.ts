import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingOtherDisk, openAt, place } from "../../support/door.ts";
import { needs } from "../../support/runnable.ts";
import { treeHash, treeLines } from "../../support/tree.ts";

const bytes = (text: string) => Buffer.from(text);

function fill(folder: string): void {
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  writeFileSync(join(folder, "src/a.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(folder, "src/deep/b.txt"), "b\n");
  writeFileSync(join(folder, "top.sh"), "#!/bin/sh\n");
  chmodSync(join(folder, "top.sh"), 0o755);
  symlinkSync("a.txt", join(folder, "src/link"));
}

describe.each([false, true])("land, state on another file system: %s", (apart) => {
  it("W3 W4: a set of Write, Edit and Delete lands whole, is undone to the same tree, and redone", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const at = place(apart);
    fill(at.folder);
    const before = treeHash(at.folder);
    const ws = await openAt(at);
    const stage = await ws.stage("op_1", ws.view([]));
    await stage.put(join(at.folder, "src/a.txt"), bytes("one\n2\nthree\n"));
    await stage.put(join(at.folder, "new/dir/c.txt"), bytes("c\n"));
    await stage.put(join(at.folder, "top.sh"), bytes("#!/bin/bash\n"));
    await stage.remove(join(at.folder, "src/deep"));
    await stage.remove(join(at.folder, "src/link"));
    const set = await stage.finish();
    expect(set.changes.map((c) => `${c.op} ${c.path}`)).toEqual([
      "create new",
      "create new/dir",
      "create new/dir/c.txt",
      "modify src/a.txt",
      "delete src/deep",
      "delete src/link",
      "modify top.sh",
    ]);
    expect(treeHash(at.folder)).toBe(before);
    const landing = await ws.land(set);
    expect(landing).toMatchObject({ ok: true, operationId: "op_1" });
    const after = treeHash(at.folder);
    expect(treeLines(at.folder).map((line) => line.split(" ")[2])).toEqual(
      ["", "new", "new/dir", "new/dir/c.txt", "src", "src/a.txt", "top.sh"].map((p) => JSON.stringify(p)),
    );
    expect(treeLines(at.folder).find((l) => l.includes("top.sh"))).toContain("file 755");
    expect(readFileSync(join(at.folder, "src/a.txt"), "utf8")).toBe("one\n2\nthree\n");
    expect(await ws.land(set)).toEqual(landing);

    const again = await openAt(at);
    expect(again.recovered).toEqual([]);
    expect(await again.undo("op_1")).toMatchObject({ ok: true, conflicts: [] });
    expect(treeHash(at.folder)).toBe(before);
    expect(await again.redo("op_1")).toMatchObject({ ok: true });
    expect(treeHash(at.folder)).toBe(after);
    expect(await again.undo("op_1")).toMatchObject({ ok: true });
    expect(treeHash(at.folder)).toBe(before);
    expect((await again.journal()).map((s) => s.status)).toEqual(["undone"]);
  });
});
