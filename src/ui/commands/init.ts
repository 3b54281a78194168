import { line, wrap } from "../render/spans.ts";
import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

/** What the model is asked for; the person sees it, may change it, and sends it. */
const WORDS = `Write AGENTS.md for this folder: what someone who has never seen it must know to work in it well. Look first: the README, manifests, scripts, CI files, tests, and instructions that are there already (AGENTS.md, CLAUDE.md, .cursorrules, copilot-instructions); where there is one, improve it and keep what holds.
Say, in under 60 lines: the commands that build, test (one test, too) and lint, each as you saw it work here; how the code is laid out and what must not depend on what; conventions that differ from what is usual; traps. Leave out what the code says by itself, general advice, and whatever you did not see. No keys, no names of people.`;

/** `/init`: the message that has the model write the folder's instructions; what it writes is asked about as any change (U6). */
export const initCommand: Command = {
  name: "init",
  text: "Has the model write AGENTS.md, after a look around",
  run: async (_args, context) => {
    if (context.send !== undefined) {
      const body = (width: number) => wrap(line(WORDS), { width });
      const chosen = await context.choose({
        title: "Send this message?",
        body,
        choices: [{ id: "send", label: "send it" }],
      });
      if (chosen === "send") context.send(WORDS);
      return;
    }
    context.draft(WORDS);
    tell(context, "Change it as you like; Enter sends it. What the model writes is shown before it lands.");
  },
};
