import type { Session } from "../../session/session.ts";
import { exactRow } from "../render/clean.ts";
import { line, wrap } from "../render/spans.ts";
import type { Command, CommandContext } from "./command.ts";
import { read, tell } from "./tell.ts";

const USE =
  "/config lists what is set, /config KEY shows one, /config set KEY VALUE [--here] and /config unset KEY [--here] change your settings.";

/** `/config`: what `agent config` shows and does, from within. */
export const configCommand: Command = {
  name: "config",
  args: "[set|unset KEY VALUE]",
  text: "Settings with the files that they stand in; sets one",
  always: true,
  run: async (args, context) => {
    const { settings } = context.session;
    const here = /(?:^|\s)--here$/.test(args);
    const words = (here ? args.replace(/\s*--here$/, "") : args).trim();
    const [, verb, key, value] = /^(set|unset)\s+(\S+)(?:\s+([^]+))?$/.exec(words) ?? [];
    if (verb === undefined || key === undefined) return show(words, settings, context);
    if ((verb === "set") !== (value !== undefined)) return tell(context, USE, "error");
    try {
      tell(context, await settings.set(key, value, here));
    } catch (error) {
      tell(context, error instanceof Error ? error.message : String(error), "error");
    }
  },
};

async function show(key: string, settings: Session["settings"], context: CommandContext): Promise<void> {
  if (/\s/.test(key) || key === "set" || key === "unset") return tell(context, USE, "error");
  const rows = settings.rows(key === "" ? undefined : key);
  if (rows.length === 0) return tell(context, key === "" ? `Nothing is set. ${USE}` : `${key} is not set.`);
  await read(context, "settings", (width) =>
    rows.flatMap((row) => wrap(line(exactRow(row)), { width, rest: line("  ") })),
  );
}
