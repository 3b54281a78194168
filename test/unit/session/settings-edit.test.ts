import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseJsonc, toValue } from "../../../src/session/jsonc.ts";
import { pathOf, withoutValue, withValue } from "../../../src/session/settings-edit.ts";
import { layersOf, setValue, valuesOf } from "../../../src/session/settings-layers.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";
import { place } from "../../support/session.ts";

const TEXT = `{
  // mine
  "mode": "ask", // as ever
  "limits": {
    // of a message
    "tokens": 5,
    "session": { "usd": 1 },
  },
}
`;
const set = (key: string, value: unknown) => withValue(TEXT, parseJsonc(TEXT), pathOf(key), value);

describe("U6: agent config", () => {
  it.each([
    ["mode", "plan"],
    ["limits.tokens", 7],
    ["limits.parallel", 2],
    ["limits.session.turns", 3],
    ["editor.vim", true],
    ['prices."gpt-4.1".input', 2],
  ])("sets %s; comments and all else stay", (key, value) => {
    const after = set(key, value);
    const read = toValue(parseJsonc(after));
    expect(pathOf(key).reduce<unknown>((at, word) => Reflect.get(at as object, word), read)).toBe(value);
    expect([...after.matchAll(/\/\/ (.*)/g)].map(([, words]) => words)).toEqual(["mine", "as ever", "of a message"]);
    const back = withoutValue(after, parseJsonc(after), pathOf(key)) ?? "";
    expect(toValue(parseJsonc(back))).toBeTypeOf("object");
    expect(back).toContain("// of a message");
  });

  it("takes nothing out where nothing stands", () => {
    expect(withoutValue(TEXT, parseJsonc(TEXT), ["limits", "usd"])).toBeUndefined();
    expect(withoutValue(TEXT, parseJsonc(TEXT), ["nosuch", "usd"])).toBeUndefined();
  });

  it("U7: a value is checked before it is written; layers are told with file and line", async () => {
    const at = place("config");
    const file = join(at.config, "settings.json");
    writeFileSync(file, TEXT);
    const deps = { configDir: at.config, folder: at.folder, home: at.home, clock: systemClock, makeId: randomId };
    await expect(setValue("mode", "sideways", "user", deps)).rejects.toThrow(/^mode: .* \(nothing was written\)$/);
    await expect(setValue("mod", "plan", "user", deps)).rejects.toThrow("did you mean mode?");
    await expect(setValue("theme", undefined, "user", deps)).rejects.toThrow("theme is not set in ");
    expect(readFileSync(file, "utf8")).toBe(TEXT);
    await setValue("limits.session.usd", 2, "user", deps);
    await setValue("mode", "plan", "person", deps);
    const layers = layersOf(deps);
    expect(layers.flatMap((layer) => valuesOf(layer, "mode"))).toMatchObject([
      { source: "person", value: "plan" },
      { source: "user", value: "ask", file, line: 3 },
    ]);
    expect(layers.flatMap((layer) => valuesOf(layer)).map(({ key }) => key)).toEqual(
      expect.arrayContaining(["limits.tokens", "limits.session.usd"]),
    );
  });
});
