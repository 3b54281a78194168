import { text, type ContentBlock } from "../events/block.ts";
import type { LoopDeps } from "./deps.ts";

/** A tool that cuts its own output to the same length says so in a few words more; that is not cut again. */
const SLACK = 1.1;

/** A result that is too long becomes head and tail with a note, the whole kept in a file that the model can read (L9). */
export async function capped(
  callId: string,
  content: readonly ContentBlock[],
  deps: LoopDeps,
): Promise<ContentBlock[]> {
  const out: ContentBlock[] = [];
  for (const block of content) out.push(block.type === "text" ? text(await cut(callId, block.text, deps)) : block);
  return out.length === 0 ? [text("(no output)")] : out;
}

async function cut(callId: string, whole: string, deps: LoopDeps): Promise<string> {
  const max = deps.limits.resultChars;
  if (whole.trim() === "") return "(no output)";
  if (whole.length <= max * SLACK) return whole;
  const file = await deps.spill(callId, whole);
  const head = wholeLines(whole.slice(0, Math.floor(max * 0.7)), "head");
  const tail = wholeLines(whole.slice(-Math.floor(max * 0.25)), "tail");
  const left = whole.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${whole.length} characters left out; the whole result: ${file} (Read it by offset, or Grep it) …]\n${tail}`;
}

/** Cut at a line end where one is near, never inside a surrogate pair. */
function wholeLines(piece: string, part: "head" | "tail"): string {
  const at = part === "head" ? piece.lastIndexOf("\n") : piece.indexOf("\n");
  if (part === "head") return (at > piece.length * 0.8 ? piece.slice(0, at) : piece).replace(/[\ud800-\udbff]$/, "");
  return (at >= 0 && at < piece.length * 0.2 ? piece.slice(at + 1) : piece).replace(/^[\udc00-\udfff]/, "");
}
