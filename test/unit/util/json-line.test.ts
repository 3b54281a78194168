import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonLine } from "../../../src/util/json-line.ts";
import { visible } from "../../../src/util/visible.ts";

it("U2: a line of JSON reads back as what it was, whatever is in it", () => {
  const text = fc.string({ unit: "binary" }).map((s) => s.toWellFormed());
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.array(text))), (value) => {
      expect(JSON.parse(jsonLine(value))).toEqual(value);
    }),
  );
});

it("U2: nothing in it is a command to a terminal, turns the direction of writing or ends the line", () => {
  const hostile = "\x1b[31m \x9b2J \x7f \x85 \u202e \u2066 \u2028 \u2029 \u200b \ufeff \u{e0041} \ud800 \n";
  const line = jsonLine({ [hostile]: [hostile] });
  expect(visible(line, "")).toBe(line);
  expect(Object.keys(JSON.parse(line) as object)).toEqual([hostile]);
});
