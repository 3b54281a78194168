import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { openRig } from "../../support/rig.ts";
import { place } from "../../support/session.ts";

const rules: Rule[] = ["Bash(sh t.sh)", "Bash(n)"].map((text) => ({ action: "allow", text, source: "user" }));

async function open() {
  const at = place();
  writeFileSync(join(at.folder, "t.sh"), 'echo "${X:-}" >> out.txt\n');
  mkdirSync(join(at.folder, "sub"));
  return openRig(at, "ask", { rules });
}

describe("P6: an allow of words, and what earlier commands of the session made of them", () => {
  it("asks while a variable is exported, says which, and lands unasked once it is gone", async () => {
    const rig = await open();
    expect((await rig.bash("sh t.sh")).asked).toEqual([]);
    await rig.bash("export X=1 CI=1; cd sub; cd ..");
    const { asked } = await rig.bash("sh t.sh");
    expect(asked[0]?.decision.reason).toBe(
      "changes 1 file: out.txt; Bash(sh t.sh) (your settings) doesn't count: an earlier command set X",
    );
    expect(asked[0]?.offer).toBeUndefined();
    await rig.bash("unset X");
    expect((await rig.bash("sh t.sh")).asked).toEqual([]);
    await rig.session.close();
  });
  it("a planted program in a moved PATH asks before what it changed lands", async () => {
    const rig = await open();
    await rig.bash(
      'mkdir ~/b; printf "#!/bin/sh\\necho evil > evil.txt\\n" > ~/b/n; chmod +x ~/b/n; export PATH=~/b:$PATH',
    );
    const { asked, facts } = await rig.bash("n");
    expect(asked[0]?.decision.reason).toContain("an earlier command set PATH, an earlier command wrote ~/b/n");
    expect(facts.some((f) => f.type === "changes.landed")).toBe(false);
    await rig.session.close();
  });
  it("what the person set by ! is the person's", async () => {
    const rig = await open();
    const run = rig.session.shell("export X=person", new AbortController().signal);
    while ((await run.next()).done !== true);
    expect((await rig.bash("sh t.sh")).asked).toEqual([]);
    await rig.bash("export X=model");
    expect((await rig.bash("sh t.sh")).asked).toHaveLength(1);
    await rig.session.close();
  });
  it("a folder that commands fill unasked asks: output of theirs stays in the copy, and nobody read it", async () => {
    const rig = await open();
    const why = "it runs in a folder that commands fill unasked";
    await rig.bash("mkdir -p node_modules/a; echo 'echo 1 > ../../out2.txt' > node_modules/a/t.sh");
    const done = await rig.call("Bash", { command: "sh t.sh", cwd: "node_modules/a" });
    expect(done.asked.map((q) => q.decision.reason)).toEqual([expect.stringContaining(why)]);
    await rig.session.close();
  });
});
