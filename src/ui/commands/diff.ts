import type { Changed } from "../../session/looks.ts";
import { diffLines } from "../render/diff.ts";
import { reviewOf } from "../review/text.ts";
import type { Command, CommandContext } from "./command.ts";
import { tell } from "./tell.ts";

export const diffCommand: Command = {
  name: "diff",
  args: "[commit|STEP]",
  text: "What this session changed so far, one of its steps, or all since the last commit, file by file",
  always: true,
  run: async (args, context) => {
    const step = args.trim() === "" ? undefined : args.trim();
    if (step === "commit") return sinceCommit(context);
    const changed = await context.session.looks.changed(step);
    if (changed === undefined) return tell(context, `There is no step ${step}. /changes lists the steps.`, "error");
    if (changed.diffs.length === 0) return tell(context, "Nothing of this session is in your folder.");
    return show(changed, context);
  },
};

async function sinceCommit(context: CommandContext): Promise<void> {
  const changed = await context.session.looks.sinceCommit();
  if (typeof changed === "string") return tell(context, `It can't be told: ${changed}.`, "error");
  if (changed.diffs.length === 0) return tell(context, "Your folder is as the last commit has it.");
  return show(changed, context);
}

async function show({ title, diffs }: Changed, context: CommandContext): Promise<void> {
  if (context.covers !== undefined) return context.covers.changes(reviewOf(title, diffs));
  context.say((width) => diffLines(diffs, { width, exact: true }));
}
