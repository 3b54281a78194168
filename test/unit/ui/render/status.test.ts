import { describe, expect, it } from "vitest";
import type { SandboxKind } from "../../../../src/sandbox/sandbox.ts";
import { statusLine } from "../../../../src/ui/render/status.ts";

describe("the status line", () => {
  const row = (backend: SandboxKind, width = 80): string =>
    statusLine({ mode: "ask", model: "m", cwd: "/w", home: "/h", contained: backend !== "none", backend }, width)
      .map((span) => span.text)
      .join("");
  it("W7: says what the copy is made by: first where it is not the usual, last where it is", () => {
    for (const kind of ["overlay-bwrap", "overlay-unshare", "overlay-root"] as const)
      expect(row(kind)).toBe("ask mode · m · /w · overlay");
    expect(row("overlay-bwrap", 18)).toBe("ask mode · m · /w");
    expect(row("copy-bind")).toBe("ask mode · plain copy · m · /w");
    expect(row("copy")).toBe("ask mode · untested copy · m · /w");
    expect(row("none")).toBe("ask mode · no sandbox · m · /w");
  });
});
