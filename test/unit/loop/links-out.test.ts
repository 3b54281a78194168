import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { collect, openAt, place } from "../../support/session.ts";

describe("links that lead out", () => {
  it("P3, perm-link-outside: no Write goes through one; one to inside runs, and .. is judged by where it lands", async () => {
    const at = place();
    const out = join(dirname(at.folder), "out");
    mkdirSync(out);
    mkdirSync(join(at.folder, "in"));
    symlinkSync("../out", join(at.folder, "outbox"));
    symlinkSync("../out/new.txt", join(at.folder, "dangling"));
    symlinkSync("in", join(at.folder, "inner"));
    const paths = ["outbox/a.txt", "dangling", "outbox/../b.txt", "inner/c.txt"];
    const calls = paths.map((file_path) => ({ name: "Write", input: { file_path, content: "x\n" } }));
    const session = await openAt(at, { script: { turns: [{ calls }, { text: "ok" }] } });
    await session.setMode("auto");
    const { events } = await collect(session.submit([text("go")], new AbortController().signal));
    await session.close();
    const ended = events.flatMap((event) => (event.type === "call.finished" ? [event.status] : []));
    expect(ended).toEqual(["error", "error", "ok", "ok"]);
    expect(readdirSync(out)).toEqual([]);
    expect(existsSync(join(dirname(at.folder), "b.txt"))).toBe(false);
    expect(readFileSync(join(at.folder, "b.txt"), "utf8")).toBe("x\n");
    expect(readFileSync(join(at.folder, "in/c.txt"), "utf8")).toBe("x\n");
  });
});
