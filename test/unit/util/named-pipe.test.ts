import { lstatSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { makeNamedPipe } from "../../../src/util/named-pipe.ts";
import { scratch } from "../../support/scratch.ts";

it("W3: a named pipe of any name, for its owner alone; never in the place of something else", () => {
  const dir = scratch("pipe");
  const names = ["p", "-m", "a b'\"$x`\\0101", "\xff\xfe\n", "%s\n\n"];
  for (const name of names) makeNamedPipe(`${dir}/${name}`);
  const found = readdirSync(dir, { encoding: "latin1" });
  expect(found.toSorted()).toEqual(names.toSorted());
  for (const name of names) {
    const stat = lstatSync(Buffer.from(`${dir}/${name}`, "latin1"));
    expect([stat.isFIFO(), stat.mode & 0o777]).toEqual([true, 0o600]);
  }
  expect(() => makeNamedPipe(`${dir}/p`)).toThrow(/a named pipe could not be made: .*exists/);
});
