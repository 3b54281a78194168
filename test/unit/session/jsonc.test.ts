import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsoncError, offsetOf, parseJsonc, placeOf, toValue } from "../../../src/session/jsonc.ts";

describe("jsonc", () => {
  it("reads whatever JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(toValue(parseJsonc(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });
  it("agrees with JSON.parse on what is no JSON, but for comments and last commas", () => {
    const bits = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b"',
      '"',
      "1",
      "-",
      "0",
      ".5",
      "e3",
      "true",
      "nul",
      "null",
      " ",
      "\n",
      "\\",
      "x",
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        fc.pre(!/,\s*[}\]]/.test(text));
        let plain: unknown;
        try {
          plain = { value: JSON.parse(text) };
        } catch {
          plain = undefined;
        }
        let read: unknown;
        try {
          read = { value: toValue(parseJsonc(text)) };
        } catch (error) {
          expect(error).toBeInstanceOf(JsoncError);
          read = error instanceof JsoncError && error.message.includes("twice") ? plain : undefined;
        }
        expect(read).toEqual(plain);
      }),
      { numRuns: 5000 },
    );
  });
  it("takes comments, a comma before the end, a byte order mark", () => {
    const text = '\ufeff// top\n{ "a": [1, /* two */ 2,], // end\n "b": {}, }\n';
    expect(toValue(parseJsonc(text))).toEqual({ a: [1, 2], b: {} });
  });
  it.each([
    ['{\n  "a": 1,\n  "a": 2\n}', 3, 3, "stands here twice"],
    ['{\n  "a": tru\n}', 2, 8, "no value can begin"],
    ["{\n  a: 1\n}", 2, 3, "a key in"],
    ['{ "a" 1 }', 1, 7, "a : is due"],
    ['{ "a": 1 "b": 2 }', 1, 10, "a , or } is due"],
    ["[1 2]", 1, 4, "a , or ] is due"],
    ["[,]", 1, 2, "no value can begin"],
    ['{ "a": "x', 1, 8, "does not end on its line"],
    ['{ "a": "\\q" }', 1, 8, "unknown \\ escape"],
    ['{ "a": [', 1, 9, "the text ends"],
    ["{} x", 1, 4, "behind the end"],
    ["01", 1, 1, "no value"],
    ["", 1, 1, "the text ends"],
    ["[".repeat(60), 1, 52, "nested deeper"],
  ])("U7: %j fails at %i:%i", (text, line, column, why) => {
    let caught: unknown;
    try {
      parseJsonc(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(JsoncError);
    const { message, offset } = caught instanceof JsoncError ? caught : { message: "", offset: -1 };
    expect(message).toContain(why);
    expect(placeOf(text, offset)).toEqual({ line, column });
  });
  it("finds where a path stands, or the nearest thing above it", () => {
    const text = '{\n "a": {\n  "b": [1,\n   2]\n }\n}';
    const tree = parseJsonc(text);
    expect(placeOf(text, offsetOf(tree, ["a", "b", 1]))).toEqual({ line: 4, column: 4 });
    expect(placeOf(text, offsetOf(tree, ["a", "b"]))).toEqual({ line: 3, column: 3 });
    expect(placeOf(text, offsetOf(tree, ["a", "x", "y"]))).toEqual({ line: 2, column: 2 });
    expect(offsetOf(tree, [])).toBe(0);
  });
  it("a long text and __proto__ are values like others", () => {
    const long = "x".repeat(900_000);
    expect(toValue(parseJsonc(JSON.stringify(long)))).toBe(long);
    const value = toValue(parseJsonc('{ "__proto__": { "polluted": 1 } }'));
    expect(Object.keys(Object(value))).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
