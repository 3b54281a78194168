import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "../events/event.ts";
import { happened } from "../session/happened.ts";
import type { Session } from "../session/session.ts";
import type { Clock } from "../util/deps.ts";
import { lastStates, sanitize, Sanitizer } from "../util/visible.ts";
import { titleOf, toolCall } from "./call.ts";
import { diffContent } from "./diffs.ts";
import type { Editor } from "./editor.ts";
import { chunk, finished, ownWords, planOf, textContent } from "./updates.ts";

/** Between two pieces of a command's output. */
const OUTPUT_MS = 200;
/** Letters of it that are shown while it runs. */
const MOST_OUTPUT = 4000;
/** Rows of what a sub-agent does. */
const MOST_ROWS = 20;

interface Output {
  text: string;
  toldAt: number;
}

export interface TellerDeps {
  session: Session;
  editor: Editor;
  clock: Clock;
  /** Tokens; undefined where it is not known. */
  window: (model: string) => number | undefined;
}

/** Tells an editor what happens in a query, event by event. */
export class Teller {
  readonly #deps: TellerDeps;
  readonly #output = new Map<string, Output>();
  readonly #agents = new Map<string, string[]>();
  #text = new Sanitizer();
  #thought = new Sanitizer();
  /** Something of the running reply's text was shown as it came. */
  #streamed = false;

  constructor(deps: TellerDeps) {
    this.#deps = deps;
  }

  /** One event, and all that it means for the editor. */
  async event(event: SessionEvent): Promise<void> {
    const words = happened(event, this.#deps.session.state());
    if (words !== undefined) await this.words(words);
    for (const update of await this.#updates(event)) await this.#deps.editor.tell(update);
  }

  /** Words of the program's own: as a notice where the editor has these. */
  async words(words: string): Promise<void> {
    const { editor } = this.#deps;
    const [title = "", ...rest] = sanitize(words).trim().split("\n");
    if (title === "") return;
    await editor.tell(
      (editor.can.session?.notices ?? undefined) === undefined
        ? chunk("agent_message_chunk", ownWords(words))
        : {
            sessionUpdate: "notice",
            severity: "info",
            title,
            ...(rest.length === 0 ? {} : { description: rest.join("\n") }),
          },
    );
  }

  async #updates(event: SessionEvent): Promise<SessionUpdate[]> {
    switch (event.type) {
      case "reply.started":
        this.#fresh();
        return [];
      case "text.delta":
        this.#streamed = true;
        return chunks("agent_message_chunk", this.#text.write(event.text));
      case "thinking.delta":
        return chunks("agent_thought_chunk", this.#thought.write(event.text));
      case "reply.discarded":
        this.#fresh();
        return [
          chunk("agent_message_chunk", ownWords("What stands above of this reply is void: it is asked for anew.")),
        ];
      case "reply.completed":
        return this.#reply(event);
      case "call.started":
        return [{ sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "in_progress" }];
      case "tool.output":
        return this.#ran(event.callId, event.text);
      case "agent.event":
        return this.#agent(event.callId, event.agentId, event.event);
      case "call.finished":
        this.#output.delete(event.callId);
        return [finished(event, event.callId, await this.#changed(event.callId))];
      case "todo.updated":
        return [planOf(event.todos)];
      case "mode.changed":
        return [{ sessionUpdate: "current_mode_update", currentModeId: event.mode }];
      case "session.named":
        return [{ sessionUpdate: "session_info_update", title: event.name }];
      case "query.finished":
        return [...chunks("agent_message_chunk", this.#text.end()), ...this.#usage()];
      default:
        return [];
    }
  }

  #fresh(): void {
    this.#text = new Sanitizer();
    this.#thought = new Sanitizer();
    this.#streamed = false;
  }

  /** The calls of a reply are there from now on; its text, where nothing of it was shown before. */
  #reply({ blocks }: Extract<SessionEvent, { type: "reply.completed" }>): SessionUpdate[] {
    const { folder } = this.#deps.session.state();
    const seen = this.#streamed;
    const rest = this.#text.end();
    this.#fresh();
    return blocks
      .flatMap((block): SessionUpdate[] => {
        if (block.type === "text") return chunks("agent_message_chunk", seen ? "" : sanitize(block.text));
        if (block.type !== "tool_use") return [];
        const { id, name: tool, input } = block;
        return [{ sessionUpdate: "tool_call", ...toolCall(id, { tool, input, folder }) }];
      })
      .toSpliced(0, 0, ...chunks("agent_message_chunk", rest));
  }

  #ran(callId: string, text: string): SessionUpdate[] {
    const now = this.#deps.clock.now();
    const before = this.#output.get(callId) ?? { text: "", toldAt: -Infinity };
    const whole = `${before.text}${text}`.slice(-MOST_OUTPUT);
    const due = now - before.toldAt >= OUTPUT_MS;
    this.#output.set(callId, { text: whole, toldAt: due ? now : before.toldAt });
    return due ? [content(callId, sanitize(lastStates(whole)))] : [];
  }

  /** A row for each call that a sub-agent makes, below the call that started it. */
  #agent(callId: string, agentId: string, event: SessionEvent): SessionUpdate[] {
    if (event.type === "agent.event") return this.#agent(callId, event.agentId, event.event);
    if (event.type !== "call.started") return [];
    const name = agentId.slice(agentId.lastIndexOf("-") + 1);
    const rows = [...(this.#agents.get(callId) ?? []), `${name}: ${titleOf(event.tool, event.input)}`].slice(
      -MOST_ROWS,
    );
    this.#agents.set(callId, rows);
    return [content(callId, rows.join("\n"))];
  }

  /** What a call landed, as diffs. */
  async #changed(callId: string): Promise<ReturnType<typeof diffContent>> {
    const { session } = this.#deps;
    const { steps, roots } = session.state();
    const step = steps.findLast((one) => one.callId === callId);
    if (step?.status !== "landed") return [];
    const changed = await session.looks.changed(step.operationId).catch(() => undefined);
    return diffContent(
      changed?.diffs ?? [],
      roots.map(({ path }) => path),
    );
  }

  #usage(): SessionUpdate[] {
    const { session, window } = this.#deps;
    const { contextTokens, model } = session.state();
    const size = window(model);
    if (size === undefined || contextTokens === 0) return [];
    const { usd } = session.cost();
    const cost = usd === undefined ? {} : { cost: { amount: usd, currency: "USD" } };
    return [{ sessionUpdate: "usage_update", used: contextTokens, size, ...cost }];
  }
}

function content(toolCallId: string, text: string): SessionUpdate {
  return { sessionUpdate: "tool_call_update", toolCallId, content: [textContent(text)] };
}

function chunks(kind: "agent_message_chunk" | "agent_thought_chunk", text: string): SessionUpdate[] {
  return text === "" ? [] : [chunk(kind, text)];
}
