import type { CommandContext } from "../commands/command.ts";
import { keyLines } from "../commands/keys.ts";
import type { ControllerOptions } from "./options.ts";

/** What commands may show and change of keys and colours. */
export function lookOf({ keys, themes }: ControllerOptions): Pick<CommandContext, "keys" | "theme"> {
  if (keys === undefined) return { theme: themes };
  const { file } = keys;
  return {
    theme: themes,
    keys: (width) => keyLines({ keymap: keys.keymap(), allKeys: keys.allKeys(), file }, width),
  };
}
