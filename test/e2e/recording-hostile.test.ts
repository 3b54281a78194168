import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyStart, openRecording } from "../../src/session/recording.ts";
import { filesBelow } from "../support/event-log.ts";
import { fifo } from "../support/fifo.ts";
import { RECORDINGS } from "../support/recorded.ts";
import { runAgent } from "../support/run-agent.ts";
import { scratch } from "../support/scratch.ts";
import { place } from "../support/session.ts";

const THEN = new Date("2020-02-02T02:02:02Z");

/** A recording that somebody sent, and a folder of the person's that it has nothing to do with. */
function sent() {
  const dir = join(scratch("sent"), "rec");
  cpSync(join(RECORDINGS, "edit-bash-denial"), dir, { recursive: true });
  const mine = scratch("mine");
  mkdirSync(join(mine, "deep"));
  for (const path of ["todo.txt", "deep/note.txt"]) {
    writeFileSync(join(mine, path), "milk\nbread\n");
    utimesSync(join(mine, path), THEN, THEN);
  }
  /** Names, contents and times of what is the person's. */
  const seen = () =>
    filesBelow(mine).map((path) =>
      path === "deep" ? path : [path, readFileSync(join(mine, path), "utf8"), statSync(join(mine, path)).mtime],
    );
  return { dir, mine, seen, before: seen() };
}

describe("E5: a recording from somebody else", () => {
  it("E5: whose start/ holds links out changes nothing behind them, their times neither", () => {
    const { dir, mine, seen, before } = sent();
    symlinkSync(mine, join(dir, "start", "out"));
    symlinkSync(join(mine, "todo.txt"), join(dir, "start", "file"));
    copyStart(join(dir, "start"), join(scratch("to"), "project"));
    expect(seen()).toEqual(before);
  });

  it.each(["start", "content", "head", "key", "log.jsonl"])("E5: whose %s is a link is not opened", async (name) => {
    const { dir, mine, seen, before } = sent();
    rmSync(join(dir, name), { recursive: true, force: true });
    symlinkSync(name === "start" || name === "content" ? mine : join(mine, "todo.txt"), join(dir, name));
    const run = await runAgent(place(), ["replay", dir, "--check"]);
    expect([run.code, run.out]).toEqual([2, ""]);
    expect(run.err).toContain(`${join(dir, name)} is no`);
    expect(run.err).toContain("symbolic link");
    expect(seen()).toEqual(before);
  });

  it.each(["head", "key", "log.jsonl"])("E5: whose %s is a pipe is not waited for", (name) => {
    const { dir } = sent();
    fifo(join(dir, name));
    expect(() => openRecording(dir, scratch("to"))).toThrow(`${join(dir, name)} is no ordinary file`);
  });

  it("E5: content/ is copied without what its links lead to", () => {
    const { dir, mine } = sent();
    mkdirSync(join(dir, "content", "ab"), { recursive: true });
    writeFileSync(join(dir, "content", "ab", "text"), "long");
    symlinkSync(mine, join(dir, "content", "ab", "out"));
    const to = scratch("to");
    openRecording(dir, to);
    expect(filesBelow(join(to, "content"))).toEqual(["ab", "ab/text"]);
  });

  it("E5: a folder that is named by a link is copied: the tools don't run in the folder itself", async () => {
    const { dir, mine, seen, before } = sent();
    const link = join(scratch("link"), "project");
    symlinkSync(mine, link);
    await runAgent(place(), ["replay", dir, "--check", "--folder", link]);
    expect(seen()).toEqual(before);
  });
});
