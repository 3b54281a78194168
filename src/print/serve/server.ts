import { z } from "zod";
import type { Mode } from "../../events/effect.ts";
import type { SessionEntry } from "../../events/sessions.ts";
import type { QueryResult, Session } from "../../session/session.ts";
import type { SessionEvent } from "../../events/event.ts";
import { resultJson } from "../result-json.ts";
import { answerLines, CODE, RpcError, type RpcDeps } from "./rpc.ts";
import { AnswerInput, modeFor, RunInput, SessionInput, toolList } from "./tools.ts";

/** Versions of the protocol that these few requests are the same in; the newest first. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** Queries side by side: each has a copy and a model at work. */
const MOST_RUNS = 4;
/** Letters of a conversation in one answer. */
const MOST_TEXT = 50_000;

export interface Limits {
  maxTurns?: number;
  maxCost?: number;
  /** Milliseconds. */
  maxTime?: number;
}

export interface ToolServerDeps extends Pick<RpcDeps, "input" | "send" | "gone"> {
  version: string;
  /** Above it nobody is let. */
  most: Mode;
  /** Nobody is asked in it. Throws Error with one readable line. */
  open(mode: Mode, limits: Limits, resume?: string): Promise<Session>;
  /** Of the folder. */
  sessions(): readonly SessionEntry[];
  /** A session of the folder as Markdown. Throws Error with one readable line. */
  markdown(id: string): Promise<string>;
}

/** This program as a tool server, for other agents, until they are gone (U4). */
export async function serveTools(deps: ToolServerDeps): Promise<void> {
  const server = new ToolServer(deps);
  const { input, gone, send } = deps;
  await answerLines({ input, gone, send, request: (method, params, signal) => server.request(method, params, signal) });
}

const Call = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  _meta: z.looseObject({ progressToken: z.union([z.string(), z.number()]).optional() }).optional(),
});

interface ToolResult {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

class ToolServer {
  readonly #deps: ToolServerDeps;
  #runs = 0;

  constructor(deps: ToolServerDeps) {
    this.#deps = deps;
  }

  async request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<object> {
    switch (method) {
      case "initialize":
        return this.#initialize(params["protocolVersion"]);
      case "ping":
        return {};
      case "tools/list":
        return { tools: toolList(this.#deps.most) };
      case "tools/call": {
        const call = Call.safeParse(params);
        if (!call.success) throw new RpcError(CODE.params, "tools/call needs a name and arguments");
        return this.#call(call.data, signal);
      }
      default:
        throw new RpcError(CODE.method, `there is no ${method} here`);
    }
  }

  #initialize(wanted: unknown): object {
    const protocolVersion = VERSIONS.find((version) => version === wanted) ?? VERSIONS[0];
    const { version, most } = this.#deps;
    return {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "understudy", title: "Understudy", version },
      instructions: `A coding agent for the folder that it was started in, in ${most} mode at most. Its changes can be undone by agent undo.`,
    };
  }

  /** What is wrong with a call is a result, which the model on the other side can read. */
  async #call({ name, arguments: input, _meta }: z.infer<typeof Call>, signal: AbortSignal): Promise<ToolResult> {
    try {
      switch (name) {
        case "run":
          return await this.#run(RunInput.parse(input), this.#progress(_meta?.progressToken), signal);
        case "answer":
          return await this.#answer(AnswerInput.parse(input), this.#progress(_meta?.progressToken), signal);
        case "sessions":
          return this.#sessions();
        case "session":
          return await this.#session(SessionInput.parse(input));
      }
    } catch (error) {
      if (error instanceof z.ZodError) return failed(`the input does not fit: ${z.prettifyError(error)}`);
      return failed(error instanceof Error ? error.message : String(error));
    }
    throw new RpcError(CODE.params, `there is no tool ${name}; there are run, answer, sessions and session`);
  }

  async #run(input: RunInput, progress: (words: string) => void, signal: AbortSignal): Promise<ToolResult> {
    const { prompt, session: resume, mode: wanted } = input;
    const mode = modeFor(wanted, this.#deps.most);
    if ("refused" in mode) return failed(mode.refused);
    const limits = {
      ...(input.max_turns === undefined ? {} : { maxTurns: input.max_turns }),
      ...(input.max_cost === undefined ? {} : { maxCost: input.max_cost }),
      ...(input.max_seconds === undefined ? {} : { maxTime: input.max_seconds * 1000 }),
    };
    return this.#within(
      () => this.#deps.open(mode.mode, limits, resume),
      (session) => session.submit(prompt, signal),
      progress,
    );
  }

  #answer(
    { session: id, answers }: AnswerInput,
    progress: (words: string) => void,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    return this.#within(
      () => this.#deps.open(this.#deps.most, {}, id),
      (session) => {
        const open = session.questions();
        // A yes to a plan is a laxer mode, which no caller can give.
        if (open.some(({ consent }) => consent === true))
          throw new Error(`the plan of session ${id} waits for a person: agent --resume ${id}`);
        if (open.length !== answers.length)
          throw new Error(`session ${id} has ${open.length} open questions, and ${answers.length} answers were given`);
        return session.goOn(signal, answers);
      },
      progress,
    );
  }

  async #within(
    open: () => Promise<Session>,
    begin: (session: Session) => ReturnType<Session["submit"]>,
    progress: (words: string) => void,
  ): Promise<ToolResult> {
    if (this.#runs >= MOST_RUNS) return failed(`${MOST_RUNS} runs are at work; wait for one`);
    this.#runs++;
    try {
      const session = await open();
      try {
        return toldAs(await drained(begin(session), progress), session);
      } finally {
        await session.close();
      }
    } finally {
      this.#runs--;
    }
  }

  #sessions(): ToolResult {
    const sessions = this.#deps.sessions().map(({ id, name, title, lastAt, pending }) => ({
      id,
      name: name ?? title,
      last: lastAt,
      pending: pending ?? 0,
    }));
    const text = sessions.map(({ id, name, last }) => `${id}  ${last}  ${name}`).join("\n");
    return { content: [{ type: "text", text: text === "" ? "no sessions" : text }], structuredContent: { sessions } };
  }

  async #session({ session, offset }: SessionInput): Promise<ToolResult> {
    const whole = await this.#deps.markdown(session);
    const part = whole.slice(offset, offset + MOST_TEXT);
    const next = offset + part.length;
    const more =
      next < whole.length ? `\n\n(letters ${offset} to ${next} of ${whole.length}; next: offset ${next})` : "";
    return { content: [{ type: "text", text: `${part}${more}` }] };
  }

  /** Tells how far a call is, where the client wants to know. */
  #progress(progressToken: string | number | undefined): (words: string) => void {
    let progress = 0;
    if (progressToken === undefined) return () => undefined;
    return (message) => {
      const params = { progressToken, progress: ++progress, message };
      void this.#deps
        .send(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n`)
        .catch(() => undefined);
    };
  }
}

async function drained(
  run: AsyncGenerator<SessionEvent, QueryResult>,
  progress: (words: string) => void,
): Promise<QueryResult> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
    if (step.value.type === "call.started") progress(step.value.tool);
  }
}

function toldAs(result: QueryResult, session: Session): ToolResult {
  const { text, reason, detail, denials } = result;
  const notes = [
    ...(reason === "done" ? [] : [`It ended: ${detail ?? reason}.`]),
    ...denials.map((d) => `Denied: ${d.tool} ${d.subject}: ${d.reason}`),
    `Session ${session.id}.`,
  ];
  const fine = reason === "done" || reason === "waiting";
  return {
    content: [{ type: "text", text: [text.trim(), notes.join("\n")].filter((part) => part !== "").join("\n\n") }],
    structuredContent: resultJson(result, session),
    ...(fine ? {} : { isError: true }),
  };
}

function failed(words: string): ToolResult {
  return { content: [{ type: "text", text: words }], isError: true };
}
