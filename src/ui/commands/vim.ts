import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

/** The Vim keys for this screen (IN-7). */
export const vimCommand: Command = {
  name: "vim",
  text: "Vim keys in the composer, on or off",
  always: true,
  run: async (_args, context) => {
    if (context.vim === undefined) return tell(context, "A front-end of lines has no Vim keys.", "error");
    tell(
      context,
      context.vim()
        ? 'Vim keys are on: Esc for commands, i to write. "editor": { "vim": true } in your settings keeps them.'
        : "Vim keys are off.",
    );
  },
};
