import type { HookReport, HookRow } from "../../session/live-hooks.ts";
import type { Session } from "../../session/session.ts";
import { visible } from "../../util/visible.ts";
import type { Command } from "./command.ts";
import { report, tell } from "./tell.ts";

/** What the person last looked at, by session: nothing else is approved. */
const shown = new WeakMap<Session, HookReport>();

/** The hooks that count, what their files say by now, and the person's word on it (H3). */
export const hooksCommand: Command = {
  name: "hooks",
  args: "[approve]",
  text: "Your programs that run at certain moments; approves changed ones",
  always: true,
  run: async (args, context) => {
    const { hooks } = context.session;
    if (args === "approve") {
      const seen = shown.get(context.session);
      if (seen !== undefined) return report(context, await hooks.approve(seen));
      tell(context, "Look at them first:");
    } else if (args !== "")
      return tell(context, "/hooks shows them, /hooks approve takes what their files say now.", "error");
    const found = hooks.report();
    shown.set(context.session, found);
    for (const { text, style } of hookLines(found)) tell(context, text, style);
  },
};

/** The report, row by row. Pure. */
export function hookLines({
  rows,
  hash,
  changed,
  problem,
  notices,
}: HookReport): { text: string; style: "dim" | "warning" | "error" }[] {
  const dim = (text: string) => ({ text, style: "dim" as const });
  const warn = (text: string) => ({ text, style: "warning" as const });
  const all =
    rows.length === 0
      ? [dim("There are no hooks. docs/hooks.md says how to write some.")]
      : rows.map((row) => (row.held ? warn : dim)(rowText(row)));
  const news =
    changed === undefined
      ? []
      : [
          warn("The files say something else by now, which does not count yet:"),
          ...changed.removed.map((row) => warn(`- ${rowText(row)}`)),
          ...changed.added.map((row) => warn(`+ ${rowText(row)}`)),
          warn("/hooks approve takes this over, all of it."),
        ];
  return [
    ...all,
    ...(rows.length === 0 ? [] : [dim(`set ${hash.slice(0, 12)}, as it was when the session was opened or approved`)]),
    ...notices.map((notice) => warn(visible(notice, ""))),
    ...(problem === undefined
      ? []
      : [{ text: `The files can't be read, so nothing changes: ${visible(problem, " ")}`, style: "error" as const }]),
    ...news,
  ];
}

/** Every sign of the command is visible: the person approves what it says. */
function rowText({ event, matcher, name, command, source, file, timeoutMs, inCopy, held, last }: HookRow): string {
  const what = command === "" ? `${name} (of the program)` : visible(command, "");
  const where = file === "" ? "" : `, ${visible(file, "")}`;
  const how = `${source}${where}, ${timeoutMs / 1000} s${inCopy ? ", in the copy" : ""}`;
  const ran =
    last === undefined
      ? "not run yet"
      : `last at ${last.at.slice(11, 19)}: ${last.failed ?? (last.exit === null ? "answered" : `exit ${last.exit}`)}${last.durationMs === undefined ? "" : `, ${last.durationMs} ms`}`;
  return `${event} [${matcher === "" ? "all" : visible(matcher, "")}] ${what}  (${how}; ${held ? "held back until you trust this folder" : visible(ran, "")})`;
}
