import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentStore } from "../../../src/events/content.ts";
import { systemFs } from "../../../src/events/log-fs.ts";
import { scratch } from "../../support/scratch.ts";

const BYTES = Buffer.from("some content");
const HASH = createHash("sha256").update(BYTES).digest("hex");
const SUB = HASH.slice(0, 2);

describe("contentStore", () => {
  it("E1: keeps bytes under their hash, private whatever the umask", async () => {
    const dir = join(scratch("content"), "content");
    const before = process.umask(0);
    try {
      expect(await contentStore(dir).put(BYTES)).toBe(HASH);
    } finally {
      process.umask(before);
    }
    expect(readdirSync(join(dir, SUB))).toEqual([HASH]);
    expect(statSync(join(dir, SUB, HASH)).mode & 0o777).toBe(0o600);
    for (const folder of [dir, join(dir, SUB)]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(contentStore(dir).get(HASH)).toEqual(BYTES);
  });
  it("E1: is synced before its name is there, and its name before it is used", async () => {
    const dir = scratch("content");
    const done: string[] = [];
    const store = contentStore(dir, {
      ...systemFs,
      datasync: async (fd) => (await systemFs.datasync(fd), void done.push("data")),
      rename: (...args) => (systemFs.rename(...args), void done.push("name")),
      syncFolder: async (path) => (await systemFs.syncFolder(path), void done.push("folder")),
    });
    await store.put(BYTES);
    expect(done).toEqual(["data", "name", "folder"]);
  });
  it("E1: never gives other bytes than the hash says, and mends them when they come again", async () => {
    const dir = scratch("content");
    const store = contentStore(dir);
    await store.put(BYTES);
    writeFileSync(join(dir, SUB, HASH), "some contenT");
    expect(store.get(HASH)).toBeUndefined();
    await store.put(BYTES);
    expect(store.get(HASH)).toEqual(BYTES);
    expect(store.get("0".repeat(64))).toBeUndefined();
  });
  it.each(["", "../../etc/passwd", "..", `${HASH}/`, HASH.toUpperCase()])("SEC-20: takes %j for no hash", (hash) => {
    expect(contentStore(scratch("content")).get(hash)).toBeUndefined();
  });
  it("storage-006: writes and reads through no planted link", async () => {
    const dir = scratch("content");
    mkdirSync(join(dir, "outside"));
    mkdirSync(join(dir, "a"));
    symlinkSync(join(dir, "outside"), join(dir, "a", SUB));
    await expect(contentStore(join(dir, "a")).put(BYTES)).rejects.toThrow(/symbolic link/);
    expect(readdirSync(join(dir, "outside"))).toEqual([]);

    mkdirSync(join(dir, "b", SUB), { recursive: true });
    writeFileSync(join(dir, "secret"), BYTES);
    symlinkSync(join(dir, "secret"), join(dir, "b", SUB, HASH));
    const store = contentStore(join(dir, "b"));
    expect(store.get(HASH)).toBeUndefined();
    await store.put(BYTES);
    expect(store.get(HASH)).toEqual(BYTES);
    expect(readFileSync(join(dir, "secret"))).toEqual(BYTES);
  });
});
