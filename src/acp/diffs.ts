import { join } from "node:path";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { visible } from "../util/visible.ts";
import type { FileDiff, Hunk } from "../workspace/workspace.ts";

/** Files whose lines an editor gets as diffs; the question's own words name all of them, with every line. */
const MOST_FILES = 50;

/**
 * Changes as an editor draws them: each hunk with its lines before and after, what can't be seen written out, so that nothing is in it that
 * the eye misses. What has no text is told in words beside. `roots`: absolute paths, by their number. Pure.
 */
export function diffContent(diffs: readonly FileDiff[], roots: readonly string[]): ToolCallContent[] {
  return diffs.slice(0, MOST_FILES).flatMap((diff) => {
    const path = join(roots[diff.root] ?? "/", visible(diff.path, ""));
    return diff.hunks.map((hunk): ToolCallContent => ({ type: "diff", path, ...sides(hunk, diff.op) }));
  });
}

function sides({ lines }: Hunk, op: FileDiff["op"]): { oldText?: string; newText: string } {
  const before = textOf(lines, "+");
  const newText = textOf(lines, "-");
  return op === "create" ? { newText } : { oldText: before, newText };
}

/** The lines of one side: all but those of the other. */
function textOf(lines: readonly string[], other: "+" | "-"): string {
  const own: string[] = [];
  let ended = true;
  let last = "";
  for (const line of lines) {
    const sign = line[0] ?? " ";
    // It speaks of the line before it.
    if (sign === "\\") ended = last === other && ended;
    else if (sign !== other) {
      own.push(visible(line.slice(1), "\t"));
      ended = true;
    }
    last = sign;
  }
  return own.length === 0 ? "" : `${own.join("\n")}${ended ? "\n" : ""}`;
}
