import { textOf } from "../../events/block.ts";
import type { CallState } from "../../events/state.ts";
import type { FileDiff } from "../../workspace/workspace.ts";

/**
 * What an Edit that nobody was asked about replaced, out of its input; numbered where its result names a line for each replacement. A part
 * of a line counts as that line.
 */
export function inputDiffs(call: CallState): FileDiff[] | undefined {
  if (call.tool !== "Edit") return undefined;
  const edits = Array.isArray(call.input["edits"]) ? call.input["edits"] : [call.input];
  const pairs = edits.flatMap((edit: unknown) => {
    if (typeof edit !== "object" || edit === null) return [];
    const before: unknown = Reflect.get(edit, "old_string");
    const after: unknown = Reflect.get(edit, "new_string");
    return typeof before === "string" && typeof after === "string" ? [{ before, after }] : [];
  });
  if (pairs.length === 0) return undefined;
  const starts = numbered(pairs, call);
  const hunks = pairs.map(({ before, after }, n) => ({
    ...(starts[n] ?? { oldStart: 0, newStart: 0 }),
    lines: [...marked("-", before), ...marked("+", after)],
  }));
  const path = typeof call.input["file_path"] === "string" ? call.input["file_path"] : "";
  return [{ root: 0, path, op: "modify", hunks, added: 0, removed: 0 }];
}

/** Where each edit begins in the file before and after all of them: its result names the lines of the text that all of them left. */
function numbered(
  pairs: readonly { before: string; after: string }[],
  { result }: CallState,
): { oldStart: number; newStart: number }[] {
  const told = / places?, lines? (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)\.$/m.exec(textOf(result?.content ?? []))?.[1];
  const lines = told?.split(", ").map((span) => Number.parseInt(span, 10)) ?? [];
  if (lines.length !== pairs.length) return [];
  const grown = pairs.map(({ before, after }) => after.split("\n").length - before.split("\n").length);
  return lines.map((newStart) => {
    const above = grown.filter((_, n) => (lines[n] ?? 0) < newStart);
    return { oldStart: newStart - above.reduce((sum, by) => sum + by, 0), newStart };
  });
}

function marked(sign: string, text: string): string[] {
  return text === "" ? [] : text.split("\n").map((row) => sign + row);
}
