import type { RewindPoint } from "../../session/session.ts";
import type { Choice } from "../prompt/panel.ts";
import { cleanRow } from "../render/clean.ts";
import { ageWords } from "../render/menu.ts";
import type { Command, CommandContext } from "./command.ts";
import { tell } from "./tell.ts";

export const forkCommand: Command = {
  name: "fork",
  args: "[here]",
  text: "Goes on in a copy of this session, from here or from before a message",
  run: async (args, context) => {
    if (args !== "" && args !== "here")
      return tell(context, "/fork asks from where; /fork here goes on from here.", "error");
    const point = args === "here" ? "here" : await askPoint(context);
    if (point === undefined) return tell(context, "Nothing was forked.");
    if (point === "here") return context.fork();
    await context.fork(point.to);
    context.draft(point.text);
  },
};

export const renameCommand: Command = {
  name: "rename",
  args: "NAME",
  text: "Names this session",
  run: async (args, context) => {
    if (args === "") return tell(context, "Say the name too: /rename NAME", "error");
    await context.session.rename(args);
    tell(context, `This session is named ${context.session.state().name ?? args}.`);
  },
};

export const exportCommand: Command = {
  name: "export",
  args: "[md|json|html] [FILE]",
  text: "Writes the conversation to a new file",
  always: true,
  run: async (args, context) => {
    const [, format, rest = ""] = /^(md|json|html)?\s*([^]*)$/.exec(args) ?? [];
    // `/export notes.md` names a file alone.
    const named = format !== undefined && args.length > format.length && !/^\s/.test(args.slice(format.length));
    const path = await context.exportTo(
      named ? undefined : format,
      named ? args : rest.trim() === "" ? undefined : rest.trim(),
    );
    tell(context, `Written to ${path}`);
  },
};

/** Here, or a message: the newest first. undefined: the person left it. */
async function askPoint(context: CommandContext): Promise<RewindPoint | "here" | undefined> {
  const points = context.session.rewindPoints();
  const now = Date.parse(context.session.state().lastAt);
  const chosen = await context.choose({
    title: "Go on in a copy of this session from where?",
    body: () => [],
    choices: [
      { id: "here", label: "from here", more: "all that was said" },
      ...points.toReversed().map((point) => pointChoice(point, now)),
    ],
  });
  return chosen === "here" ? chosen : points.find((point) => String(point.to) === chosen);
}

function pointChoice({ to, text, at }: RewindPoint, now: number): Choice {
  const age = Number.isNaN(Date.parse(at)) ? "" : `, ${ageWords(Math.max(0, now - Date.parse(at)))} earlier`;
  return { id: String(to), label: `before "${cleanRow(text).slice(0, 70)}"`, more: `files stay as they are${age}` };
}
