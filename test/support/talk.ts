import { z } from "zod";
import { type ContentBlock, text } from "../../src/events/block.ts";
import { LogBody, type LogEvent } from "../../src/events/event.ts";
import type { EventLog } from "../../src/events/log.ts";
import { fold, initialState, reduce } from "../../src/events/reduce.ts";
import type { SessionState } from "../../src/events/state.ts";
import { buildRequest, toolSpecs } from "../../src/context/request.ts";
import type { LoopDeps } from "../../src/loop/deps.ts";
import type { Model } from "../../src/model/model.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { makeSecrets } from "../../src/util/secrets/secrets.ts";
import { OPENED } from "./event-log.ts";
import { documentBlock, imageBlock, pdf, png } from "./media.ts";

/** A log in memory; what a killed program leaves is its events so far. Events pass through JSON, as they do on a disk. */
export class MemoryLog implements EventLog {
  readonly file = "memory";
  readonly notices: readonly string[] = [];
  readonly events: LogEvent[];
  readonly secrets = makeSecrets({ key: new Uint8Array(32) });
  state: SessionState;

  constructor(events: readonly LogEvent[] = []) {
    this.events = [...events];
    this.state = fold(initialState("ses_a"), this.events);
  }
  append(body: LogBody): Promise<LogEvent> {
    const seq = this.events.length + 1;
    const at = new Date(1e12 + seq * 1000).toISOString();
    const saved: unknown = JSON.parse(JSON.stringify(body));
    const event: LogEvent = { v: 1, seq, at, mac: `m${seq}`, ...LogBody.parse(saved) };
    this.events.push(event);
    this.state = reduce(this.state, event);
    return Promise.resolve(event);
  }
  barrier(): Promise<void> {
    return Promise.resolve();
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A log with its opening. */
export async function opened(): Promise<MemoryLog> {
  const log = new MemoryLog();
  await log.append(OPENED);
  return log;
}

const half = "\u{1F600}".repeat(40).slice(1, 60);
/** What a tool may bring back: good, blank, cut in half, too large, damaged, too many. */
export const RESULTS: Readonly<Record<string, readonly ContentBlock[]>> = {
  words: [text("fine")],
  nothing: [],
  blank: [text(" \n\u0085")],
  half: [text(half), text(`${half}x`)],
  picture: [text("a picture:"), imageBlock()],
  large: [imageBlock(png(2500, 2))],
  huge: [imageBlock(png(9000, 2)), text("seen")],
  damaged: [imageBlock(Buffer.of(1, 2, 3))],
  mislabelled: [imageBlock(png(2, 2), "image/webp")],
  many: Array.from({ length: 12 }, (_, i) => imageBlock(png(2, 2 + i))),
  document: [documentBlock(pdf(30), "a.pdf")],
  book: [documentBlock(pdf(300), half)],
  long: [text("0123456789".repeat(800))],
};

const Input = z.strictObject({ what: z.string() });
type Input = z.infer<typeof Input>;

function fakeTool(name: string, more: Partial<Tool<Input>>): Tool<Input> {
  return defineTool<Input>({
    name,
    description: name,
    input: Input,
    subject: ({ what }) => what,
    needs: () => Promise.resolve([]),
    parallel: () => true,
    async *run({ what }, ctx) {
      yield { text: "…" };
      await Promise.resolve();
      if (ctx.signal.aborted) return { status: "interrupted", content: [text("Stopped.")] };
      if (what === "throws") throw new Error(`broke \ud83d`);
      const failed = what.startsWith("failed ");
      return { status: failed ? "error" : "ok", content: [...(RESULTS[what.replace("failed ", "")] ?? [text(what)])] };
    },
    ...more,
  });
}

/** Look runs beside others, Put alone, AskUser waits for an answer. */
export const TALK_TOOLS: readonly Tool[] = [
  fakeTool("Look", {}),
  fakeTool("Put", { parallel: () => false }),
  fakeTool("AskUser", {
    last: true,
    async *run({ what }, ctx) {
      yield* [];
      const answer = await ctx.askPerson({ question: what, options: [] });
      return answer === undefined ? { status: "waiting", content: [] } : { status: "ok", content: [text(answer)] };
    },
  }),
].map((tool) => tool as unknown as Tool);

/** All that the loop needs for such tools, on a log in memory. */
export function talkDeps(
  log: EventLog,
  model: Model,
  more: { inbox?: string[]; answer?: string | undefined } = {},
): LoopDeps {
  let ids = 0;
  const sandbox = { kind: "none", contained: true, why: [] };
  const asker: LoopDeps["asker"] = {
    ask: () => Promise.resolve({ kind: "yes" }),
    askPerson: () => Promise.resolve(more.answer),
  };
  const deps = {
    log,
    tools: TALK_TOOLS,
    workspace: { journal: () => Promise.resolve([]) },
    sandbox: () => Promise.resolve(sandbox),
    asker,
    clock: { now: () => 1e12 + log.events.length * 1000, sleep: () => Promise.resolve() },
    makeId: (kind: string) => `${kind}_${log.events.length}_${++ids}`,
    limits: { turns: 12, parallel: 3, resultChars: 4000 },
    model: () => model,
    request: (state: SessionState) => buildRequest(state, model, { specs: toolSpecs(TALK_TOOLS) }),
    notes: () => [],
    rules: () => [],
    cost: () => 0,
    spent: () => 0,
    spill: () => Promise.resolve("/results/x.txt"),
    context: (call: object, signal: AbortSignal, asked: LoopDeps["asker"]) =>
      Promise.resolve({
        ...call,
        signal,
        sandbox,
        roots: OPENED.roots,
        state: () => log.state,
        mode: () => log.state.mode,
        askPerson: (question: never) => asked.askPerson(question, signal),
      }),
    inbox: { take: () => (more.inbox?.splice(0) ?? []).map((words) => ({ content: [text(words)] })) },
  };
  return deps as unknown as LoopDeps;
}
