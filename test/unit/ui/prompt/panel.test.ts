import { describe, expect, it } from "vitest";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { openPanel, panelRows, type PanelText } from "../../../../src/ui/prompt/panel.ts";
import { line, textOfLine, lineWidth } from "../../../../src/ui/render/spans.ts";
import { askPanel, offerDraft, panelKeys } from "../../../../src/ui/screen/panel-keys.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { createStore } from "../../../../src/ui/store/store.ts";
import { makeKey } from "../../../../src/ui/input/key.ts";

const choices = Array.from({ length: 4 }, (_, n) => ({ id: `c${n}`, label: `choice ${n}`, more: "more" }));
const text = (careful: boolean, rows = 0): PanelText => ({
  title: "Title",
  body: () => Array.from({ length: rows }, (_, n) => line(`row ${n}`)),
  choices,
  careful,
});

function open(careful: boolean, rows = 0) {
  const store = createStore<ScreenState>(NO_SCREEN, { throttleMs: 0 });
  let chosen: string | undefined = "open";
  void askPanel(store, text(careful, rows), 1000).then((id) => (chosen = id));
  const press = async (name: string, at = 2000) => {
    const event = { kind: "key", key: makeKey(name, {}), at, alone: true, chunk: 1 } as const;
    store.setNow((state) => panelKeys(state, event, DEFAULT_KEYMAP));
    await Promise.resolve();
    return chosen;
  };
  return { store, press };
}

describe("panel", () => {
  it("UX-Q-6: a list begins with its first choice; arrows and Enter choose, Esc leaves", async () => {
    const list = open(false);
    expect(await list.press("down")).toBe("open");
    expect(await list.press("return")).toBe("c1");
    expect(list.store.get().panel).toBeUndefined();
    expect(await open(false).press("escape")).toBeUndefined();
    expect(await open(false).press("2")).toBe("open");
  });
  it("UX-P-4, UX-P-6: where something changes nothing is chosen at first, digits choose, and a key of before it was there doesn't", async () => {
    const careful = open(true);
    expect(await careful.press("return")).toBe("open");
    expect(await careful.press("3", 1200)).toBe("open");
    expect(await careful.press("9")).toBe("open");
    expect(await careful.press("3")).toBe("c2");
  });
  it("one choice is no range of digits", () => {
    const hint = (n: number) => {
      const panel = openPanel({ ...text(true), choices: choices.slice(0, n) });
      return textOfLine(panelRows(panel, 60, 12).rows.at(-1) ?? []);
    };
    expect([hint(1), hint(2)]).toEqual(["  1 or Enter · Esc leaves", "  1–2 or ↑↓ Enter · Esc leaves"]);
  });
  it("shows what fits, counts the rest, and scrolls; no row is too wide, the caret is on the chosen row", async () => {
    const { store, press } = open(true, 40);
    const rows = () => panelRows(store.get().panel?.panel ?? openPanel(text(true)), 30, 12);
    const shown = rows().rows.map(textOfLine);
    expect(shown).toHaveLength(12);
    expect(shown[0]).toBe("Title");
    expect(shown.join("\n")).toMatch(/row 0\n[^]*\+ \d+ more rows[^]*1 choice 0/);
    await press("pagedown");
    expect(rows().rows.map(textOfLine).join("\n")).toContain("row 8");
    for (let n = 0; n < 9; n++) await press("pagedown");
    expect(rows().rows.map(textOfLine).join("\n")).toContain("row 39\n");
    await press("down");
    const at = rows();
    expect(textOfLine(at.rows[at.caret.y] ?? [])).toContain("› 1 choice 0");
    for (const width of [1, 7, 30])
      for (const max of [1, 2, 5, 40]) {
        const small = panelRows(openPanel(text(true, 9)), width, max);
        expect(small.rows.length).toBeLessThanOrEqual(max);
        expect(small.rows.every((row) => lineWidth(row) <= width)).toBe(true);
      }
  });
  it("UX-Q-6: the message comes back to an empty composer only", () => {
    const store = createStore<ScreenState>(NO_SCREEN, { throttleMs: 0 });
    offerDraft(store, "again", { at: 0, width: 40 });
    expect(store.get().editor.text).toBe("again");
    offerDraft(store, "other", { at: 0, width: 40 });
    expect(store.get().editor.text).toBe("again");
  });
});
