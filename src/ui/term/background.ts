import { luminance, type Rgb } from "../theme/colour.ts";

/**
 * Asks for the background's colour, and whether kitty's keyboard protocol or modifyOtherKeys is on; the last question is one that every
 * terminal answers. No style: an old terminal may take one of them for underlining.
 */
export const ASK_TERMINAL = "\x1b]11;?\x07\x1b[?u\x1b[?4m\x1b[m\x1b[c";

/** What a terminal said of itself. */
export interface TerminalWord {
  /** Its background is light. */
  light?: boolean;
  /** It tells keys apart that others send alike (kitty's protocol, or modifyOtherKeys). */
  allKeys?: boolean;
  /** It has answered the last question: what has not come by now does not come. */
  done?: boolean;
}

/** A reply as the tokenizer tells it; undefined: to nothing that was asked here. */
export function readReply(text: string): TerminalWord | undefined {
  const colour = /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(text);
  if (colour !== null) return { light: isLight(colour.slice(1, 4)) };
  if (/^\x1b\[\?\d+u$/.test(text)) return { allKeys: true };
  const other = /^\x1b\[>4;(\d)m$/.exec(text)?.[1];
  if (other !== undefined) return other === "0" ? {} : { allKeys: true };
  return /^\x1b\[\?[\d;]*c$/.test(text) ? { done: true } : undefined;
}

/** One to four hexadecimal digits a channel: a part of the most that these can say. */
function isLight(channels: readonly string[]): boolean {
  const [r = 0, g = 0, b = 0] = channels.map(
    (digits) => (Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255,
  );
  const rgb: Rgb = [r, g, b];
  // Where black and white are equally far.
  return luminance(rgb) > 0.179;
}
