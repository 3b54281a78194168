import { markdown } from "../render/markdown.ts";
import { cleanRow } from "../render/clean.ts";
import { line, truncate } from "../render/spans.ts";
import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

/** A question beside the conversation: answered from what the model knows by now, and forgotten. */
export const asideCommand: Command = {
  name: "btw",
  args: "QUESTION",
  text: "Asks beside the conversation: no tools, and it is not remembered",
  always: true,
  run: async (question, context) => {
    if (question === "") return tell(context, "Say the question too: /btw QUESTION", "error");
    const answer = await context.session.beside.ask(question);
    context.say((width) => [
      truncate([...line("beside the conversation: ", "dim"), ...line(cleanRow(question), "dim")], width),
      ...markdown(answer, width),
    ]);
  },
};
