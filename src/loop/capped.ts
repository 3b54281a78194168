import { headAndTail } from "../context/head-tail.ts";
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
  return headAndTail(whole, max, file);
}
