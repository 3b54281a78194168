import { textOf } from "../events/block.ts";
import type { LogEventOf, SessionEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { hookWords } from "../hooks/tell.ts";
import { KEPT, span } from "../util/words.ts";
import { verdictWords } from "./trace-work.ts";

/** What became of a request, where that is not just a reply, or of a call that nobody knows the effect of. */
export function happened(event: SessionEvent, state: SessionState): string | undefined {
  switch (event.type) {
    case "request.retrying":
      return `${event.reason.replace(/\.$/, "")}; trying again in ${span(event.inMs)}`;
    case "reply.completed":
      return event.brokeOff === undefined ? undefined : `${event.brokeOff} ${KEPT}`;
    case "context.mended":
      return event.why;
    case "reply.cut": {
      const text = textOf(event.blocks).trim();
      return text === "" ? undefined : `cut off, no answer: ${text}`;
    }
    case "call.finished": {
      if (event.status !== "unknown") return undefined;
      const { tool = "", input = {} } = state.calls.get(event.callId) ?? {};
      return `unknown: ${tool} ${JSON.stringify(input).slice(0, 200)} had begun outside the copy when the program ended; it may have had its effect, and was not run again`;
    }
    case "model.changed":
      return event.by === "fallback" ? `${event.model} stands in: ${event.reason ?? ""}` : undefined;
    case "limit.warned":
      return event.text;
    case "memory.read":
    case "skills.listed":
      return event.problems?.join("\n");
    case "hook.ran": {
      const rows = hookWords(event).map(({ text }) => text);
      return rows.length === 0 ? undefined : rows.join("\n");
    }
    case "verdict.given":
      return verdictWords(event);
    case "check.ran":
      return checkWords(event);
    default:
      return undefined;
  }
}

/** A completion check that failed, or that changed what it should only look at. */
function checkWords({ name, command, exit, ended, changed }: LogEventOf<"check.ran">): string | undefined {
  const how = exit === 0 ? undefined : `failed (${ended ?? `exit code ${exit}`})`;
  const did = changed === undefined ? undefined : `changed ${changed.join(", ")}, which is dropped`;
  const words = [how, did].filter((part) => part !== undefined);
  return words.length === 0 ? undefined : `check "${name ?? command}" ${words.join(", and ")}`;
}
