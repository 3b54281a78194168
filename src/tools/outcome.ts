import { text, type ContentBlock } from "../events/block.ts";
import type { Outcome, Progress } from "./tool.ts";

/** A call that worked; what the model reads. */
export function done(words: string, more: Partial<Outcome> = {}): Outcome {
  return { status: "ok", content: [text(words)], ...more };
}

/** A call that worked and brought blocks of its own. */
export function brought(content: ContentBlock[], more: Partial<Outcome> = {}): Outcome {
  return { status: "ok", content, ...more };
}

/** The model's mistake, told to it with what to try next (L8). */
export function failed(words: string, details?: unknown): Outcome {
  return { status: "error", content: [text(words)], ...(details === undefined ? {} : { details }) };
}

/** The call was stopped by the person (S7). */
export function stopped(): Outcome {
  return { status: "interrupted", content: [text("Interrupted.")] };
}

/** The error code of a failed system call, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The run of a tool that has nothing to show while it works. */
export async function* quiet(work: () => Promise<Outcome>): AsyncGenerator<Progress, Outcome> {
  yield* [];
  return await work();
}
