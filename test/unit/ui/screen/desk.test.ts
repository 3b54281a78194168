import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Left } from "../../../../src/ui/input/draft-file.ts";
import { EMPTY, expanded, labelled } from "../../../../src/ui/input/editor/buffer.ts";
import { edit } from "../../../../src/ui/input/editor/edit.ts";
import { broughtBack, keepDrafts } from "../../../../src/ui/screen/draft-keeper.ts";
import { draftBack, draftFile, editDraft } from "../../../../src/ui/screen/edit-draft.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { createStore } from "../../../../src/ui/store/store.ts";
import { editOutside } from "../../../../src/ui/term/editor.ts";

const env = { at: 0, width: 40 };
const typed = (text: string) => edit(EMPTY, { op: "insert", text }, env);
const LONG = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n");
const store = (state: Partial<ScreenState> = {}) =>
  createStore<ScreenState>({ ...NO_SCREEN, ...state }, { throttleMs: 1 });

describe("the draft in the person's own editor", () => {
  it("UX-IN-16: goes there with its pastes in full, and with the last answer as a comment", () => {
    const draft = edit(typed("see "), { op: "paste", text: LONG }, env);
    expect(draftFile(draft, undefined)).toBe(`see ${LONG}`);
    expect(draftFile(typed("a"), "one\n\ntwo\n").split("\n").slice(-4)).toEqual(["# one", "#", "# two", ""]);
  });
  it("UX-IN-16: nothing in the answer is a setting for the editor", () => {
    const answer =
      "vim: set modeline foldexpr=x:\n/* ex:set x */ Vim>700: y\nLocal Variables:\neval: (x)\nEnd:\nvideo: fine";
    const file = draftFile(typed("a"), answer);
    expect(file).not.toMatch(/(vim?|ex)([<=>]?\d+)?:|Local Variables:/i);
    expect(file).toContain("# video: fine");
    expect(draftBack(typed("a"), file, env).text).toBe("a");
  });
  it("UX-IN-16: comes back without the comment and the editor's last line end; pastes that are whole are signs again", () => {
    const draft = edit(typed("see "), { op: "paste", text: LONG }, env);
    const file = draftFile(draft, "answer");
    expect(draftBack(draft, file, env)).toBe(draft);
    const more = draftBack(draft, file.replace("see", "please see"), env);
    expect([labelled(more), expanded(more)]).toEqual(["please see [Pasted #1 · 20 lines]", `please see ${LONG}`]);
    const changed = draftBack(draft, file.replace("line 3", "line three"), env);
    expect(expanded(changed)).toBe(`see ${LONG.replace("line 3", "line three")}`);
    expect(draftBack(typed("a"), "a\n", env).text).toBe("a");
    expect(draftBack(typed("a"), "", env).text).toBe("");
    expect(draftBack(EMPTY, draftFile(EMPTY, "answer"), env)).toBe(EMPTY);
    expect(draftBack(typed("a"), "b\x1b[2J\r\n", env).text).toBe("b");
  });
  it("UX-IN-16 UX-IN-5: what comes back is one step of undo and is not sent; what failed leaves the draft and says why", async () => {
    const at = store({ editor: typed("old") });
    await editDraft(
      at,
      () => Promise.resolve({ text: "new words\n" }),
      undefined,
      () => env,
    );
    expect(at.get().editor.text).toBe("new words");
    expect(edit(at.get().editor, { op: "undo" }, env).text).toBe("old");
    await editDraft(
      at,
      () => Promise.resolve({ failed: "vi ended with 1: the draft is as it was" }),
      undefined,
      () => env,
    );
    expect([at.get().editor.text, at.get().toast?.text]).toEqual([
      "new words",
      "vi ended with 1: the draft is as it was",
    ]);
  });
  it("UX-IN-16: a text that came back from the queue meanwhile stands before it", async () => {
    const at = store({ editor: typed("draft") });
    const open = () => {
      at.setNow((state) => ({ ...state, editor: edit(state.editor, { op: "set", text: "queued\n\ndraft" }, env) }));
      return Promise.resolve({ text: "edited" });
    };
    await editDraft(at, open, undefined, () => env);
    expect(at.get().editor.text).toBe("queued\n\nedited");
  });
  it("UX-IN-16: $VISUAL goes before $EDITOR and may have arguments; the file is private and gone afterwards", async () => {
    const dir = mkdtempSync(join(tmpdir(), "editor-"));
    const script = join(dir, "ed.sh");
    writeFileSync(
      script,
      `#!/bin/sh\nstat -c '%a' "$2" > ${dir}/modes; stat -c '%a' "$(dirname "$2")" >> ${dir}/modes\nprintf '%s' "$1" >> "$2"\n`,
    );
    chmodSync(script, 0o700);
    const place = {
      cwd: dir,
      dir: join(dir, "state"),
      env: { PATH: process.env["PATH"], VISUAL: `${script} ' and more'`, EDITOR: "false" },
    };
    expect(await editOutside("words", place)).toEqual({ text: "words and more" });
    expect(readFileSync(join(dir, "modes"), "utf8")).toBe("600\n700\n");
    expect(readdirSync(join(dir, "state"))).toEqual([]);
  });
  it("UX-IN-16: no editor, one that is not there, one that ends badly: each is told, nothing is left behind", async () => {
    const dir = mkdtempSync(join(tmpdir(), "editor-"));
    const failed = async (own: Record<string, string>) =>
      editOutside("x", { cwd: dir, dir: join(dir, "s"), env: { PATH: process.env["PATH"], ...own } });
    expect(await failed({})).toEqual({
      failed: "No editor is set: put one into $VISUAL or $EDITOR, such as export EDITOR=nano",
    });
    expect(await failed({ EDITOR: "false" })).toEqual({ failed: "false ended with 1: the draft is as it was" });
    expect(await failed({ EDITOR: "no-such-editor-here 2>/dev/null" })).toMatchObject({
      failed: expect.stringContaining("is not there") as string,
    });
    expect(existsSync(join(dir, "s")) ? readdirSync(join(dir, "s")) : []).toEqual([]);
  });
});

describe("unsent texts", () => {
  /** What was written, in order. */
  const written = () => {
    const all: [how: string, left: Left][] = [];
    const file = {
      keep: (_: string, left: Left) => void all.push(["keep", left]),
      let: (_: string, left: Left) => void all.push(["let", left]),
    };
    return { all, file };
  };
  it("UX-IN-17: are on the disk half a second after a change, once; what was sent is gone at once; idle nothing happens", () => {
    vi.useFakeTimers();
    try {
      const at = store();
      const { all, file } = written();
      const keeper = keepDrafts(at, file, () => "s");
      for (const text of ["a", "ab", "abc"]) at.setNow((state) => ({ ...state, editor: typed(text) }));
      expect(all).toEqual([]);
      vi.advanceTimersByTime(500);
      expect(all).toEqual([["keep", { draft: { text: "abc" }, stash: undefined }]]);
      at.setNow((state) => ({ ...state, tick: 1 }));
      vi.advanceTimersByTime(5000);
      expect([all.length, vi.getTimerCount()]).toEqual([1, 0]);
      at.setNow((state) => ({ ...state, editor: EMPTY }));
      expect(all.at(-1)).toEqual(["keep", { draft: { text: "" }, stash: undefined }]);
      at.setNow((state) => ({
        ...state,
        editor: typed("more"),
        queued: ["next"],
        later: ["after"],
        stash: { text: "aside" },
      }));
      keeper.flush();
      expect(all.at(-1)).toEqual(["let", { draft: { text: "next\n\nafter\n\nmore" }, stash: { text: "aside" } }]);
    } finally {
      vi.useRealTimers();
    }
  });
  it("UX-IN-17: come back with a word; never under an Enter that was typed ahead", () => {
    const back = broughtBack(NO_SCREEN, { draft: { text: "mine" }, stash: { text: "aside" } }, 0);
    expect([back.editor.text, back.stash?.text, back.toast?.text]).toEqual([
      "mine",
      "aside",
      "Your draft of before is back",
    ]);
    const ahead = broughtBack({ ...NO_SCREEN, editor: typed("typed") }, { draft: { text: "mine" } }, 0);
    expect([ahead.editor.text, ahead.stash?.text]).toEqual(["typed", "mine"]);
    expect(ahead.toast?.text).toContain("Ctrl-S brings it back");
    expect(broughtBack({ ...NO_SCREEN, busy: true }, { draft: { text: "mine" } }, 0).editor.text).toBe("");
  });
});
