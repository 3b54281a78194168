import type { LoopDeps } from "./deps.ts";

/** A handoff that nobody named a file for: among the session's results, where the model may read it. */
export function handoffFile({ log, spill }: Pick<LoopDeps, "log" | "spill">, text: string): Promise<string> {
  return spill(`handoff_${log.state.seq}`, text);
}
