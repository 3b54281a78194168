import { PlainText } from "./plain-text.ts";

/** Characters that nobody has read yet and that are kept; more is in the file. */
const UNREAD = 400_000;

/** What a background shell says between two reads: bounded, the newest kept. */
export class Unread {
  #text = "";
  #dropped = 0;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length <= UNREAD * 2) return;
    const cut = this.#text.length - UNREAD;
    this.#dropped += cut;
    this.#text = this.#text.slice(cut);
  }

  get size(): number {
    return this.#text.length;
  }

  /** All of it as a terminal would show it, which counts as read then; `dropped`: characters before it that are in the file only. */
  take(): { text: string; dropped: number } {
    const plain = new PlainText();
    const taken = { text: plain.add(this.#text) + plain.end(), dropped: this.#dropped };
    this.#text = "";
    this.#dropped = 0;
    return taken;
  }
}
