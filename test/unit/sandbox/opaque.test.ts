import { describe, expect, it } from "vitest";
import { findOpaque, readMarks } from "../../../src/sandbox/opaque.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { folder, member, missingLayer, opaque, record, TAR } from "../../support/upper-layer.ts";

const KEY = "SCHILY.xattr.user.overlay.opaque";
const extended = (...records: string[]): Buffer => member("x", "x", records.join(""));
const dir = (name: string): Buffer => member(name, "5");
const end = Buffer.alloc(1024);
const long = record(`SCHILY.xattr.user.other=${"v".repeat(700)}`);

describe("readMarks", () => {
  it.each<[string, Buffer[], boolean[]]>([
    ["no members", [end], []],
    ["none at all", [], []],
    ["a folder without", [dir("a"), end], [false]],
    ["a folder with", [extended(record(`${KEY}=y`)), dir("a"), end], [true]],
    ["the mark is of the next member alone", [extended(record(`${KEY}=y`)), dir("a"), dir("b"), end], [true, false]],
    ["another value", [extended(record(`${KEY}=n`)), dir("a"), end], [false]],
    ["a longer value", [extended(record(`${KEY}=yes`)), dir("a"), end], [false]],
    ["another key", [extended(record(`${KEY}x=y`)), dir("a"), end], [false]],
    ["among other records", [extended(record("mtime=1.5"), record(`${KEY}=y`), record("a=b")), dir("a"), end], [true]],
    ["behind a long one", [extended(long, record(`${KEY}=y`)), dir("a"), end], [true]],
    ["a later header without it", [extended(record(`${KEY}=y`)), extended(record("a=b")), dir("a"), end], [false]],
    ["a global header is no member", [member("g", "g", record(`${KEY}=y`)), dir("a"), end], [false]],
    ["between mark and member too", [extended(record(`${KEY}=y`)), member("g", "g", "x"), dir("a"), end], [true]],
    [
      "members with content",
      [member("f", "0", "z".repeat(513)), extended(record(`${KEY}=y`)), dir("a"), end],
      [false, true],
    ],
    ["a size with spaces", [member("f", "0", "z", "          1"), dir("a"), end], [false, false]],
    ["no end", [dir("a")], [false]],
    ["cut in a header", [dir("a"), dir("b").subarray(0, 511)], [false]],
    ["what stands behind the end", [end.subarray(0, 512), dir("a")], []],
    ["records that lie about their length", [extended("0 a=b\n", record(`${KEY}=y`)), dir("a"), end], [false]],
    ["records without one", [extended("nonsense"), dir("a"), end], [false]],
    ["records with a word for one", [extended("x a=b\n", record(`${KEY}=y`)), dir("a"), end], [false]],
  ])("W2: %s", (_name, parts, marks) => {
    expect(readMarks(Buffer.concat(parts), KEY)).toEqual(marks);
  });
});

describe("findOpaque", () => {
  it("W2: tells the marked ones of the folders that are asked for, with names in any bytes", async (ctx) => {
    needs(ctx, missingLayer());
    const at = scratch();
    for (const act of [opaque("a"), opaque("-b"), folder("c"), opaque("d/e"), opaque("ü\n"), opaque("u", "user")])
      act(at);
    const names = ["a", "-b", "c", "d", "d/e", Buffer.from("ü\n").toString("latin1"), "u"];
    expect(await findOpaque(TAR, at, names, true)).toEqual(new Set(["a", "-b", "d/e", "\xc3\xbc\n"]));
    expect(await findOpaque(TAR, at, names, false)).toEqual(new Set(["u"]));
    expect(await findOpaque(TAR, at, ["c"], true)).toEqual(new Set());
  });
  it("W2: needs no tar where nothing is asked; says why where it can't tell", async (ctx) => {
    needs(ctx, TAR === "" ? "no tar" : undefined);
    const at = scratch();
    expect(await findOpaque("/nonexistent/tar", at, [], true)).toEqual(new Set());
    await expect(findOpaque(TAR, at, ["gone"], true)).rejects.toThrow(
      /^the copy's folders can't be read: \S.*gone.*[^\s]$/s,
    );
    // A program that says nothing is no answer.
    await expect(findOpaque("/bin/true", at, ["gone"], true)).rejects.toThrow("the copy's folders can't be read: ");
  });
});
