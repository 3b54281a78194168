import { text } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import type { LoopDeps } from "./deps.ts";
import { explainKeys } from "./keys.ts";

/** Texts typed meanwhile, behind the results (S11); true when the person said something. */
export async function* deliver(deps: LoopDeps): AsyncGenerator<SessionEvent, boolean> {
  const texts = deps.inbox.take();
  for (const words of texts)
    yield await deps.log.append({ type: "prompt.submitted", when: "steer", content: [text(words)] });
  return texts.length > 0;
}
