import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { saveSetting } from "../../../src/session/settings-write.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";
import { scratch } from "../../support/scratch.ts";

async function saved(before: string | undefined, value = "light"): Promise<string> {
  const configDir = join(scratch(), "config");
  mkdirSync(configDir);
  const file = join(configDir, "settings.json");
  if (before !== undefined) writeFileSync(file, before);
  const deps = { configDir, folder: "/p", home: "/home/p", clock: systemClock, makeId: randomId };
  expect(await saveSetting("theme", value, deps)).toBe(file);
  return readFileSync(file, "utf8");
}

describe("saveSetting", () => {
  it("UX-N-2: keeps comments, order and all other keys of the person's settings", async () => {
    expect(await saved('{\n  // mine\n  "theme": "dark", // night\n  "mode": "ask",\n}\n')).toBe(
      '{\n  // mine\n  "theme": "light", // night\n  "mode": "ask",\n}\n',
    );
    expect(await saved('{\n    "mode": "ask" // careful\n}\n')).toBe(
      '{\n    "theme": "light",\n    "mode": "ask" // careful\n}\n',
    );
  });
  it("UX-N-2: makes the file where there is none, for the person alone", async () => {
    expect(await saved(undefined)).toBe('{\n  "theme": "light"\n}\n');
    const configDir = scratch();
    const deps = { configDir, folder: "/p", home: "/home/p", clock: systemClock, makeId: randomId };
    expect(statSync(await saveSetting("theme", "mono", deps)).mode & 0o777).toBe(0o600);
  });
  it("UX-N-2: never writes what can't be used, into a file or of one", async () => {
    await expect(saved("{ broken")).rejects.toThrow(/settings\.json:1/);
    await expect(saved("{}", "no such/name")).rejects.toThrow(/theme: the name of a theme/);
  });
});
