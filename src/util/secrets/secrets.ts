import { stripVTControlCharacters } from "node:util";
import { Finder } from "./find.ts";
import { Placeholders } from "./placeholder.ts";
import { asItComes, KeyStream, type TextMask } from "./stream.ts";

/** Shorter texts hold no key. */
const LEAST = 8;

/**
 * The one who knows what a key is and what stands for it, in place of every key that reaches log, model, files of the program's own
 * or screen. Nothing here is saved.
 */
export interface Secrets {
  /** A whole text with placeholders for its keys. Idempotent. */
  mask(text: string): string;
  /** The same for a text that comes in pieces. */
  stream(): TextMask;
  /** Placeholders in a text, each once, in order. */
  placeholders(text: string): readonly string[];
  /** What the placeholders of a file's text stand for there. */
  valuesIn(text: string): ReadonlyMap<string, string>;
  /** A value that is a key from now on, whatever its form. */
  learn(value: string): void;
}

export interface SecretsOptions {
  /** The person's key of the logs' chain. */
  key: Uint8Array;
  /** Values that are keys whatever their form, of the environment. */
  values?: readonly string[];
  /** False: nothing is masked; placeholders of before are known all the same. */
  on?: boolean;
}

/** Pure but for what it learns. */
export function makeSecrets({ key, values = [], on = true }: SecretsOptions): Secrets {
  const names = new Placeholders(key);
  const known = new Set(values);
  let finder = new Finder([...known]);
  const once = (text: string): string => {
    const { spans } = finder.find(text);
    if (spans.length === 0) return text;
    let at = 0;
    const parts = spans.flatMap(({ from, to }) => {
      const part = [text.slice(at, from), names.of(text.slice(from, to))];
      at = to;
      return part;
    });
    return parts.join("") + text.slice(at);
  };
  return {
    mask(text) {
      if (!on || text.length < LEAST) return text;
      let masked = once(text);
      // What a placeholder parts may be a key now that stands apart.
      for (let before = text, n = 0; masked !== before && n < 3; n++) [before, masked] = [masked, once(masked)];
      return masked;
    },
    stream: () => (on ? new KeyStream(finder, (value) => names.of(value)) : asItComes),
    placeholders: (text) => names.in(text),
    valuesIn(text) {
      const found = finder.find(text).spans.map(({ from, to }) => text.slice(from, to));
      return new Map(found.map((value) => [names.of(value), value]));
    },
    learn(value) {
      if (known.has(value)) return;
      known.add(value);
      finder = new Finder([...known]);
    },
  };
}

/** Escape sequences that a piece of output may end in the middle of. */
const CUT = /\x1b(?:[[\]P^_X][^\x07\x1b\x40-\x7e]{0,200})?$/;

/** For live output: colours within a key don't hide it. */
export function liveMask(secrets: Secrets): TextMask {
  const mask = secrets.stream();
  let cut = "";
  return {
    push(piece) {
      const text = cut + piece;
      if (!text.includes("\x1b")) return mask.push(text);
      cut = CUT.exec(text)?.[0] ?? "";
      return mask.push(stripVTControlCharacters(text.slice(0, text.length - cut.length)));
    },
    end: () => mask.end() + cut,
  };
}
