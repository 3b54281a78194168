import { charKey, controlKey, type Key } from "./key.ts";

/** What a complete control sequence means. `none`: known and without effect (a key's release, the mouse). */
export type Meaning =
  | { kind: "key"; key: Key }
  | { kind: "reply" }
  | { kind: "focus"; on: boolean }
  | { kind: "paste-start" }
  | { kind: "none" };

const NONE: Meaning = { kind: "none" };
const REPLY: Meaning = { kind: "reply" };

const LETTERS: Record<string, string> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "begin",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};
/** `CSI n ~`. */
const NUMBERS: Record<number, string> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  ...Object.fromEntries([11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24].map((n, i) => [n, `f${i + 1}`])),
};
/** Kitty's private-use codes that stand for keys we know by another name. */
const PRIVATE: Record<number, string> = {
  ...Object.fromEntries("0123456789./*-+".split("").map((c, i) => [57399 + i, c])),
  57414: "return",
  57415: "=",
  57416: ",",
  ...Object.fromEntries(
    ["left", "right", "up", "down", "pageup", "pagedown", "home", "end", "insert", "delete"].map((n, i) => [
      57417 + i,
      n,
    ]),
  ),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [57376 + i, `f${i + 13}`])),
};

/** Bits of a modifier parameter, which is one more than their sum; undefined where the window system's own key is down. */
function modifiers(parameter: number): { ctrl: boolean; alt: boolean; shift: boolean } | undefined {
  const bits = Math.max(0, parameter - 1);
  if ((bits & (8 | 16)) !== 0) return undefined;
  return { shift: (bits & 1) !== 0, alt: (bits & (2 | 32)) !== 0, ctrl: (bits & 4) !== 0 };
}

function named(name: string, parameter: number): Meaning {
  const mods = modifiers(parameter);
  return mods === undefined ? NONE : { kind: "key", key: { name, ...mods } };
}

/** Keys that were one with a control character ever since, and are told apart only here: Ctrl-[ is Esc, Ctrl-I Tab, Ctrl-M Enter. */
const SAME: Readonly<Record<number, number>> = { 91: 27, 105: 9, 109: 13 };

/** A key told by its code point (kitty's `u`, xterm's `27;m;c~`, which tells the shifted character). */
function coded(code: number, parameter: number, shifted?: number, text?: string): Meaning {
  const mods = modifiers(parameter);
  if (mods === undefined || code > 0x10ffff) return NONE;
  const { ctrl, alt, shift } = mods;
  const name = PRIVATE[code];
  if (name !== undefined && name.length > 1) return named(name, parameter);
  if (name === undefined && code >= 57344 && code <= 63743) return NONE;
  const same = SAME[code];
  if (same !== undefined && ctrl && !shift) return { kind: "key", key: controlKey(same, alt) };
  if (code === 13 || code === 9 || code === 27 || code === 127) {
    return { kind: "key", key: { ...controlKey(code), ctrl, alt, shift } };
  }
  if (code < 32) return { kind: "key", key: { ...controlKey(code), alt, shift } };
  const char = name ?? String.fromCodePoint(shift && shifted !== undefined ? shifted : code);
  const key = charKey(char, ctrl, alt, shift);
  // Without the shifted form only the terminal's layout knows it: Ctrl+Shift+- must not look like Ctrl+-.
  const unknownShift = shift && shifted === undefined && key.text === undefined;
  if (unknownShift) return { kind: "key", key: { ...key, shift } };
  return { kind: "key", key: key.text === undefined || text === undefined ? key : { ...key, text } };
}

/** `CSI code:shifted:base ; mods:event ; text u` */
function kitty(params: string): Meaning {
  if (/^[?<>=]/.test(params)) return REPLY;
  const [codes = "", mods = "", texts = ""] = params.split(";");
  const [code = "", shifted = ""] = codes.split(":");
  const [mod = "", event = ""] = mods.split(":");
  if (code === "" || event === "3") return NONE;
  const text =
    texts === ""
      ? undefined
      : texts
          .split(":")
          .map((c) => String.fromCodePoint(Math.min(Number(c) || 0xfffd, 0x10ffff)))
          .join("");
  return coded(Number(code), Number(mod || 1), shifted === "" ? undefined : Number(shifted), text);
}

function tilde(numbers: readonly number[]): Meaning {
  const [n = 0, mod = 1, code = 0] = numbers;
  if (n === 200) return { kind: "paste-start" };
  if (n === 27 && numbers.length >= 3) return coded(code, mod, code);
  const name = NUMBERS[n];
  return name === undefined ? NONE : named(name, mod);
}

/** Meaning of `CSI params intermediates final`. */
export function csi(params: string, intermediates: string, final: string): Meaning {
  if (final === "u" && intermediates === "") return kitty(params);
  if (params.startsWith(">")) return REPLY;
  if (intermediates !== "" || /^[?<=]/.test(params)) return final === "M" || final === "m" ? NONE : REPLY;
  const events = params.split(";")[1]?.split(":")[1];
  if (events === "3") return NONE;
  const numbers = params === "" ? [] : params.split(";").map((p) => Number.parseInt(p, 10) || 0);
  if (final === "~") return tilde(numbers);
  if (final === "Z") return { kind: "key", key: { name: "tab", ctrl: false, alt: false, shift: true } };
  if (params === "" && (final === "I" || final === "O")) return { kind: "focus", on: final === "I" };
  // A cursor position report looks like F3 with a modifier; nobody needs that key.
  if (final === "c" || final === "n" || final === "t" || (final === "R" && numbers.length > 1)) return REPLY;
  const name = LETTERS[final];
  if (name !== undefined) return named(name, numbers[1] ?? 1);
  // rxvt: lower case is shift.
  if (/^[abcd]$/.test(final)) return named(LETTERS[final.toUpperCase()] ?? "", 2);
  if (final === "^") return named(NUMBERS[numbers[0] ?? 0] ?? "unknown", 5);
  return REPLY;
}

/** Meaning of `SS3 modifier? final`, or undefined when it is none. */
export function ss3(modifier: string, final: string): Meaning | undefined {
  if (final === "M") return named("return", Number(modifier || 1));
  const name = LETTERS[final];
  return name === undefined ? undefined : named(name, Number(modifier || 1));
}
