import { textOf } from "../../events/block.ts";
import type { SessionState } from "../../events/state.ts";
import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

export const transcriptCommand: Command = {
  name: "transcript",
  text: "The whole session on a screen of its own: search, copy, full outputs",
  always: true,
  run: async (_args, context) => {
    if (context.covers === undefined)
      return tell(context, "This front-end shows all of it already; /export writes it to a file.");
    await context.covers.transcript();
  },
};

export const copyCommand: Command = {
  name: "copy",
  text: "Puts the last answer into the clipboard, as the model wrote it",
  always: true,
  run: async (_args, context) => {
    const words = lastAnswer(context.session.state());
    if (words === undefined) return tell(context, "There is no answer to copy yet.");
    if (context.covers === undefined)
      return tell(context, "A front-end of lines has no clipboard; /export writes a file.");
    tell(context, context.covers.copy(words));
  },
};

export const clearScrollbackCommand: Command = {
  name: "clear-scrollback",
  text: "Empties the terminal's scrollback; /transcript and the session keep everything",
  always: true,
  run: async (_args, context) => {
    if (context.covers === undefined) return tell(context, "A front-end of lines leaves the scrollback alone.");
    context.covers.clearScrollback();
  },
};

/** Raw Markdown of the newest reply that has words (T-6). */
export function lastAnswer({ items }: SessionState): string | undefined {
  const texts = items.flatMap((item) => (item.kind === "reply" ? [textOf(item.blocks).trim()] : []));
  return texts.findLast((words) => words !== "");
}
