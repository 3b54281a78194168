import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { landRules } from "../../../src/permissions/land-rule.ts";
import { keptWords } from "../../../src/events/kept-output.ts";
import { traceOf } from "../../../src/session/trace.ts";
import { openRig } from "../../support/rig.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { place } from "../../support/session.ts";

const land = (source: Rule["source"] = "person"): Rule => ({ action: "allow", text: "Land(dist)", source });
const BUILD = `mkdir -p dist/.bin dist/sub node_modules/p; echo built > dist/o.js; echo s > dist/sub/s.js
echo x > dist/.bin/x; echo run > dist/run; chmod +x dist/run; echo '{}' > dist/.mcp.json
ln -s /etc/hostname dist/out; ln -s o.js dist/in; echo n > node_modules/p/i.js`;

describe("the person's own Land rule", () => {
  it("P9: lands regenerable output unasked, never programs, .bin, links out or what steers programs; each build is one step to undo", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = place();
    const dist = join(at.folder, "dist");
    const rig = await openRig(at, "ask", { rules: [land()] });
    const first = await rig.bash(BUILD);
    expect(first.asked).toEqual([]);
    expect(readdirSync(at.folder)).toEqual(["dist"]);
    expect(readdirSync(dist, { recursive: true, encoding: "utf8" }).toSorted()).toEqual([
      "in",
      "o.js",
      "sub",
      "sub/s.js",
    ]);
    const told = first.facts.filter((f) => f.type === "kept.landed");
    expect(told).toMatchObject([{ files: 3, rule: { text: "Land(dist)" } }]);
    // What landed is not told to stay.
    expect(first.result).toContain("[5 regenerable files stay in the copy");
    expect(first.result).toContain("Of what was kept 3 files landed in the folder by the person's rule Land(dist).");
    // Neither counts it as kept: five of node_modules and dist are.
    expect(keptWords(rig.session.state())).toBe("5 regenerable files (dist, node_modules)");
    expect(traceOf(first.facts).flatMap((row) => (row.kind === "call" ? row.changes.map((c) => c.text) : []))).toEqual([
      "5 files kept in the copy",
      "3 files of kept output landed by Land(dist)",
    ]);
    // The copy has all of it, and what is built anew on it lands too.
    const second = await rig.bash(
      "cat dist/run dist/.bin/x node_modules/p/i.js; echo again >> dist/o.js; rm dist/sub/s.js",
    );
    expect(second.result).toContain("run\nx\nn");
    expect(readFileSync(join(dist, "o.js"), "utf8")).toBe("built\nagain\n");
    expect(readdirSync(join(dist, "sub"))).toEqual([]);
    expect((await rig.session.undo()).ok).toBe(true);
    expect(readFileSync(join(dist, "o.js"), "utf8")).toBe("built\n");
    expect(readdirSync(join(dist, "sub"))).toEqual(["s.js"]);
    expect((await rig.session.undo()).ok).toBe(true);
    expect(existsSync(dist)).toBe(false);
    // What is left lands by the person's own word.
    expect(await rig.session.land()).toMatchObject({ ok: true });
    expect(readdirSync(dist).toSorted()).toEqual([".bin", ".mcp.json", "out", "run"]);
    await rig.session.close();
  });
  it("P9: nothing lands in plan mode, in a rehearsal, or by a rule of the project's or of an answer's", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = place();
    for (const [mode, rules] of [
      ["plan", [land()]],
      ["auto", [land("project"), land("session")]],
      ["auto", [land(), { action: "deny", text: "Edit(dist/**)", source: "project" } as const]],
    ] as const) {
      const rig = await openRig(at, mode, { rules });
      await rig.bash("mkdir -p dist; echo built > dist/o.js");
      await rig.session.close();
      expect(readdirSync(at.folder)).toEqual([]);
    }
    const rig = await openRig(at, "auto", { rules: [land()] });
    await rig.session.setRehearsal(true);
    await rig.bash("mkdir -p dist; echo built > dist/o.js");
    expect(readdirSync(at.folder)).toEqual([]);
    await rig.session.setRehearsal(false);
    await rig.bash("echo two > dist/two.js");
    expect(readdirSync(join(at.folder, "dist")).toSorted()).toEqual(["o.js", "two.js"]);
    await rig.session.close();
  });
  it("P9: the rule that lands a path is named, and only one that counts", () => {
    expect(landRules([])).toBeUndefined();
    expect(landRules([land("project")])?.("dist")).toBeUndefined();
    const of = landRules([{ action: "allow", text: "Land(node_modules)", source: "user" }, land()]);
    expect(of?.("dist/o.js")?.text).toBe("Land(dist)");
    expect(of?.("node_modules/p")?.text).toBe("Land(node_modules)");
    expect(of?.("src/a")).toBeUndefined();
  });
});
