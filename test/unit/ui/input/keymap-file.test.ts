import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keyLines } from "../../../../src/ui/commands/keys.ts";
import { chordStep } from "../../../../src/ui/input/chords.ts";
import { makeKey, type Key } from "../../../../src/ui/input/key.ts";
import { readKeyName, unsendable } from "../../../../src/ui/input/key-name.ts";
import { keymapFile, readKeymap } from "../../../../src/ui/input/keymap-file.ts";
import { actionOf, DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { createOwnKeys } from "../../../../src/ui/screen/own-keys.ts";
import { textView } from "../../../../src/ui/pager/text-view.ts";
import { line, textOfLine } from "../../../../src/ui/render/spans.ts";
import { reviewOf } from "../../../../src/ui/review/text.ts";
import { reviewView } from "../../../../src/ui/review/view.ts";
import { scratch } from "../../../support/scratch.ts";

function written(text: string) {
  const dir = scratch();
  writeFileSync(keymapFile(dir), text);
  const { keymap, problems } = readKeymap(dir);
  return { dir, keymap, problems: problems.map((p) => p.replace(`${keymapFile(dir)}:`, "")) };
}
const press = (key: Key) => ({ kind: "key" as const, key, chunk: 1, at: 5, alone: true });
const x = press(makeKey("x", { ctrl: true }));
const e = press(makeKey("e", { ctrl: true }));

describe("the keymap file", () => {
  it("UX-N-5: binds, unbinds with null, and leaves the rest", () => {
    const { keymap, problems } = written(
      '{ // mine\n "composer": { "Ctrl+K": "edit.word-right", "C-r": null, "ctrl+x Ctrl+E": "editor" },\n "any": { "F5": "repaint" }, }',
    );
    expect(problems).toEqual([]);
    expect(keymap.composer["ctrl+k"]).toBe("edit.word-right");
    expect(actionOf(keymap, "composer", makeKey("r", { ctrl: true }))).toBeUndefined();
    expect(keymap.composer["ctrl+x ctrl+e"]).toBe("editor");
    expect(actionOf(keymap, "prompt", makeKey("f5"))).toBe("repaint");
    expect(keymap.composer["ctrl+a"]).toBe("edit.line-start");
    expect(keymap.prompt).toBe(DEFAULT_KEYMAP.prompt);
  });
  it("UX-N-5 UX-T-5: pager and review go by it too, where a capital is a key of its own; their last row names what counts", () => {
    const { keymap, problems } = written(
      '{ "pager": { "q": null, "x": "escape", "Z": "last", "g g": "first" }, "review": { "space": null, "t": "toggle" } }',
    );
    expect(problems).toEqual(["1: pager.g g: there are no chords here"]);
    const capital = makeKey("z", { text: "Z", shift: true });
    expect(actionOf(keymap, "pager", capital)).toBe("last");
    expect(actionOf(keymap, "pager", makeKey("z", { text: "z" }))).toBeUndefined();
    expect(actionOf(DEFAULT_KEYMAP, "composer", makeKey("?", { text: "?", shift: true }))).toBe("help");
    const size = { cols: 100, rows: 5 };
    const text = textView({ title: "help", rows: () => [line("one"), [], line("two")], say: () => undefined });
    expect(text.key(makeKey("q", { text: "q" }), size, keymap)).toBeUndefined();
    expect(textOfLine(text.draw(size, undefined, keymap).rows.at(-1) ?? [])).toContain("Ctrl+O back");
    expect(text.key(makeKey("x", { text: "x" }), size, keymap)).toBe("leave");
    const review = reviewView(reviewOf("changes", []), () => undefined);
    expect(textOfLine(review.draw(size, undefined, keymap).rows.at(-1) ?? [])).toContain(
      "q back · j PgDn · Tab next file",
    );
    expect(keyLines({ keymap, allKeys: true, file: "f" }, 80).map(textOfLine)).toContain(
      "last                  G, End, Z",
    );
  });
  it("UX-N-5: what is wrong is told with its line and what was meant; the rest counts", () => {
    const { keymap, problems } = written(
      [
        '{ "composr": {},',
        '  "composer": {',
        '    "ctrl+k": "edit.kil-line-end",',
        '    "hyper+k": "send",',
        '    "ctrl+retrun": "send",',
        '    "ctrl+j": "send", "Ctrl+J": "edit.newline",',
        '    "j": "row-down",',
        '    "ctrl+a ctrl+x": "stash",',
        '    "shift+a": "send",',
        '    "ctrl+c": null },',
        '  "prompt": { "space": "yes", "ctrl+s": "send" },',
        '  "any": [] }',
      ].join("\n"),
    );
    expect(problems).toEqual([
      expect.stringMatching(/^1: composr: no such context; did you mean composer\?$/),
      expect.stringMatching(/^3: composer\.ctrl\+k: no such action here; did you mean edit\.kill-line-end\?$/),
      expect.stringMatching(/^4: .*"hyper" is no modifier/),
      expect.stringMatching(/^5: .*did you mean return\?$/),
      expect.stringMatching(/^6: composer\.Ctrl\+J: is bound above already$/),
      expect.stringMatching(/^7: .*types text/),
      expect.stringMatching(/^8: composer\.ctrl\+a ctrl\+x: ctrl\+a is edit\.line-start already; unbind it with null$/),
      expect.stringMatching(/^9: .*write the sign/),
      expect.stringMatching(/^10: .*always stops/),
      expect.stringMatching(/^11: prompt\.space: .*no yes/),
      expect.stringMatching(/^11: prompt\.ctrl\+s: no such action here/),
      expect.stringMatching(/^12: any: an object/),
    ]);
    expect(keymap.composer["ctrl+j"]).toBe("send");
    expect(keymap.composer["ctrl+k"]).toBe("edit.kill-line-end");
    expect(keymap.prompt["space"]).toBe("toggle");
    expect(keymap.any["ctrl+c"]).toBe("interrupt");
  });
  it("UX-N-5: a file that is no JSON leaves the defaults", () => {
    const { keymap, problems } = written('{ "composer": {\n');
    expect(keymap).toEqual(DEFAULT_KEYMAP);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^2: /);
  });
  it("UX-N-5: counts again when it is saved, and is told", async () => {
    const dir = scratch();
    mkdirSync(dir, { recursive: true });
    const keys = createOwnKeys(dir);
    const said: string[] = [];
    const heard = new Promise<void>((resolve) => keys.start((words) => (said.push(words), resolve())));
    expect(keys.keymap()).toBe(DEFAULT_KEYMAP);
    writeFileSync(keymapFile(dir), '{ "any": { "f5": "repaint", "f6": "paint" } }');
    await heard;
    keys.close();
    expect(keys.keymap().any["f5"]).toBe("repaint");
    expect(said.join()).toContain(`${keymapFile(dir)}:1: any.f6: no such action`);
  });
});

describe("chords", () => {
  const keymap = { ...DEFAULT_KEYMAP, composer: { "ctrl+x ctrl+e": "editor" as const } };
  it("UX-N-5: the first key waits, the second makes one key of both; another one means nothing", () => {
    expect(chordStep(undefined, x, keymap, "composer")).toEqual({ waits: "ctrl+x" });
    const whole = chordStep("ctrl+x", e, keymap, "composer");
    expect("event" in whole ? actionOf(keymap, "composer", whole.event.key) : undefined).toBe("editor");
    expect(chordStep("ctrl+x", x, keymap, "composer")).toEqual({ nothing: "ctrl+x ctrl+x" });
    expect(chordStep(undefined, x, keymap, "prompt")).toEqual({ event: x });
    expect(chordStep(undefined, e, keymap, "composer")).toEqual({ event: e });
  });
});

describe("names of keys", () => {
  it("are read as people write them", () => {
    const read = (text: string) => {
      const found = readKeyName(text);
      return "id" in found ? found.id : found.problem;
    };
    expect(["Shift+Ctrl+K", "M-x", "Enter", "alt+PgUp", "?", "ctrl++", "ctrl+-", "F24", "C-Del"].map(read)).toEqual([
      "ctrl+shift+k",
      "alt+x",
      "return",
      "alt+pageup",
      "?",
      "ctrl++",
      "ctrl+-",
      "f24",
      "ctrl+delete",
    ]);
    expect(read("f25")).toContain("no such key");
  });
  it("UX-N-5: every default key has a name that can be written", () => {
    for (const bindings of Object.values(DEFAULT_KEYMAP))
      for (const id of Object.keys(bindings).flatMap((chord) => chord.split(" ")))
        expect(readKeyName(id, true)).toEqual({ id });
  });
  it("UX-N-5: those are marked that a terminal can't send", () => {
    const marked = ["shift+return", "ctrl+backspace", "ctrl+i", "ctrl+shift+k", "ctrl+1", "ctrl+x ctrl+enter"];
    expect(marked.map((id) => unsendable(id)).every((why) => why !== undefined)).toBe(true);
    const plain = [
      "return",
      "alt+return",
      "ctrl+j",
      "ctrl+left",
      "shift+tab",
      "alt+b",
      "ctrl+_",
      "ctrl+home",
      "f5",
      "?",
    ];
    expect(plain.flatMap((id) => unsendable(id) ?? [])).toEqual([]);
  });
});

describe("/keys", () => {
  const show = (allKeys: boolean | undefined, width = 80) =>
    keyLines({ keymap: DEFAULT_KEYMAP, allKeys, file: "/c/keymap.json" }, width).map(textOfLine).join("\n");
  it("UX-N-5: shows every action with its keys as they are, those marked that don't come", () => {
    const rows = show(false);
    for (const action of Object.values(DEFAULT_KEYMAP).flatMap((b) => Object.values(b))) expect(rows).toContain(action);
    expect(rows).toMatch(/edit\.newline +Shift\+Enter\*, Ctrl\+J/);
    expect(rows).toContain("this terminal does not tell it from another key");
    expect(rows).toContain("/c/keymap.json");
    expect(show(undefined)).toContain("may not");
    expect(show(true)).not.toContain("*");
    for (const row of show(false, 20).split("\n")) expect(row.length).toBeLessThanOrEqual(20);
  });
});
