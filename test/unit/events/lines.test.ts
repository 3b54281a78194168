import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLines } from "../../../src/events/lines.ts";
import { scratch } from "../../support/scratch.ts";

const MAX = 100;
async function read(content: string): Promise<{ lines: string[]; rest: unknown }> {
  const file = join(scratch("lines"), "f");
  writeFileSync(file, content, "latin1");
  const lines: string[] = [];
  const rest = await readLines(openSync(file, "r"), MAX, (bytes, length, number) => {
    expect(number).toBe(lines.length + 1);
    expect(bytes.length).toBe(Math.min(length, MAX));
    lines.push(length === bytes.length ? bytes.toString("latin1") : `${bytes.toString("latin1")}+${length - MAX}`);
  });
  return { lines, rest };
}

describe("readLines", () => {
  it("ends lines at line ends alone and tells what stands behind the last", async () => {
    expect(await read("a\r\n\n\0\u0085c\nrest")).toEqual({
      lines: ["a\r", "", "\0\u0085c"],
      rest: { complete: 8, torn: 4, lines: 3 },
    });
    expect(await read("")).toEqual({ lines: [], rest: { complete: 0, torn: 0, lines: 0 } });
  });
  it("keeps an overlong line's beginning only", async () => {
    expect(await read(`${"x".repeat(130)}\nok\n`)).toMatchObject({
      lines: [`${"x".repeat(100)}+30`, "ok"],
      rest: { torn: 0 },
    });
  });
  it("reads lines across chunks, overlong ones too", async () => {
    const mega = 1 << 20;
    const content = `${"y".repeat(mega - 40)}\n${"a".repeat(80)}\n${"z".repeat(3 * mega)}\nend\n${"t".repeat(mega)}`;
    const { lines, rest } = await read(content);
    expect(lines[1]).toBe("a".repeat(80));
    expect(lines[2]).toBe(`${"z".repeat(100)}+${3 * mega - 100}`);
    expect(lines[3]).toBe("end");
    expect(rest).toEqual({ complete: content.length - mega, torn: mega, lines: 4 });
  });
});
