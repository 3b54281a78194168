/**
 * One key press. `name`: the character in lower case, or one of return tab backspace delete insert escape space up down left
 * right home end pageup pagedown f1…f24. `text`: what it would type, when ctrl and alt are up. `shift` is told where the
 * terminal tells it; for characters other than letters it is part of the character and false here.
 */
export interface Key {
  name: string;
  text?: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
}

export type InputEvent =
  /**
   * `chunk`: number of the read that brought it. `at`: clock's time when its first byte came. `alone`: nothing else came
   * in the same read, which is how a person's key arrives and typed-ahead text doesn't.
   */
  | {
      kind: "key";
      key: Key;
      chunk: number;
      at: number;
      alone: boolean;
      /** When its last byte came, where that was in a later read than its first. */
      until?: number;
    }
  /** Line ends are `\n`. `at`: when its last byte came. */
  | { kind: "paste"; text: string; chunk: number; at: number }
  /** The terminal answered a query or reported something; `text` is the whole sequence. Never typed. */
  | { kind: "reply"; text: string; at: number }
  | { kind: "focus"; on: boolean; at: number };

/** A key by its parts; for keymaps, tests and tables. */
export function makeKey(name: string, mods: Partial<Pick<Key, "text" | "ctrl" | "alt" | "shift">> = {}): Key {
  return { name, ctrl: false, alt: false, shift: false, ...mods };
}

/** `ctrl+alt+shift+name`, the form that keymaps use. Shift is left out for a key that types text. */
export function keyId(key: Key): string {
  const shift = key.shift && key.text === undefined;
  return `${key.ctrl ? "ctrl+" : ""}${key.alt ? "alt+" : ""}${shift ? "shift+" : ""}${key.name}`;
}

/** The key of a character that was typed, with the modifiers that the terminal told. */
export function charKey(char: string, ctrl = false, alt = false, shift = false): Key {
  const lower = char.toLowerCase();
  const letter = lower !== char.toUpperCase();
  const name = char === " " ? "space" : lower;
  const shifted = letter ? shift || char !== lower : char === " " && shift;
  if (ctrl || alt) return { name, ctrl, alt, shift: shifted };
  const upper = char.toUpperCase();
  return { name, text: letter && shift && upper.length === char.length ? upper : char, ctrl, alt, shift: shifted };
}

/** The key of a C0 control or DEL, as terminals have sent them since ever. */
export function controlKey(code: number, alt = false): Key {
  const plain = (name: string): Key => ({ name, ctrl: false, alt, shift: false });
  if (code === 0x0d) return plain("return");
  if (code === 0x09) return plain("tab");
  if (code === 0x1b) return plain("escape");
  if (code === 0x7f) return plain("backspace");
  const name = code === 0 ? "space" : String.fromCharCode(code + 0x40).toLowerCase();
  return { name, ctrl: true, alt, shift: false };
}
