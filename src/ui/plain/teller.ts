import { textOf } from "../../events/block.ts";
import type { SessionEvent } from "../../events/event.ts";
import type { Session } from "../../session/session.ts";
import { KEPT, span } from "../../util/words.ts";
import { cleanRow } from "../render/clean.ts";
import { markdown } from "../render/markdown.ts";
import { line } from "../render/spans.ts";
import { cardLines } from "../render/tool.ts";
import { cardOf, factLines } from "../render/transcript.ts";
import type { Voice } from "./voice.ts";

/** Tells a session's events as labelled rows, each thing once. */
export class Teller {
  readonly #voice: Voice;
  /** Calls whose denial has a row already. */
  readonly #denied = new Set<string>();

  constructor(voice: Voice) {
    this.#voice = voice;
  }

  event(session: Pick<Session, "state">, event: SessionEvent): void {
    const voice = this.#voice;
    switch (event.type) {
      case "reply.completed":
      case "reply.cut":
        voice.labelled("agent", markdown(textOf(event.blocks), voice.width));
        if (event.type === "reply.completed" && event.brokeOff !== undefined)
          voice.say(`note: ${cleanRow(event.brokeOff)} ${KEPT}`);
        break;
      case "call.finished":
        this.#call(session, event.callId);
        break;
      case "request.retrying":
        voice.say(`note: ${cleanRow(event.reason).replace(/\.$/, "")}; trying again in ${span(event.inMs)}`);
        break;
      case "shell.ran":
        voice.labelled(
          "tool",
          event.output
            .trimEnd()
            .split("\n")
            .map((row) => line(cleanRow(row))),
        );
        break;
      default:
        if (!("seq" in event)) return;
        if (event.type === "permission.decided" && event.outcome === "deny") this.#denied.add(event.callId);
        voice.labelled("note", factLines(event, voice.width, session.state().folder) ?? []);
    }
  }

  /** A card that says nothing but that the call was denied is none (P-8). */
  #call(session: Pick<Session, "state">, callId: string): void {
    const card = cardOf(session.state(), callId);
    if (card === undefined) return;
    const rows = cardLines({ ...card, more: "" }, this.#voice.width);
    const told = card.status === "denied" && rows.length === 1 && this.#denied.has(callId);
    if (!told) this.#voice.labelled("tool", rows);
  }
}
