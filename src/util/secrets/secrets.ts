import { stripVTControlCharacters } from "node:util";
import { Finder } from "./find.ts";
import { Placeholders } from "./placeholder.ts";
import { asItComes, KeyStream, type TextMask } from "./stream.ts";

/** Shorter texts hold no key. */
const LEAST = 8;
/** What was a key once is one in any surroundings, unless it is so short that other text may hold it; no more than can be looked for at once. */
const LEAST_MET = 20;
const MOST_MET = 300;

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
  const met = new Map<string, string>();
  const named = (value: string): string => {
    const name = names.of(value);
    if (value.length >= LEAST_MET && met.size < MOST_MET) met.set(value, name);
    return name;
  };
  const once = (text: string): string => {
    const { spans } = finder.find(text);
    if (spans.length === 0) return text;
    let at = 0;
    const parts = spans.flatMap(({ from, to }) => {
      const part = [text.slice(at, from), named(text.slice(from, to))];
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
      for (const [value, name] of met) if (masked.includes(value)) masked = masked.replaceAll(value, name);
      return masked;
    },
    stream: () => (on ? new KeyStream(finder, named) : asItComes),
    placeholders: (text) => names.in(text),
    valuesIn(text) {
      const found = finder.find(text).spans.map(({ from, to }) => text.slice(from, to));
      const glued = [...met.keys()].filter((value) => text.includes(value));
      return new Map([...found, ...glued].map((value) => [names.of(value), value]));
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
