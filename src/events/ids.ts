import type { ReplyBlock } from "./block.ts";
import { tooDeep } from "./canonical.ts";

/** What the API takes as a tool_use id. */
const VALID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Makes the calls of an arriving reply fit for the log: ids that are empty, not valid or used before (in this reply or in the session)
 * are replaced, so that every call can get exactly one result (L4); an input nested too deep to be recorded becomes a broken one.
 * Blocks that need nothing stay the same objects. Deterministic: the same reply at the same place gets the same ids.
 */
export function uniqueCallIds(
  blocks: readonly ReplyBlock[],
  state: { seq: number; calls: { has(callId: string): boolean } },
): ReplyBlock[] {
  const own = new Set<string>();
  const taken = (id: string): boolean => own.has(id) || state.calls.has(id);
  // Ids that can stay are reserved first, so that no new one meets them.
  const keeps = blocks.map((block) => {
    if (block.type !== "tool_use" || !VALID.test(block.id) || taken(block.id)) return false;
    own.add(block.id);
    return true;
  });
  return blocks.map((block, i) => {
    if (block.type !== "tool_use") return block;
    const shallow = tooDeep(block.input) ? { ...block, input: {}, broken: "(nested too deep)" } : block;
    if (keeps[i] === true) return shallow;
    let id = `call_${state.seq + 1}_${i}`;
    for (let n = 2; taken(id); n++) id = `call_${state.seq + 1}_${i}_${n}`;
    own.add(id);
    return { ...shallow, id };
  });
}
