import type { InputEvent, Key } from "./key.ts";
import { actionOf, type Action, type Context, type Keymap } from "./keymap.ts";

/** A key event with what it means to the layer that is asked. */
export interface KeyPress {
  action: Action | undefined;
  key: Key;
  event: Extract<InputEvent, { kind: "key" }>;
}

/** Something that takes keys. A layer that returns false lets the one below have the event. */
export interface Layer {
  context: Context;
  key(press: KeyPress): boolean;
  paste?(event: Extract<InputEvent, { kind: "paste" }>): boolean;
}

export interface Focus {
  /** Puts a layer on top; returns what takes it away again, wherever it is then. */
  push(layer: Layer): () => void;
  /** Gives an event to the layers, top first; true when one took it. */
  dispatch(event: InputEvent, keymap: Keymap): boolean;
  top(): Layer | undefined;
}

/** The stack of layers; the last pushed is asked first. */
export function createFocus(): Focus {
  const layers: Layer[] = [];
  return {
    push(layer) {
      layers.push(layer);
      return () => {
        const at = layers.lastIndexOf(layer);
        if (at >= 0) layers.splice(at, 1);
      };
    },
    dispatch(event, keymap) {
      return layers.toReversed().some((layer) => offer(layer, event, keymap));
    },
    top: () => layers.at(-1),
  };
}

function offer(layer: Layer, event: InputEvent, keymap: Keymap): boolean {
  if (event.kind === "paste") return layer.paste?.(event) ?? false;
  if (event.kind !== "key") return false;
  return layer.key({ action: actionOf(keymap, layer.context, event.key), key: event.key, event });
}
