import { describe, expect, it } from "vitest";
import type { SandboxKind } from "../../../../src/sandbox/sandbox.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
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
  it("M3: the demo is said to be one in every frame that holds a status at all", () => {
    const status = { mode: "plan", model: "demo", cwd: "/w", home: "/h", contained: false, shells: 2 } as const;
    for (const width of [19, 30, 120])
      expect(textOfLine(statusLine({ ...status, rehearsing: { pending: "12 files" } }, width))).toMatch(
        /^plan mode · demo\b/,
      );
  });
});
