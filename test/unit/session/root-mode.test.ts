import { chmodSync, readdirSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openRig } from "../../support/rig.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { place } from "../../support/session.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe("the mode of the folder itself", () => {
  it("W2 P5: is a change that is told, left out, landed and undone as any other", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = place("re");
    chmodSync(at.folder, 0o755);
    const rig = await openRig(at, "ask");
    const ran = await rig.bash("chmod 750 .; echo n > n", "yes");
    expect(ran.text).toContain("chmod ./ (0 files)\n  create n");
    expect(ran.result).toContain("[Landed in the folder: chmod ., create n.]");
    expect(modeOf(at.folder)).toBe(0o750);
    expect((await rig.session.undo()).text).toBe("Undone: . and n (1 file).");
    expect([modeOf(at.folder), readdirSync(at.folder)]).toEqual([0o755, []]);
    const left = await rig.bash("chmod 750 .; echo n > n", { kind: "yes", left: [{ root: 0, path: "." }] });
    expect(left.result).toContain("[Landed in the folder: create n. The person left out the changes of: .");
    expect([modeOf(at.folder), readdirSync(at.folder)]).toEqual([0o755, ["n"]]);
    await rig.session.close();
  });

  it("W6: waits with the rest of a rehearsal", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = place("re");
    chmodSync(at.folder, 0o755);
    const rig = await openRig(at, "ask", { more: { rehearse: true } });
    await rig.bash("chmod 700 .");
    await rig.bash("echo n > n; chmod 750 .");
    expect(modeOf(at.folder)).toBe(0o755);
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true });
    expect([modeOf(at.folder), readdirSync(at.folder)]).toEqual([0o750, ["n"]]);
    await rig.session.close();
  });
});
