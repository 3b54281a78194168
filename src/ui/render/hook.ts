import type { LogEventOf } from "../../events/event.ts";
import { hookWords } from "../../hooks/tell.ts";
import type { Line, Span } from "./spans.ts";

/** Rows of a hook's run; undefined where there is nothing to see. */
export function hookRows(
  event: LogEventOf<"hook.ran">,
  row: (text: string, style?: Span["style"]) => Line[],
): Line[] | undefined {
  const rows = hookWords(event);
  return rows.length === 0 ? undefined : rows.flatMap(({ text, style }) => row(text, style));
}
