import { charKey, controlKey } from "./key.ts";
import { csi, ss3, type Meaning } from "./sequences.ts";

const MAX_STRING = 1 << 20;

/** What stands at a place of the input: `length` characters that mean `meaning`, or more must come first. */
type Scan = { length: number; meaning: Meaning } | "more";

/** What begins at an Esc. */
export function escape(text: string, i: number): Scan {
  const next = text[i + 1];
  if (next === undefined) return "more";
  if (next === "\x1b") return escapeEscape(text, i);
  if (next === "[") return scanCsi(text, i);
  if (next === "O") return scanSs3(text, i);
  if (next === "]" || next === "P" || next === "_") return scanString(text, i, next);
  const code = next.charCodeAt(0);
  if (code < 0x20 || code === 0x7f) return { length: 2, meaning: { kind: "key", key: controlKey(code, true) } };
  const char = String.fromCodePoint(text.codePointAt(i + 1) ?? code);
  return { length: 1 + char.length, meaning: { kind: "key", key: charKey(char, false, true) } };
}

/** Two Escs are two keys; only before an arrow or an editing key is the first one Alt, as some terminals send it. */
function escapeEscape(text: string, i: number): Scan {
  const single: Scan = { length: 1, meaning: { kind: "key", key: controlKey(0x1b) } };
  const rest = text.slice(i + 1, i + 12);
  if (rest === "\x1b" || /^\x1b(\[\d?|O)$/.test(rest)) return "more";
  const alt = /^\x1b(?:\[[ABCDFH]|O[ABCDFH]|\[[1-8]~)/.exec(rest);
  if (alt === null) return single;
  const inner = escape(text, i + 1);
  if (inner === "more" || inner.meaning.kind !== "key") return single;
  return { length: 1 + inner.length, meaning: { kind: "key", key: { ...inner.meaning.key, alt: true } } };
}

function scanCsi(text: string, i: number): Scan {
  const linux = /^\[[A-E]/.exec(text.slice(i + 2, i + 4));
  if (linux !== null) {
    const name = `f${text.charCodeAt(i + 3) - 0x40}`;
    return { length: 4, meaning: { kind: "key", key: { name, ctrl: false, alt: false, shift: false } } };
  }
  if (text.slice(i + 2) === "[") return "more";
  const body = /^([\x30-\x3f]*)([\x20-\x2f]*)([\x40-\x7e]?)/.exec(text.slice(i + 2, i + 130));
  const [whole = "", params = "", intermediates = "", final = ""] = body ?? [];
  const length = 2 + whole.length;
  if (final === "") {
    // Something that can't be in a sequence: what came so far is dropped, the rest is read anew.
    return i + length >= text.length && length < 128 ? "more" : { length, meaning: { kind: "none" } };
  }
  if (final === "M" && whole === "M") return text.length < i + 6 ? "more" : { length: 6, meaning: { kind: "none" } };
  return { length, meaning: csi(params, intermediates, final) };
}

function scanSs3(text: string, i: number): Scan {
  const rest = text.slice(i + 2, i + 4);
  if (rest === "" || /^\d$/.test(rest)) return "more";
  const match = /^(\d?)([A-Z])/.exec(rest);
  const meaning = match === null ? undefined : ss3(match[1] ?? "", match[2] ?? "");
  if (match === null || meaning === undefined) return { length: 2, meaning: altChar("O") };
  return { length: 2 + match[0].length, meaning };
}

function altChar(char: string): Meaning {
  return { kind: "key", key: charKey(char, false, true) };
}

/** OSC, DCS and APC replies end with BEL or ST. What can't be a reply is Alt with that character. */
function scanString(text: string, i: number, kind: "]" | "P" | "_"): Scan {
  const first = text[i + 2];
  if (first === undefined) return "more";
  const opens = kind === "]" ? /[\d]/ : kind === "P" ? /[\d>!=?+$]/ : /G/;
  if (!opens.test(first)) return { length: 2, meaning: altChar(kind) };
  for (let j = i + 2; j < text.length; j++) {
    const code = text.charCodeAt(j);
    if (code === 0x07 || code === 0x9c) return { length: j + 1 - i, meaning: { kind: "reply" } };
    if (code === 0x1b) {
      if (text[j + 1] === undefined) return "more";
      return { length: (text[j + 1] === "\\" ? j + 2 : j) - i, meaning: { kind: "reply" } };
    }
    // A control can't be part of a reply: the person pressed a key while it was cut off.
    if (code < 0x20) return { length: j - i, meaning: { kind: "none" } };
  }
  return text.length - i > MAX_STRING ? { length: text.length - i, meaning: { kind: "none" } } : "more";
}
