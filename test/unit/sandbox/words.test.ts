import { describe, expect, it } from "vitest";
import { backendLine, backendNotices } from "../../../src/sandbox/words.ts";

describe("a backend in words", () => {
  it("W7: doctor names it, and says of the one that nobody tried that it is untested", () => {
    expect(backendLine("overlay-bwrap")).toBe("overlay-bwrap (layers over the folder, bubblewrap)");
    expect(backendLine("copy")).toMatch(/^copy \(.*untested\)$/);
    expect(backendLine("none")).toMatch(/^none: every command asks/);
  });
  it("SANDBOX-0.6: a plain copy is said on screen, each reason once", () => {
    const why = [
      "overlay-bwrap: /w lies on NFS, where an overlay is not reliable",
      "overlay-unshare: /w lies on NFS, where an overlay is not reliable",
      "overlay-unshare in memory: no",
    ];
    expect(backendNotices("copy-bind", why)).toEqual([
      "Commands run in a plain copy of the folder, brought up to date before each, as no overlay can be made (/w lies on NFS, where an overlay is not reliable; no).",
    ]);
    expect(backendNotices("copy", []).join()).toContain("never tested");
    expect(backendNotices("overlay-unshare", why)).toEqual([]);
  });
});
