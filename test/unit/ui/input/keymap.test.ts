import { describe, expect, it } from "vitest";
import { createFocus, type Layer } from "../../../../src/ui/input/dispatcher.ts";
import { makeKey, type InputEvent } from "../../../../src/ui/input/key.ts";
import { actionOf, DEFAULT_KEYMAP, editOf, keysOf, type Context } from "../../../../src/ui/input/keymap.ts";
import { createTokenizer } from "../../../../src/ui/input/tokenizer.ts";

/** What a terminal's bytes mean in a context. */
function meaning(bytes: string, context: Context = "composer") {
  const t = createTokenizer();
  const [event] = [...t.feed(Buffer.from(bytes), 0), ...t.flush(1e9)];
  return event?.kind === "key" ? actionOf(DEFAULT_KEYMAP, context, event.key) : undefined;
}

describe("keymap", () => {
  it("UX-IN-2: Enter sends; a line end by four keys that terminals can send", () => {
    expect(meaning("\r")).toBe("send");
    expect(["\x1b[13;2u", "\x1b[27;2;13~", "\n"].map((b) => meaning(b))).toEqual(Array(3).fill("edit.newline"));
    expect(meaning("\x1b\r")).toBe("send-later");
  });
  it("UX-IN-4: the Emacs keys, as bytes", () => {
    const table: Record<string, string> = {
      "\x01": "edit.line-start",
      "\x05": "edit.line-end",
      "\x02": "left-or-background",
      "\x06": "edit.right",
      "\x10": "row-up",
      "\x0e": "row-down",
      "\x04": "delete-right-or-exit",
      "\b": "edit.delete-left",
      "\x0b": "edit.kill-line-end",
      "\x15": "edit.kill-line-start",
      "\x17": "edit.kill-blank-left",
      "\x19": "edit.yank",
      "\x1by": "edit.yank-pop",
      "\x1bb": "edit.word-left",
      "\x1bf": "edit.word-right",
      "\x1bd": "edit.kill-word-right",
      "\x1b\x7f": "edit.kill-word-left",
      "\x14": "transpose-or-todo",
      "\x1b[1;5D": "edit.word-left",
      "\x1b[1;5C": "edit.word-right",
      "\x1f": "edit.undo",
      "\x1b[45;6u": "edit.undo",
      "\x1b_": "edit.redo",
      "\x1d": "edit.jump",
    };
    const seen = Object.fromEntries(Object.keys(table).map((b) => [b, meaning(b)]));
    expect(seen).toEqual(table);
  });
  it("UX-F-3: Shift+Tab and Alt+M change the mode everywhere", () => {
    for (const context of ["composer", "prompt", "overlay"] as const) {
      expect([meaning("\x1b[Z", context), meaning("\x1bm", context)]).toEqual(["mode-next", "mode-next"]);
    }
  });
  it("UX-P-3: the prompt's keys; Space only toggles", () => {
    const of = (b: string) => meaning(b, "prompt");
    expect(["y", "Y", "1", "2", "3", "n", " ", "\t", "\x05"].map(of)).toEqual([
      "yes",
      "yes",
      "yes",
      "yes-remember",
      "no",
      "no",
      "toggle",
      "note",
      "explain",
    ]);
  });
  it("text keys mean nothing in the composer", () => {
    expect(["a", "Z", "1", " ", "é"].map((b) => meaning(b))).toEqual(Array(5).fill(undefined));
  });
  it("every edit action has its edit, and help finds the keys", () => {
    for (const action of Object.values(DEFAULT_KEYMAP.composer)) {
      expect(editOf(action) !== undefined).toBe(action.startsWith("edit."));
    }
    expect(keysOf(DEFAULT_KEYMAP, "composer", "edit.undo")).toEqual(["ctrl+_", "ctrl+/", "ctrl+shift+-"]);
  });
  it("names of objects are no keys", () => {
    expect(actionOf(DEFAULT_KEYMAP, "composer", makeKey("constructor"))).toBeUndefined();
  });
});

describe("focus", () => {
  const event: InputEvent = { kind: "key", key: makeKey("up"), chunk: 1, at: 0, alone: true };
  it("asks the top layer first, each in its own context, and takes layers away in any order", () => {
    const seen: string[] = [];
    const layer = (context: Context, takes: boolean): Layer => ({
      context,
      key: ({ action }) => (seen.push(`${context}:${action}`), takes),
    });
    const focus = createFocus();
    const composer = focus.push(layer("composer", true));
    const menu = focus.push(layer("menu", false));
    expect(focus.dispatch(event, DEFAULT_KEYMAP)).toBe(true);
    menu();
    menu();
    focus.dispatch(event, DEFAULT_KEYMAP);
    expect(seen).toEqual(["menu:up", "composer:row-up", "composer:row-up"]);
    const overlay = focus.push(layer("overlay", true));
    composer();
    expect(focus.top()?.context).toBe("overlay");
    overlay();
    expect(focus.dispatch(event, DEFAULT_KEYMAP)).toBe(false);
  });
  it("UX-IN-14: a paste goes past layers that don't take any", () => {
    const focus = createFocus();
    const got: string[] = [];
    focus.push({ context: "composer", key: () => true, paste: (e) => got.push(e.text) > 0 });
    focus.push({ context: "prompt", key: () => true });
    expect(focus.dispatch({ kind: "paste", text: "1\n", chunk: 1, at: 0 }, DEFAULT_KEYMAP)).toBe(true);
    expect(got).toEqual(["1\n"]);
  });
});
