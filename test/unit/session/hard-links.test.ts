import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { deniedByLink } from "../../../src/session/hard-links.ts";
import { openRig } from "../../support/rig.ts";
import { scratch } from "../../support/scratch.ts";
import { place } from "../../support/session.ts";

const rules = (...texts: string[]): Rule[] => texts.map((text) => ({ action: "deny", text, source: "user" }));

function links(root: string): void {
  mkdirSync(join(root, "keys"));
  for (const name of ["keys/a.txt", "top.txt", "free.txt"]) writeFileSync(join(root, name), `canary of ${name}\n`);
  linkSync(join(root, "keys/a.txt"), join(root, "notes.txt"));
  linkSync(join(root, "top.txt"), join(root, "other.txt"));
  linkSync(join(root, "free.txt"), join(root, "free2.txt"));
  symlinkSync("free.txt", join(root, "link"));
}

describe("P6: another name of a file that a Read deny names", () => {
  it("is denied by its file's number, and by nothing else", () => {
    const root = scratch("links");
    links(root);
    const names = ["notes.txt", "other.txt", "free2.txt", "link", "keys", "gone"];
    const denied = (...texts: string[]) => {
      const by = deniedByLink(rules(...texts), [root]);
      return names.filter((name) => by?.(join(root, name)) === true);
    };
    expect(denied("Read(keys/a.txt)")).toEqual(["notes.txt"]);
    expect(denied("Read(top.txt)", `Read(/${root}/keys/{a,b}.txt)`)).toEqual(["notes.txt", "other.txt"]);
    expect(denied("Read(gone)", "Read(keys)")).toEqual([]);
    expect(deniedByLink(rules("Read(*.txt)", "Read", "Edit(top.txt)", "Read(keys/**)"), [root])).toBeUndefined();
    expect(deniedByLink(rules("Read(keys/a.txt)"), [root])?.("/proc/self/nothing/x")).toBe(false);
  });
  it("Read, Grep and Edit are kept from it", async () => {
    const at = place("links");
    links(at.folder);
    const rig = await openRig(at, "auto", { rules: rules("Read(keys/a.txt)") });
    for (const [tool, input] of [
      ["Read", { file_path: "notes.txt" }],
      ["Grep", { pattern: "canary", output_mode: "content" }],
      ["Edit", { file_path: "notes.txt", old_string: "canary", new_string: "x" }],
    ] as const) {
      const { result } = await rig.call(tool, input);
      expect(result).not.toContain("canary of keys");
      if (tool !== "Grep") expect(result).toContain("kept from you by a deny rule");
      else expect(result).toContain("canary of free");
    }
    await rig.session.close();
  });
});
