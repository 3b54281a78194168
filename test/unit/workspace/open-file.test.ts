import { describe, expect, it } from "vitest";
import { rowsOf } from "../../../src/workspace/open-file.ts";

const side = (text: string | Buffer) => {
  const bytes = Buffer.from(text);
  return { bytes, whole: bytes.length };
};
const lines = (n: number, text: string) => Array.from({ length: n }, (_, at) => `${text} ${at}`).join("\n");

describe("an opened file", () => {
  it("P5: over 2,000 lines it is the whole diff", () => {
    const around = (text: string) => `${lines(9, "same")}\n${lines(3000, text)}\n${lines(9, "end")}\n`;
    const { what, rows, cut } = rowsOf(side(around("old")), side(around("new")));
    expect([what, cut]).toEqual(["diff", undefined]);
    expect(rows.filter((r) => r.startsWith("+"))).toHaveLength(3000);
    expect(rows.filter((r) => r.startsWith("-"))).toHaveLength(3000);
    expect(rows.slice(0, 5)).toEqual(["@@ -10 +10 @@", " same 6", " same 7", " same 8", "-old 0"]);
    expect(rows.at(-1)).toBe(" end 2");
  });
  it("P5: of few changes in a long file only these, with lines around", () => {
    const { rows } = rowsOf(side(lines(9000, "row")), side(lines(9000, "row").replace("row 4000", "other")));
    expect(rows).toEqual([
      "@@ -3998 +3998 @@",
      " row 3997",
      " row 3998",
      " row 3999",
      "-row 4000",
      "+other",
      " row 4001",
      " row 4002",
      " row 4003",
    ]);
  });
  it("P5: bytes that are no text are shown as bytes, what is left out is told", () => {
    const some = rowsOf(undefined, side(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 27, 91])));
    expect(some).toEqual({ what: "new bytes", rows: [`00000000  89 50 4e 47 00 1b 5b${" ".repeat(27)}  .PNG..[`] });
    const many = rowsOf(side(Buffer.alloc(70_000)), undefined);
    expect([many.what, many.rows.length, many.cut]).toEqual(["old bytes", 4096, "the first 65536 of 70000 bytes"]);
  });
  it("P5: of a text too large to read whole the new side's beginning, and how much that is", () => {
    const { what, rows, cut } = rowsOf(side("a"), { bytes: Buffer.from("b\nc"), whole: 9_000_000 });
    expect({ what, rows, cut }).toEqual({ what: "new text", rows: ["b", "c"], cut: "the first 3 of 9000000 bytes" });
  });
});
