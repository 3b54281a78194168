import { text, textOf, type ContentBlock } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { notForCalls } from "../tools/keys.ts";
import { maskDeep } from "../util/secrets/deep.ts";
import type { LoopDeps } from "./deps.ts";
import type { Prepared } from "./prepare.ts";

/** Said to the model behind the first placeholder of a conversation; nothing of it is sent where there is none. */
const WORDS =
  "«key:…» stands for a key that is kept from you, for each key its own. Edit and Write put it back in the file that holds it; any other call with it fails.";

/** Fields in which a placeholder is no use of its key: put back by the tool itself, or only told to the person. */
const FREE: Readonly<Record<string, readonly string[]>> = {
  Edit: ["old_string", "new_string", "edits"],
  Write: ["content"],
  TodoWrite: ["todos"],
  AskUser: ["question", "options", "also"],
};

/** A call that would use a key by its placeholder has its result at once: nothing of it runs, and nobody is asked. */
export function withoutKeys(call: Prepared, { log }: Pick<LoopDeps, "log">): Prepared {
  if (!call.ok || typeof call.input !== "object" || call.input === null) return call;
  const free = FREE[call.tool.name] ?? [];
  const used = Object.entries(call.input).filter(([name]) => !free.includes(name));
  const [first] = log.secrets.placeholders(JSON.stringify(used));
  if (first === undefined) return call;
  const { block, parallel } = call;
  const content = [text(notForCalls(first, log.state))];
  return { ok: false, block, parallel, result: { status: "error", content, touched: [] } };
}

/** A result as it is told: masked as a whole, before anything is cut out of it, and explained where the model meets its first key. */
export function told(content: readonly ContentBlock[], { log }: LoopDeps): ContentBlock[] {
  const masked = content.map((block) => maskDeep(block, log.secrets));
  const keys = log.secrets.placeholders(textOf(masked));
  return keys.length === 0 || isExplained(log.state) ? masked : [...masked, text(`[${WORDS}]`)];
}

/** Behind words of the person's that held a key. */
export async function* explainKeys({ log }: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const last = log.events.at(-1);
  if (last?.type === "prompt.submitted" && last.keys !== undefined && !isExplained(log.state))
    yield await log.append({ type: "note.added", text: WORDS });
}

/** Whether what is sent of the conversation has the words already. Looked at only where there is a key. */
function isExplained({ items, firstItem, calls, cleared }: SessionState): boolean {
  const sent = items.slice(firstItem);
  const from = sent[0]?.seq ?? 0;
  if (sent.some((item) => item.kind === "note" && item.told === undefined && item.text.includes(WORDS))) return true;
  return [...calls.values()].some(
    ({ callId, replySeq, result }) =>
      replySeq >= from && !cleared.has(callId) && textOf(result?.content ?? []).includes(WORDS),
  );
}
