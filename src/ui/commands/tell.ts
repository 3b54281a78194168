import type { ChangeReport } from "../../session/session.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import type { Style } from "../theme.ts";
import type { CommandContext } from "./command.ts";

/** A row of plain words. */
export function tell(context: Pick<CommandContext, "say">, text: string, style: Style = "dim"): void {
  context.say((width): Line[] => wrap(line(cleanRow(text), style), { width }));
}

/** Rows to be read from their beginning: where they are more than a window, on a screen of their own. */
export async function read(
  context: Pick<CommandContext, "covers" | "say">,
  title: string,
  rows: (width: number) => Line[],
): Promise<void> {
  if (context.covers === undefined) context.say(rows);
  else await context.covers.text(title, rows);
}

/** What a change of the folder came to. */
export function report(context: CommandContext, { ok, text }: ChangeReport): void {
  tell(context, text, ok ? "dim" : "error");
}
