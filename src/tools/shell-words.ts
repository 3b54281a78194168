import { createContext, runInContext } from "node:vm";
import type { GroupEnd } from "../events/event.ts";
import type { Group } from "../sandbox/group.ts";
import { showPath } from "../util/bytes.ts";
import { quoted } from "../util/quoted.ts";
import { visible } from "../util/visible.ts";
import type { Change } from "../workspace/change.ts";

/** A pattern that takes longer is refused: JavaScript's own engine knows no bound. */
const FILTER_MS = 500;
const NAMED = 20;

/** How a background shell ended, in words. */
export function endWords({ reason, code, signal, limit }: GroupEnd): string {
  switch (reason) {
    case "exit":
      return code === null ? `ended by ${signal ?? "a signal"}` : `ended, exit code ${code}`;
    case "killed":
      return "ended: it was stopped";
    case "limit":
      return `ended: ${limit ?? "a limit was reached"}`;
    case "lost":
      return "ended with the program";
  }
}

/** Lines that a pattern matches, or why it can't be used. */
export function matching(text: string, pattern: string): { lines: string } | { why: string } {
  const lines = text.split("\n");
  try {
    // Only here can it be stopped in the middle of a match.
    const context = createContext({ lines, pattern });
    const found: unknown = runInContext(
      "const wanted = new RegExp(pattern); lines.map((line) => wanted.test(line))",
      context,
      {
        timeout: FILTER_MS,
      },
    );
    const hits = Array.isArray(found) ? found : [];
    return { lines: lines.filter((_, n) => hits[n] === true).join("\n") };
  } catch (error) {
    // Errors of another context are no instances of this one's.
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return { why: "the filter takes too long; use a simpler pattern" };
    return { why: `the filter is no regular expression (${String(message)})` };
  }
}

/** Head and tail of a long text, cut at line ends where those are near. */
export function bounded(text: string, limit: number, file: string): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const head = text.slice(0, half);
  const tail = text.slice(-half);
  const cutHead = head.slice(0, head.lastIndexOf("\n") + 1) || head;
  const cutTail = tail.slice(tail.indexOf("\n") + 1) || tail;
  return `${cutHead}[${text.length - cutHead.length - cutTail.length} characters left out here. Whole output: ${file}]\n${cutTail}`;
}

/** Changes that are not in the folder yet, in a line. */
export function changeWords(changes: readonly Change[]): string {
  const names = changes.slice(0, NAMED).map((c) => `${c.op} ${quoted(showPath(c.path))}`);
  const more = changes.length > NAMED ? `, and ${changes.length - NAMED} more` : "";
  return `${names.join(", ")}${more}`;
}

/** What stands between a group and the folder, for the model. */
export function troubleWords(group: Group): string[] {
  const clashes = [...group.clashes].map((path) => quoted(showPath(path.slice(path.indexOf("/") + 1))));
  const both = `Changed by the shell and in the folder, so each has its own: ${clashes.slice(0, NAMED).join(", ")}`;
  const trouble = `The newest changes of the folder could not be shown to the shell: ${visible(group.trouble ?? "", "")}. Start it again to see them`;
  return [...(clashes.length === 0 ? [] : [both]), ...(group.trouble === undefined ? [] : [trouble])];
}
