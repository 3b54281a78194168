import { createHmac } from "node:crypto";

const FORM = /«key:([0-9a-f]{12})([0-9a-f]{4})»/g;

/**
 * Names that stand for keys: `«key:…»`, sixteen hexadecimal digits out of an HMAC with a key of the person's, so that the same value
 * has the same name in each of their sessions and nobody can tell the value, or try one, by it. The last four digits vouch for the
 * others: what only looks like a placeholder is text.
 */
export class Placeholders {
  readonly #key: Uint8Array;

  /** `key`: the person's, of the logs' chain. */
  constructor(key: Uint8Array) {
    this.#key = createHmac("sha256", key).update("placeholders of keys").digest();
  }

  of(value: string): string {
    const name = this.#digits("value", value, 12);
    return `«key:${name}${this.#digits("name", name, 4)}»`;
  }

  /** Those in a text, each once, in order. */
  in(text: string): string[] {
    if (!text.includes("«key:")) return [];
    const found = [...text.matchAll(FORM)].filter(([, name = "", check]) => this.#digits("name", name, 4) === check);
    return [...new Set(found.map(([whole]) => whole))];
  }

  #digits(what: string, text: string, count: number): string {
    return createHmac("sha256", this.#key).update(`${what}\0${text}`).digest("hex").slice(0, count);
  }
}
