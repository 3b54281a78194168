import { describe, expect, it } from "vitest";
import { inspectPdf, isPdf } from "../../../src/util/pdf.ts";
import { pdf, png } from "../../support/media.ts";

describe("inspectPdf", () => {
  it.each([{}, { packed: true }])("T5: counts the pages of the page tree, plain or packed (%o)", (how) => {
    for (const pages of [1, 100, 101, 12_345])
      expect(inspectPdf(pdf(pages, how))).toEqual({ whole: true, encrypted: false, pages });
  });
  it("T5: an outline's count is none of pages, and what can't be told is not made up", () => {
    const other = Buffer.from("%PDF-1.4\n1 0 obj\n<< /Type /Outlines /Count 900 >>\nendobj\n%%EOF\n");
    expect(inspectPdf(other)).toEqual({ whole: true, encrypted: false, pages: undefined });
    const damaged = Buffer.from("%PDF-1.4\n<< /Type /ObjStm >>\nstream\nnothing packed\nendstream\n%%EOF");
    expect(inspectPdf(damaged).pages).toBeUndefined();
  });
  it("T5: knows one that is cut off, encrypted, or none", () => {
    expect(inspectPdf(pdf(1).subarray(0, -10)).whole).toBe(false);
    expect(inspectPdf(pdf(1, { encrypted: true })).encrypted).toBe(true);
    expect([isPdf(pdf(1)), isPdf(png(1, 1)), inspectPdf(Buffer.alloc(0)).whole]).toEqual([true, false, false]);
  });
});
