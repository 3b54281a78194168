import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRig } from "../../support/rig.ts";
import { place, type Place } from "../../support/session.ts";

const rehearsing = { more: { rehearse: true } };
const everything = "find . -path ./node_modules -prune -o -type f -printf '%P\\n' -o -type d -printf '%P/\\n' | sort";

function put(at: Place, name: string, text: string): void {
  mkdirSync(dirname(join(at.folder, name)), { recursive: true });
  writeFileSync(join(at.folder, name), text);
}

describe("what a command made anew as it was", () => {
  it("W6: a folder stays in the copy when a later command removes it and makes the same again", async () => {
    const at = place("anew");
    put(at, "d/a", "a file\n");
    const rig = await openRig(at, "auto", rehearsing);
    await rig.bash("rm d/a; mkdir d/a");
    await rig.bash("rm -r d/a; mkdir d/a; echo y > y");
    expect((await rig.bash(everything)).result).toBe("/\nd/\nd/a/\ny");
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true });
    expect(existsSync(join(at.folder, "d/a"))).toBe(true);
    await rig.session.close();
  });

  it("W6: the person's folder too, and what they add to it later is seen", async () => {
    const at = place("anew");
    for (const name of ["p/q/one", "top/one"]) put(at, name, "1\n");
    const rig = await openRig(at, "auto", rehearsing);
    await rig.bash("for d in p/q top; do rm -r $d; mkdir $d; echo 1 > $d/one; done; echo y > y");
    for (const name of ["p/q/two", "top/two"]) put(at, name, "2\n");
    const all = "/\np/\np/q/\np/q/one\np/q/two\ntop/\ntop/one\ntop/two\ny";
    expect((await rig.bash(everything)).result).toBe(all);
    expect((await rig.call("Read", { file_path: "p/q/two" })).status).toBe("ok");
    expect((await rig.session.land({ yes: true })).paths).toEqual([join(at.folder, "y")]);
    await rig.session.close();
  });

  it("W4: a file that became a folder is in the next copy when the same command left output that is kept", async () => {
    const at = place("anew");
    for (const name of ["a", "d/e"]) put(at, name, "a file\n");
    const rig = await openRig(at, "auto");
    await rig.bash(
      "for f in a d/e; do rm $f; mkdir $f; echo x > $f/f; done; mkdir node_modules; echo kept > node_modules/i",
      "yes",
    );
    expect(readFileSync(join(at.folder, "a/f"), "utf8")).toBe("x\n");
    expect((await rig.bash(`cat node_modules/i; ${everything}`)).result).toBe("kept\n/\na/\na/f\nd/\nd/e/\nd/e/f");
    await rig.session.close();
  });
});
