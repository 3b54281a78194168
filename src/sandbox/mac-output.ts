import { toRaw } from "../util/bytes.ts";
import type { PathMap } from "./mac-profile.ts";
import { type Collected, Output } from "./output.ts";

/** Output in which the copies' paths are those of the person's folders, wherever the pieces are cut. */
export class MappedOutput extends Output {
  readonly #map: PathMap;
  readonly #needles: readonly string[];
  #held = "";

  constructor(limit: number, file: string, map: PathMap) {
    super(limit, file);
    this.#map = map;
    this.#needles = map.copies.map(toRaw);
  }

  override add(bytes: Uint8Array): string {
    const text = this.#held + Buffer.from(bytes).toString("latin1");
    const keep = Math.max(...this.#needles.map((needle) => endBegins(text, needle)), 0);
    this.#held = text.slice(text.length - keep);
    return super.add(this.#mapped(text.slice(0, text.length - keep)));
  }

  override finish(): Collected {
    super.add(this.#mapped(this.#held));
    this.#held = "";
    return super.finish();
  }

  #mapped(text: string): Uint8Array {
    return Buffer.from(this.#map.outsideIn(text, toRaw), "latin1");
  }
}

/** How many characters at the end of a text may be the begin of a needle, or the whole of it (what follows decides). */
function endBegins(text: string, needle: string): number {
  for (let length = Math.min(needle.length, text.length); length > 0; length--)
    if (text.endsWith(needle.slice(0, length))) return length;
  return 0;
}
