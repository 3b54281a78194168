import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "../../support/runnable.ts";
import { openRig } from "../../support/rig.ts";
import { place } from "../../support/session.ts";

describe("a deny for Read, in a session", () => {
  it("P6: hides the path from commands in the copy as from Read, Grep and Glob, and says so", async (ctx) => {
    const at = place("read-deny");
    writeFileSync(join(at.folder, ".env"), "CANARY-SECRET\n");
    writeFileSync(join(at.folder, "a.txt"), "plain\n");
    const rig = await openRig(at, "auto", {
      rules: [{ text: "Read(.env)", action: "deny", source: "project" }],
    });
    try {
      needs(ctx, rig.session.sandbox.contained ? undefined : "no copy here");
      const ran = await rig.bash("cat .env; cat a.txt; grep -rs CANARY .");
      expect(ran.result).not.toContain("CANARY-SECRET");
      expect(ran.result).toContain("plain");
      expect(ran.result).toContain("a deny rule for Read keeps this from commands, whatever they try: .env");
      expect((await rig.call("Read", { file_path: ".env" })).status).not.toBe("ok");
      expect((await rig.call("Grep", { pattern: "CANARY" })).result).not.toContain("CANARY-SECRET");
      const events: string[] = [];
      for await (const event of rig.session.shell("cat .env", new AbortController().signal))
        if (event.type === "shell.ran") events.push(event.output);
      expect(events.join()).toMatch(/Permission denied/);
    } finally {
      await rig.session.close();
    }
  });
});
