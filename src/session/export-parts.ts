import type { ContentBlock } from "../events/block.ts";
import { textOf } from "../events/block.ts";
import type { LogEvent } from "../events/event.ts";
import type { CallState, SessionState } from "../events/state.ts";
import { sanitize } from "../util/visible.ts";

/** A piece of a conversation, in order, as both exports show it. Texts as they are: whoever shows them makes them safe for its own form. */
export type Part =
  | { kind: "person"; at: string; text: string; files: number; steered: boolean }
  | { kind: "reply"; at: string; text: string; cut?: string }
  | { kind: "call"; at: string; tool: string; input: string; status: string; result: string; landed: readonly string[] }
  | { kind: "end"; at: string; reason: string; detail: string };

/** What was said, called and answered, out of the facts; also what a rewind left out of the conversation since. */
export function* partsOf(state: SessionState, events: readonly LogEvent[]): Generator<Part> {
  const steps = landedBy(state);
  for (const event of events) {
    switch (event.type) {
      case "prompt.submitted":
        yield {
          kind: "person",
          at: event.at,
          text: textOf(event.content),
          files: filesIn(event.content),
          steered: event.when === "steer",
        };
        break;
      case "reply.completed":
      case "reply.cut": {
        const text = textOf(event.blocks.map((b) => (b.type === "text" ? b : { type: b.type })));
        if (text.trim() !== "" || event.type === "reply.cut")
          yield { kind: "reply", at: event.at, text, ...(event.type === "reply.cut" ? { cut: event.reason } : {}) };
        break;
      }
      case "call.finished": {
        const call = state.calls.get(event.callId);
        if (call !== undefined) yield callPart(call, event.at, steps.get(event.callId) ?? []);
        break;
      }
      case "query.finished":
        if (event.reason !== "done")
          yield { kind: "end", at: event.at, reason: event.reason, detail: event.detail ?? "" };
        break;
      default:
        break;
    }
  }
}

function callPart(call: CallState, at: string, landed: readonly string[]): Part {
  const { tool, input, result } = call;
  return {
    kind: "call",
    at,
    tool,
    input: JSON.stringify(input, undefined, 2),
    status: result?.status ?? "interrupted",
    result: textOf(result?.content ?? []),
    landed,
  };
}

/** Paths that landed, by call. */
function landedBy(state: SessionState): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { callId, status, summary } of state.steps) {
    if (callId === undefined || (status !== "landed" && status !== "undone")) continue;
    const undone = status === "undone" ? " (undone since)" : "";
    found.set(
      callId,
      (summary?.entries ?? []).map((entry) => `${entry.op} ${entry.path}${undone}`),
    );
  }
  return found;
}

function filesIn(content: readonly ContentBlock[]): number {
  return content.filter((block) => block.type !== "text").length;
}

/** A text of the conversation without signs that a terminal or a browser would obey; line ends of all kinds are \n. */
export function plainText(text: string): string {
  return sanitize(text.replaceAll(/\r\n|[\r\u0085\u2028\u2029]/g, "\n"));
}

/** What stands above both: facts about the session, name and value. */
export function headOfExport(state: SessionState): { title: string; facts: readonly (readonly [string, string])[] } {
  const first = state.items.find((item) => item.kind === "prompt");
  const words =
    first?.kind === "prompt"
      ? textOf(first.content)
          .trim()
          .split(/[\r\n\u0085\u2028\u2029]/, 1)[0]
      : undefined;
  return {
    title:
      state.name ?? (words === undefined || words === "" ? `Session ${state.id}` : words.slice(0, 100).toWellFormed()),
    facts: [
      ["Session", state.id],
      ["Folder", state.folder],
      ["Model", state.model],
      ["Started", state.startedAt],
      ["Last", state.lastAt],
      ...(state.forkedFrom === undefined ? [] : [["Copy of", state.forkedFrom.sessionId] as const]),
      ...(state.foreign
        ? [["Note", "its log was changed from outside; what it says can't be relied on"] as const]
        : []),
    ],
  };
}
