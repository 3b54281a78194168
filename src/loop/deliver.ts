import { textOf } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import type { LoopDeps } from "./deps.ts";
import { explainKeys } from "./keys.ts";
import { promptHooks } from "./moment-hooks.ts";

function heldBack(words: string, why: string): string {
  return `Not sent: ${why}. You wrote: ${words}`;
}

/** Texts typed meanwhile, behind the results (S11); true when the person said something. */
export async function* deliver(deps: LoopDeps, signal: AbortSignal): AsyncGenerator<SessionEvent, boolean> {
  let said = false;
  for (const { content, touched } of deps.inbox.take()) {
    // Held back by a hook: the person is told with the words, which are theirs to send anew.
    const blocked = yield* promptHooks(content, deps, signal);
    if (blocked === undefined) {
      yield* (await deps.recall?.(textOf(content))) ?? [];
      yield await deps.log.append({
        type: "prompt.submitted",
        when: "steer",
        content: [...content],
        ...(touched === undefined ? {} : { touched: [...touched] }),
      });
      yield* explainKeys(deps);
      said = true;
    } else
      yield await deps.log.append({
        type: "limit.warned",
        limit: "hooks.prompt",
        text: heldBack(textOf(content), blocked),
        words: textOf(content),
      });
  }
  return said;
}
