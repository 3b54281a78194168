import { withWords } from "../context/summary-prompt.ts";
import { textOf } from "../events/block.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { limitReached } from "../loop/limits.ts";
import type { ModelEvent } from "../model/model.ts";

const WORDS =
  "(A question of the person's beside the conversation. Answer it from what you know by now, in words alone: no tool can be used here, and nothing of this is part of the conversation afterwards.)";

/**
 * Asks the model something beside the conversation (`/btw`): the same request with the question behind it, so that all before it comes
 * from the cache. The answer is a fact with its cost and no part of what is sent later. Throws an Error with one line where there is none.
 */
export async function askAside(question: string, deps: LoopDeps, signal: AbortSignal): Promise<string> {
  const { log, clock } = deps;
  const limit = limitReached(deps, ["session"]);
  if (limit !== undefined) throw new Error(limit.detail ?? limit.reason);
  const asked = log.secrets.mask(question);
  const model = deps.model();
  const startedAt = clock.now();
  const request = deps.request(log.state, model);
  const end = await lastOf(
    model.stream({ ...request, messages: withWords(request.messages, `${WORDS}\n\n${asked}`) }, signal),
  );
  if (end === undefined) throw new Error("the model gave no answer");
  const { usage } = end;
  const blocks = end.type === "reply" ? end.blocks : end.partial;
  const words = textOf(blocks.filter((block) => block.type === "text"));
  const wanted = blocks.some((block) => block.type === "tool_use");
  const answer = words.trim() !== "" ? words : wanted ? "(It wanted to use a tool for that: ask it as a message.)" : "";
  const used = usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0;
  if (used || end.type === "reply")
    await log.append({
      type: "aside.asked",
      question: asked,
      answer,
      model: model.id,
      usage,
      durationMs: clock.now() - startedAt,
    });
  if (end.type === "failed" && answer === "") throw new Error(end.message);
  return answer === "" ? "(no answer)" : log.secrets.mask(answer);
}

async function lastOf(
  events: AsyncIterable<ModelEvent>,
): Promise<Extract<ModelEvent, { type: "reply" | "failed" }> | undefined> {
  let last: Extract<ModelEvent, { type: "reply" | "failed" }> | undefined;
  for await (const event of events) if (event.type === "reply" || event.type === "failed") last = event;
  return last;
}
