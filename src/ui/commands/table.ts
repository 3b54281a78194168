import type { Mode } from "../../events/effect.ts";
import { MODES } from "../../events/mode.ts";
import type { ChangeReport } from "../../session/session.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import type { Style } from "../theme.ts";
import { costLines } from "./cost.ts";
import type { Command, CommandContext } from "./command.ts";

/** Every slash command, in the order of the menu. */
export const COMMANDS: readonly Command[] = [
  {
    name: "help",
    text: "Commands and keys",
    always: true,
    run: async (_args, context) => context.say((width) => context.help(width)),
  },
  {
    name: "mode",
    args: "[plan|ask|auto]",
    text: "What is asked before it lands",
    always: true,
    run: async (args, context) => {
      const mode = MODES.find((m): m is Mode => m === args);
      if (args !== "" && mode === undefined)
        return tell(context, `No mode ${args}. There are plan, ask and auto.`, "error");
      if (mode === undefined)
        return tell(
          context,
          `This is ${context.session.state().mode} mode. /mode plan, /mode ask or /mode auto changes it.`,
        );
      await context.session.setMode(mode);
    },
  },
  {
    name: "model",
    args: "[name]",
    text: "The model that answers",
    run: async (args, context) => {
      if (args === "") return tell(context, `The model is ${context.session.state().model}. /model NAME changes it.`);
      await context.session.setModel(args);
    },
  },
  {
    name: "undo",
    text: "Takes back the newest step that landed",
    run: async (args, context) => report(context, await context.session.undo(args === "" ? undefined : args)),
  },
  {
    name: "redo",
    text: "Does what was undone again",
    run: async (args, context) => report(context, await context.session.redo(args === "" ? undefined : args)),
  },
  {
    name: "land",
    text: "Lands regenerable output that is kept in the copy",
    run: async (_args, context) => report(context, await context.session.land()),
  },
  {
    name: "resume",
    args: "[id]",
    text: "Goes on with another session",
    run: (args, context) => context.resume(args === "" ? undefined : args),
  },
  {
    name: "rename",
    args: "NAME",
    text: "Names this session",
    run: async (args, context) => {
      if (args === "") return tell(context, "Say the name too: /rename NAME", "error");
      await context.session.rename(args);
      tell(context, `This session is named ${args}.`);
    },
  },
  {
    name: "clear",
    text: "Forgets the conversation; files and undo stay",
    run: async (_args, context) => {
      await context.session.clear();
      tell(context, "The model starts afresh. What landed can still be undone.");
    },
  },
  {
    name: "cost",
    text: "Tokens and money so far",
    always: true,
    run: async (_args, context) => context.say((width) => costLines(context.session.cost(), width)),
  },
  {
    name: "exit",
    also: ["quit"],
    text: "Leaves; agent --resume comes back",
    always: true,
    run: async (_args, context) => context.exit(),
  },
];

/** A row of plain words. */
export function tell(context: Pick<CommandContext, "say">, text: string, style: Style = "dim"): void {
  context.say((width): Line[] => wrap(line(cleanRow(text), style), { width }));
}

function report(context: CommandContext, { ok, text }: ChangeReport): void {
  tell(context, text, ok ? "dim" : "error");
}
