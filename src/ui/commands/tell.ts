import type { ChangeReport } from "../../session/session.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import type { Style } from "../theme.ts";
import type { CommandContext } from "./command.ts";

/** A row of plain words. */
export function tell(context: Pick<CommandContext, "say">, text: string, style: Style = "dim"): void {
  context.say((width): Line[] => wrap(line(cleanRow(text), style), { width }));
}

/** What a change of the folder came to. */
export function report(context: CommandContext, { ok, text }: ChangeReport): void {
  tell(context, text, ok ? "dim" : "error");
}
