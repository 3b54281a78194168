import { keyId, makeKey, type InputEvent } from "./key.ts";
import type { Context, Keymap } from "./keymap.ts";

type KeyEvent = Extract<InputEvent, { kind: "key" }>;

/** What a key comes to: itself, a whole chord in one event, a chord that waits for more, or one that is bound to nothing. */
export type ChordStep = { event: KeyEvent } | { waits: string } | { nothing: string };

/**
 * Keys one after the other that mean something together, written with a blank between (`ctrl+x ctrl+e`). Comes before anything else is
 * made of a key; a whole chord goes on as one key of that name. Esc and Ctrl-C end one that waits.
 */
export function chordStep(pending: string | undefined, event: KeyEvent, keymap: Keymap, context: Context): ChordStep {
  const id = keyId(event.key);
  const path = pending === undefined ? id : `${pending} ${id}`;
  const bindings = [keymap[context], keymap.any];
  if (bindings.some((b) => Object.keys(b).some((other) => other.startsWith(`${path} `)))) return { waits: path };
  if (pending === undefined) return { event };
  if (bindings.some((b) => Object.hasOwn(b, path))) return { event: { ...event, key: makeKey(path) } };
  return { nothing: path };
}
