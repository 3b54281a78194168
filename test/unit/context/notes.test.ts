import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text, textOf } from "../../../src/events/block.ts";
import { collect, openAt, place } from "../../support/session.ts";

describe("notes", () => {
  it("C1: names the folders to work in, once; git's own is none of them, and what lands elsewhere is named whole", async () => {
    const at = place("notes");
    const other = join(at.home, "other");
    mkdirSync(other);
    mkdirSync(join(at.folder, "sub"));
    writeFileSync(join(other, "a.txt"), "a\n");
    const script = {
      turns: [
        { calls: [{ name: "Bash", input: { command: `echo b > sub/b.txt; echo b > ${other}/b.txt` } }] },
        { text: "done" },
        { text: "again" },
      ],
    };
    const session = await openAt(at, {
      script,
      more: { addDirs: [other], defaults: { mode: "auto", model: "scripted" } },
    });
    const first = await collect(session.submit([text("go")], new AbortController().signal));
    const second = await collect(session.submit([text("go")], new AbortController().signal));
    await session.close();
    const notes = first.events.filter((e) => e.type === "note.added").map((e) => e.text);
    expect(notes).toEqual([
      expect.stringMatching(
        /^Folder: .*\/project\nAlso: .*\/home\/other \(name what is there by its whole path\)\nPlatform/,
      ),
    ]);
    expect(second.events.filter((e) => e.type === "note.added")).toEqual([]);
    const result = first.events.find((e) => e.type === "call.finished");
    expect(textOf(result?.content ?? [])).toMatch(/create sub\/b\.txt, create \/.*\/home\/other\/b\.txt\.\]$/);
  });

  it("C1: a folder of a repository says so and does not name git's own folder", async () => {
    const at = place("notes-git");
    mkdirSync(join(at.folder, ".git", "objects"), { recursive: true });
    mkdirSync(join(at.folder, ".git", "refs"));
    mkdirSync(join(at.folder, "lib"));
    writeFileSync(join(at.folder, ".git", "HEAD"), "ref: refs/heads/main\n");
    const session = await openAt({ ...at, folder: join(at.folder, "lib") }, { script: { turns: [{ text: "done" }] } });
    const { events } = await collect(session.submit([text("go")], new AbortController().signal));
    expect(session.state().roots.map((root) => root.kind)).toEqual(["folder", "git"]);
    await session.close();
    const note = events.flatMap((e) => (e.type === "note.added" ? [e.text] : [])).join("\n");
    expect(note).toContain("/lib (in a git repository)");
    expect(note).not.toContain("Also:");
  });
});
