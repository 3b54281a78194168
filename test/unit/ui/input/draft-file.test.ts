import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDrafts } from "../../../../src/ui/input/draft-file.ts";

const scratch = () => join(mkdtempSync(join(tmpdir(), "drafts-")), "drafts");
/** The drafts as a program of that number sees them; `alive`: the programs that run. */
const as = (dir: string, pid: number, alive: readonly number[] = [], now = pid) =>
  openDrafts(dir, { pid, now: () => now, isAlive: (p) => alive.includes(p), mask: (t) => t.replace("sk-1", "«key»") });
const draft = (text: string) => ({ draft: { text } });

describe("drafts on disk", () => {
  it("UX-IN-17: what a program left unsent comes back once, whether it ended or was killed", () => {
    const dir = scratch();
    as(dir, 1).keep("s_a", {
      draft: { text: "p \u{10f001}", chips: { "\u{10f001}": "long" } },
      stash: { text: "aside" },
    });
    const left = { draft: { text: "p \u{10f001}", chips: { "\u{10f001}": "long" } }, stash: { text: "aside" } };
    expect(as(dir, 2).take("s_a")).toEqual(left);
    // Program 2 has it now: it comes back again only when that one is gone, too.
    expect(as(dir, 3, [2, 3]).take("s_a")).toEqual(undefined);
    as(dir, 2).let("s_a", draft("ended well"));
    expect(as(dir, 3, [2, 3]).take("s_a")?.draft.text).toBe("ended well");
  });
  it("UX-IN-17: a program that runs keeps its own; of two the session's own comes first, else the newest", () => {
    const dir = scratch();
    as(dir, 1).keep("s_a", draft("a"));
    as(dir, 2).keep("s_b", draft("b"));
    as(dir, 3).keep("s_c", draft("c"));
    expect(as(dir, 9, [1, 2, 3]).take("s_a")).toBeUndefined();
    expect(as(dir, 9, [3]).take("s_a")?.draft.text).toBe("a");
    expect(as(dir, 10, [9]).take("s_new")?.draft.text).toBe("c");
  });
  it("UX-IN-17: once nothing is unsent the file is gone; only the person reads it; keys are masked", () => {
    const dir = scratch();
    const mine = as(dir, 1);
    mine.keep("s", draft("with sk-1"));
    expect([statSync(dir).mode & 0o777, statSync(join(dir, "1.json")).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(join(dir, "1.json"), "utf8")).toContain("with «key»");
    mine.keep("s", draft(" "));
    expect(readdirSync(dir)).toEqual([]);
  });
  it("UX-IN-17: a torn file, and a folder that can't be written, stop nothing", () => {
    const dir = scratch();
    as(dir, 1).keep("s", draft("x"));
    writeFileSync(join(dir, "2.json"), '{"pid":2,"sess');
    expect(as(dir, 3).take("s")?.draft.text).toBe("x");
    expect(() => as(join(dir, "2.json", "below"), 1).keep("s", draft("x"))).not.toThrow();
  });
  it("UX-IN-17: links and pipes that lie there are neither written through nor waited for", () => {
    const dir = scratch();
    const other = `${dir}-other`;
    writeFileSync(other, "theirs");
    mkdirSync(dir, { mode: 0o755 });
    chmodSync(dir, 0o755);
    symlinkSync(other, join(dir, "1.json.new"));
    symlinkSync(other, join(dir, "1.json"));
    as(dir, 1).keep("s", draft("secret"));
    expect(readFileSync(other, "utf8")).toBe("theirs");
    expect([statSync(dir).mode & 0o777, statSync(join(dir, "1.json")).mode & 0o777]).toEqual([0o700, 0o600]);
    execFileSync("mkfifo", [join(dir, "2.json")]);
    symlinkSync(join(dir, "1.json"), join(dir, "3.json"));
    expect(as(dir, 4).take("s")?.draft.text).toBe("secret");
    expect(as(dir, 5, [4, 5]).take("s")).toBeUndefined();
    renameSync(dir, `${dir}-moved`);
    symlinkSync(`${dir}-moved`, dir);
    as(dir, 6).keep("s", draft("through a link"));
    expect(readdirSync(`${dir}-moved`)).not.toContain("6.json");
  });
});
