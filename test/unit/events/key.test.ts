import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadKey } from "../../../src/events/key.ts";
import { scratch } from "../../support/scratch.ts";

const file = (): string => join(scratch("key"), "conf", "key");

describe("loadKey", () => {
  it("E1: makes 32 random bytes that only the person can read, and finds them again", () => {
    const path = file();
    const key = loadKey(path);
    expect(key.length).toBe(32);
    expect(new Set(key).size).toBeGreaterThan(8);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(loadKey(path)).toEqual(key);
    expect(loadKey(file())).not.toEqual(key);
    expect(readdirSync(dirname(path))).toEqual(["key"]);
  });
  it("SEC-20: refuses a link, and says what to do", () => {
    const path = file();
    loadKey(path);
    const link = join(dirname(path), "link");
    symlinkSync(path, link);
    expect(() => loadKey(link)).toThrow(/symbolic link.*Remove it/);
    const dangling = join(dirname(path), "dangling");
    symlinkSync(join(dirname(path), "elsewhere"), dangling);
    expect(() => loadKey(dangling)).toThrow(/symbolic link/);
    expect(existsSync(join(dirname(path), "elsewhere"))).toBe(false);
  });
  it.each([0o640, 0o604, 0o660, 0o602])(
    "SEC-20: refuses a key that others can read or write (%o), and says what to do",
    (mode) => {
      const path = file();
      loadKey(path);
      chmodSync(path, mode);
      expect(() => loadKey(path)).toThrow(`chmod 600 ${path}`);
    },
  );
  it.each([0, 31, 33])("E1: refuses a key of %d bytes without touching it", (length) => {
    const path = file();
    loadKey(path);
    writeFileSync(path, Buffer.alloc(length));
    expect(() => loadKey(path)).toThrow(/should hold 32 bytes/);
    expect(readFileSync(path).length).toBe(length);
  });
  it("says where no key could be made", () => {
    const dir = scratch("key");
    writeFileSync(join(dir, "conf"), "");
    expect(() => loadKey(join(dir, "conf", "key"))).toThrow(join(dir, "conf", "key"));
  });
});
