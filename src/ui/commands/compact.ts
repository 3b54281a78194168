import type { CompactPreview } from "../../session/context.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { grouped } from "../render/units.ts";
import type { Command } from "./command.ts";
import { report, tell } from "./tell.ts";

/** Sums older messages up; says before what that would do, and takes it back (C4). */
export const compactCommand: Command = {
  name: "compact",
  args: "[WHAT TO KEEP | --preview | --restore [N]]",
  text: "Sums older messages up, to make room",
  options: () => ["--preview", "--restore"],
  run: async (args, context) => {
    const { context: sent } = context.session;
    if (args === "--preview") return context.say((width) => previewLines(sent.preview(), width));
    const [, n] = /^--restore(?:\s+(\d+))?$/.exec(args) ?? [];
    if (args.startsWith("--restore") && (n !== undefined || args === "--restore"))
      return report(context, await sent.restore(n === undefined ? undefined : Number(n)));
    if (args.startsWith("--"))
      return tell(
        context,
        `Not understood: ${args}. /compact, /compact WHAT TO KEEP, /compact --preview, /compact --restore.`,
        "error",
      );
    tell(context, "Summing up…");
    report(context, await sent.compact(args === "" ? undefined : args));
  },
};

/** What goes whole into every summary. */
export const pinCommand: Command = {
  name: "pin",
  args: "[TEXT | list | remove ID]",
  text: "Keeps a text, or the newest answer, whole in every summary",
  options: () => ["list", "remove"],
  always: true,
  run: async (args, context) => {
    const { context: sent } = context.session;
    const [, id] = /^remove\s+(\S+)$/.exec(args) ?? [];
    if (id !== undefined) return report(context, await sent.unpin(id));
    if (args !== "list") return report(context, await sent.pin(args === "" ? undefined : args));
    const pins = sent.pins();
    if (pins.length === 0) return tell(context, "Nothing is pinned. /pin pins the newest answer, /pin TEXT a text.");
    context.say((width) =>
      pins.flatMap((pin) => wrap(line(cleanRow(`${pin.id}  ${pin.text}`)), { width, rest: line("    ") })),
    );
  },
};

/** A fresh start from what a file holds (C7). */
export const handoffCommand: Command = {
  name: "handoff",
  args: "[FILE]",
  text: "Writes down where things stand, and the model starts afresh from it",
  run: async (args, context) => {
    tell(context, "Writing the handoff…");
    report(context, await context.session.context.handoff(args === "" ? undefined : args));
  },
};

/** What a compaction would do now. Pure. */
export function previewLines({ tokens, window, threshold, drops, stays }: CompactPreview, width: number): Line[] {
  const at = `${grouped(tokens)} of ${grouped(window)} tokens; by itself it begins at ${grouped(threshold)}.`;
  const what =
    drops === undefined
      ? "Nothing would be dropped: only the last turns are there."
      : `Would be dropped, about ${grouped(drops.tokens)} tokens, in exchange for a summary: ${drops.words}.`;
  return [
    ...wrap(line(at, "dim"), { width }),
    ...wrap(line(what), { width }),
    ...(drops === undefined ? [] : [line("Would stay:", "bold")]),
    ...(drops === undefined ? [] : stays).flatMap((words) =>
      wrap(line(`· ${cleanRow(words)}`), { width, rest: line("  ") }),
    ),
  ];
}
