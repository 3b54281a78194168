import { nearest } from "../../util/nearest.ts";

const NAMED = (
  "return tab backspace delete insert escape space up down left right home end pageup pagedown " +
  Array.from({ length: 24 }, (_, i) => `f${i + 1}`).join(" ")
).split(" ");
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["enter", "return"],
  ["esc", "escape"],
  ["del", "delete"],
  ["ins", "insert"],
  ["bs", "backspace"],
  ["pgup", "pageup"],
  ["pgdn", "pagedown"],
  ["pgdown", "pagedown"],
]);
const MODIFIERS: ReadonlyMap<string, string> = new Map([
  ["ctrl", "ctrl"],
  ["control", "ctrl"],
  ["c", "ctrl"],
  ["alt", "alt"],
  ["meta", "alt"],
  ["option", "alt"],
  ["m", "alt"],
  ["shift", "shift"],
  ["s", "shift"],
]);

/**
 * A key as people write it (`Ctrl+K`, `C-k`, `Shift+Enter`) to the form of keymaps, or why it is none. `capitals`: letters are keys, no
 * text, and `G` is another one than `g`.
 */
export function readKeyName(written: string, capitals = false): { id: string } | { problem: string } {
  const [, letter] = (capitals ? /^(?:shift\+(?=\p{L}$))?(\p{L})$/iu.exec(written) : null) ?? [];
  if (letter !== undefined && (letter !== written || letter !== letter.toLowerCase()))
    return { id: `shift+${letter.toLowerCase()}` };
  const parts = written === "+" || written === "-" ? [written] : written.split(/[+-](?=.)/);
  const last = parts.pop() ?? "";
  const mods = new Set<string>();
  for (const part of parts) {
    const mod = MODIFIERS.get(part.toLowerCase());
    if (mod === undefined) return { problem: `${JSON.stringify(part)} is no modifier; there are ctrl, alt and shift` };
    mods.add(mod);
  }
  const lower = last.toLowerCase();
  const name = ALIASES.get(lower) ?? lower;
  const sign = Array.from(name).length === 1 && name !== " ";
  if (!sign && !NAMED.includes(name)) {
    const near = nearest(name, [...NAMED, ...ALIASES.keys()]);
    return {
      problem: `no such key; ${near === undefined ? "such as ctrl+k, alt+enter, f5" : `did you mean ${near}?`}`,
    };
  }
  // A sign comes with its shift in it: `?`, not `shift+/`.
  if (sign && mods.has("shift") && !mods.has("ctrl") && !mods.has("alt"))
    return { problem: "with a sign shift is part of it: write the sign" };
  return { id: [...["ctrl", "alt", "shift"].filter((mod) => mods.has(mod)), name].join("+") };
}

/** Ctrl with these is a key of its own where a terminal tells no more. */
const SAME = new Map([
  ["ctrl+i", "Tab"],
  ["ctrl+m", "Enter"],
  ["ctrl+[", "Esc"],
]);
const CURSOR = /^(?:up|down|left|right|home|end|pageup|pagedown|insert|delete|f\d+)$/;

/**
 * Why a terminal that tells keys apart only as terminals always did can't send this one; undefined: it can. For one that speaks kitty's
 * protocol, or has modifyOtherKeys on, every key can be sent.
 */
export function unsendable(id: string): string | undefined {
  for (const key of id.split(" ")) {
    const mods = key.split("+").slice(0, -1);
    const name = key.endsWith("+") ? "+" : (key.split("+").at(-1) ?? "");
    const same = SAME.get(key);
    if (same !== undefined) return `is ${same} there`;
    if (mods.length === 0 || CURSOR.test(name)) continue;
    if (key === "shift+tab") continue;
    if (mods.includes("shift")) return "comes without its Shift there";
    if (mods.includes("ctrl") && name === "backspace") return "is Backspace or Ctrl+H there";
    if (mods.includes("ctrl") && !/^(?:[a-z@[\\\]^_/]|space)$/.test(name)) return "comes without its Ctrl there";
  }
  return undefined;
}
