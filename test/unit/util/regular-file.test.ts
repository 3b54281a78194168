import { spawnSync } from "node:child_process";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRegular, readRegular, readRegularNow } from "../../../src/util/regular-file.ts";
import { fifo } from "../../support/fifo.ts";
import { scratch } from "../../support/scratch.ts";

const SOURCE = new URL("../../../src/util/regular-file.ts", import.meta.url).href;
const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : error);
const code = (made: Promise<unknown>): Promise<unknown> => made.then(() => "read", codeOf);

/** In a program of its own, which a time limit can end. */
function codeNow(path: string, follow: boolean): string {
  const lines = `import { readRegularNow } from ${JSON.stringify(SOURCE)};
try { readRegularNow(${JSON.stringify(path)}, { follow: ${follow} }); console.log("read") } catch (error) { console.log(error.code) }`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", lines], { timeout: 8000, encoding: "utf8" });
  return ran.stdout.trim();
}

describe("readRegular", () => {
  it("SEC-9: a named pipe is neither waited for nor read, by a link neither", async () => {
    const dir = scratch();
    const pipe = fifo(join(dir, "pipe"));
    symlinkSync("pipe", join(dir, "link"));
    expect(await code(readRegular(pipe))).toBe("ENOTREG");
    expect(await code(openRegular(pipe))).toBe("ENOTREG");
    expect(await code(readRegular(join(dir, "link"), { follow: true }))).toBe("ENOTREG");
    expect(codeNow(pipe, false)).toBe("ENOTREG");
    expect(codeNow(join(dir, "link"), true)).toBe("ENOTREG");
  }, 20_000);
  it("SEC-9: sockets, devices and folders are no files", async () => {
    const dir = scratch();
    const server = createServer().listen(join(dir, "s"));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await code(readRegular(join(dir, "s")))).toBe("ENOTREG");
    expect(await code(readRegular("/dev/zero"))).toBe("ENOTREG");
    expect(await code(readRegular(dir))).toBe("ENOTREG");
  }, 10_000);
  it("reads all bytes, follows a link only where that is asked, and stops at its bound", async () => {
    const dir = scratch();
    const bytes = Buffer.from(Array.from({ length: 200_001 }, (_, n) => n % 251));
    writeFileSync(join(dir, "f"), bytes);
    symlinkSync("f", join(dir, "l"));
    expect((await readRegular(join(dir, "f"))).equals(bytes)).toBe(true);
    expect(readRegularNow(Buffer.from(join(dir, "f"))).equals(bytes)).toBe(true);
    expect((await readRegular(join(dir, "l"), { follow: true })).equals(bytes)).toBe(true);
    expect(await code(readRegular(join(dir, "l")))).toBe("ELOOP");
    expect(await code(readRegular(join(dir, "f"), { most: 200_000 }))).toBe("EFBIG");
    expect(await code(readRegular(join(dir, "none")))).toBe("ENOENT");
    truncateSync(join(dir, "f"), 300 << 20);
    expect(await code(readRegular(join(dir, "f")))).toBe("EFBIG");
  });
  it("reads files whose size says nothing", async () => {
    expect((await readRegular("/proc/self/status")).toString()).toContain("Pid:");
    expect(readRegularNow("/proc/self/status").toString()).toContain("Pid:");
  });
});
