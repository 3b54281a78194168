import type { CommandContext } from "../commands/command.ts";
import { keyLines } from "../commands/keys.ts";
import type { ControllerOptions } from "./options.ts";

/** What commands may show and change of keys, colours and the machine. */
export function lookOf({ keys, themes, doctor }: ControllerOptions): Pick<CommandContext, "doctor" | "keys" | "theme"> {
  if (keys === undefined) return { theme: themes, doctor };
  const { file } = keys;
  return {
    theme: themes,
    doctor,
    keys: (width) => keyLines({ keymap: keys.keymap(), allKeys: keys.allKeys(), file }, width),
  };
}
