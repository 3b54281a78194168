import { diffLines } from "../render/diff.ts";
import { reviewOf } from "../review/text.ts";
import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

export const diffCommand: Command = {
  name: "diff",
  args: "[STEP]",
  text: "What this session changed so far, or one of its steps, file by file",
  always: true,
  run: async (args, context) => {
    const step = args.trim() === "" ? undefined : args.trim();
    const changed = await context.session.looks.changed(step);
    if (changed === undefined) return tell(context, `There is no step ${step}. /changes lists the steps.`, "error");
    if (changed.diffs.length === 0) return tell(context, "Nothing of this session is in your folder.");
    if (context.covers !== undefined) return context.covers.changes(reviewOf(changed.title, changed.diffs));
    context.say((width) => diffLines(changed.diffs, { width, exact: true }));
  },
};
