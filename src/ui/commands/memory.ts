import { type MemoryFile, memoryLine } from "../../session/remember.ts";
import { paragraph } from "../prompt/panel.ts";
import { exactRow } from "../render/clean.ts";
import type { CommandContext } from "./command.ts";
import { report, tell } from "./tell.ts";

const WHOSE: Readonly<Record<MemoryFile["whose"], string>> = {
  project: "of this project, for everybody",
  local: "of this project, yours alone: keep it out of git",
  user: "of yours, for all projects",
};

/**
 * `# words`: asks which file of notes for the model they go to, with the line as it will stand there (IN-13). Gives false where the person
 * would rather send them as a message.
 */
export async function addToMemory(words: string, context: CommandContext): Promise<"added" | "message" | "left"> {
  const line = memoryLine(words);
  if (line === "- ") {
    tell(context, "Write what is to be remembered behind #.", "error");
    return "added";
  }
  const files = await context.session.beside.memory();
  const chosen = await context.choose({
    title: "Remember this in which file?",
    body: (width) => paragraph(`+ ${exactRow(line)}`, width, "added"),
    choices: [
      ...files.map((file) => ({
        id: file.id,
        label: exactRow(file.path),
        more: `${WHOSE[file.whose]}${file.exists ? "" : ", new"}`,
      })),
      { id: "#message", label: "none: send it as a message" },
    ],
  });
  if (chosen === "#message") return "message";
  const file = files.find(({ id }) => id === chosen);
  if (file === undefined) return "left";
  report(context, await context.session.beside.remember(file, line));
  return "added";
}
