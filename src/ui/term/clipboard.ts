import { envelope } from "./notify.ts";

/** What terminals take at once; a longer text is cut or dropped without a word. */
export const CLIPBOARD_BYTES = 72_000;

/**
 * The bytes that put a text into the person's clipboard, over ssh too (OSC 52). undefined: it is too long for that. tmux takes them
 * itself where it is set to, and hands on what stands in its envelope where it is allowed to: it gets both.
 */
export function clipboardSequence(text: string, { tmux }: { tmux: boolean }): string | undefined {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > CLIPBOARD_BYTES) return undefined;
  const osc = `\x1b]52;c;${bytes.toString("base64")}\x07`;
  return tmux ? osc + envelope(osc) : osc;
}
