import type { ContentBlock } from "../events/block.ts";
import { called } from "../events/called.ts";
import type { LogEvent, LogEventOf, Usage } from "../events/event.ts";
import type { RateLimit } from "../events/live-event.ts";
import { NO_USAGE, promptTokens, sumOf } from "../events/usage.ts";
import { costOf, type Prices } from "./prices.ts";
import { PRICES_AS_OF } from "./price-table.ts";

/** Tokens of one model, and money where its price is known. */
export interface ModelCost {
  model: string;
  usage: Usage;
  /** Without those that were void. */
  replies: number;
  usd?: number;
}

/** One request. `kept`: whole; `cut`: it broke off or was stopped; `void`: it was asked for anew; `aside`: beside the conversation;
 * `summary`: for a compaction. */
export interface TurnCost {
  /** Of the person, from 1 on. */
  message: number;
  turn: number;
  at: string;
  model: string;
  outcome: "kept" | "cut" | "void" | "aside" | "summary";
  usage: Usage;
  usd?: number;
}

/** `tokens`: what the results of a tool's calls added to the conversation. An estimate: each one's share, by length, of what the next request grew by. */
export interface ToolCost {
  tool: string;
  calls: number;
  tokens: number;
}

/** What a session used, out of its log alone. */
export interface CostReport {
  models: readonly ModelCost[];
  /** undefined: a model without a known price was used. */
  usd?: number;
  turns: readonly TurnCost[];
  /** The most expensive first. */
  tools: readonly ToolCost[];
  /** Sub-agents of this session. */
  agents: readonly (ModelCost & { sessionId: string })[];
  /** The share of all requests that came from the cache, 0 to 1; undefined where nothing was sent. */
  hitRate?: number;
  /** Milliseconds that whole replies took. */
  apiMs: number;
  /** Date of the built-in prices. */
  pricesAsOf: string;
  /** As the service's last answer told them; empty for a session that isn't open. */
  limits: readonly RateLimit[];
}

/** The share of a request or of a sum that came from the cache; undefined where nothing was sent. */
export function hitRate(usage: Usage): number | undefined {
  const sent = promptTokens(usage);
  return sent === 0 ? undefined : usage.cacheRead / sent;
}

/** The report of these events. Pure. */
export function costReport(events: Iterable<LogEvent>, prices: Prices): CostReport {
  const fold = new CostFold(prices);
  for (const event of events) fold.take(event);
  return fold.report();
}

type Replied = LogEventOf<"reply.completed" | "reply.cut" | "reply.voided">;
const OUTCOMES = { "reply.completed": "kept", "reply.cut": "cut", "reply.voided": "void" } as const;

const CHARS_PER_TOKEN = 3.5;
/** A picture or document is not as long as its bytes. */
const FILE_TOKENS = 1500;

/** The report as a fold: event by event, in time linear to their number. */
export class CostFold {
  readonly #prices: Prices;
  readonly #models = new Map<string, { usage: Usage; replies: number }>();
  readonly #turns: TurnCost[] = [];
  readonly #tools = new Map<string, { calls: number; tokens: number }>();
  readonly #toolOf = new Map<string, string>();
  /** What came since the newest reply, in characters. */
  #fresh: { tool: string | undefined; chars: number }[] = [];
  readonly #agents = new Map<string, ModelCost & { sessionId: string }>();
  #seen = 0;
  /** Facts up to this one are the parent's, who has paid for them. */
  #own = 0;
  #message = 0;
  #apiMs = 0;
  /** Up to this event a fork tells what another session spent. */
  #from = 0;
  /** Tokens of the conversation behind the newest reply; undefined where the next request is no continuation of it. */
  #context: number | undefined;
  #model = "";

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  /** Takes what of a log it has not seen. */
  catchUp(events: readonly LogEvent[]): void {
    for (const event of events.slice(this.#seen)) this.take(event);
  }

  take(event: LogEvent): void {
    this.#seen++;
    if (event.type === "session.opened") this.#from = event.forkedFrom?.seq ?? 0;
    if (event.seq <= this.#from) return;
    if (event.type === "reply.completed" || event.type === "aside.asked") this.#apiMs += event.durationMs;
    switch (event.type) {
      case "session.opened":
        this.#own = event.forkedFrom?.seq ?? 0;
        return;
      case "prompt.submitted":
        if (event.when === "start") this.#message++;
        return void this.#fresh.push({ tool: undefined, chars: charsOf(event.content) });
      case "note.added":
      case "memory.read":
      case "memory.recalled":
      case "skills.listed":
      case "skill.loaded":
        return void this.#fresh.push({ tool: undefined, chars: event.text.length });
      case "call.finished":
        return void this.#fresh.push({
          tool: this.#toolOf.get(event.callId) ?? "unknown",
          chars: charsOf(event.content),
        });
      case "reply.completed":
        for (const block of event.blocks) if (block.type === "tool_use") this.#toolOf.set(block.id, called(block).name);
        return this.#replied(event);
      case "reply.cut":
      case "reply.voided":
        return this.#replied(event);
      case "aside.asked":
        return this.#spent({ ...event, turn: 0 }, "aside");
      case "context.compacted": {
        this.#context = undefined;
        const { model, usage, turn = 0, at } = event;
        return model === undefined || usage === undefined
          ? undefined
          : this.#spent({ model, usage, turn, at }, "summary");
      }
      case "agent.ended":
        return this.#agent(event);
      case "context.cleared":
      case "context.restored":
      case "context.reset":
      case "context.rewound":
        this.#context = undefined;
        return;
      default:
        return;
    }
  }

  report(limits: readonly RateLimit[] = []): CostReport {
    const models = [...this.#models].map(([model, sums]): ModelCost => {
      const usd = costOf(model, sums.usage, this.#prices);
      return { model, ...sums, ...(usd === undefined ? {} : { usd }) };
    });
    const agents = [...this.#agents.values()].map((row) => {
      const usd = costOf(row.model, row.usage, this.#prices);
      return { ...row, ...(usd === undefined ? {} : { usd }) };
    });
    const all = [...models, ...agents];
    const known = all.every((m) => m.usd !== undefined);
    const rate = hitRate(models.reduce((sum, m) => sumOf(sum, m.usage), NO_USAGE));
    return {
      models,
      ...(known ? { usd: all.reduce((sum, m) => sum + (m.usd ?? 0), 0) } : {}),
      turns: [...this.#turns],
      tools: [...this.#tools]
        .map(([tool, { calls, tokens }]) => ({ tool, calls, tokens: Math.round(tokens) }))
        .toSorted((a, b) => b.tokens - a.tokens),
      agents,
      ...(rate === undefined ? {} : { hitRate: rate }),
      apiMs: this.#apiMs,
      pricesAsOf: PRICES_AS_OF,
      limits,
    };
  }

  /** By its log and model; what its own agents used is in it. */
  #agent({ agentId: sessionId, usage: used }: LogEventOf<"agent.ended">): void {
    for (const [model, { replies, ...usage }] of Object.entries(used)) {
      const key = JSON.stringify([sessionId, model]);
      const before = this.#agents.get(key);
      const sum = sumOf(before?.usage ?? NO_USAGE, usage);
      this.#agents.set(key, { sessionId, model, usage: sum, replies: (before?.replies ?? 0) + replies });
    }
  }

  #replied(event: Replied): void {
    const own = event.seq > this.#own;
    if (own) this.#spent(event, OUTCOMES[event.type]);
    const { model, usage } = event;
    // Of a reply that is asked for again the same request comes once more.
    if (event.type !== "reply.completed" || promptTokens(usage) === 0) return;
    const before = model === this.#model ? this.#context : undefined;
    if (own) this.#share(before === undefined ? undefined : promptTokens(usage) - before);
    this.#fresh = [];
    this.#context = promptTokens(usage) + usage.output;
    this.#model = model;
  }

  #spent(
    { model, usage, turn, at }: Pick<TurnCost, "model" | "usage" | "turn" | "at">,
    outcome: TurnCost["outcome"],
  ): void {
    const before = this.#models.get(model) ?? { usage: NO_USAGE, replies: 0 };
    const replies = before.replies + (outcome === "void" ? 0 : 1);
    this.#models.set(model, { usage: sumOf(before.usage, usage), replies });
    const usd = costOf(model, usage, this.#prices);
    this.#turns.push({
      message: this.#message,
      turn,
      at,
      model,
      outcome,
      usage,
      ...(usd === undefined ? {} : { usd }),
    });
  }

  /** Gives each result its share of what the request grew by; where that isn't known, what its length lets expect. */
  #share(grown: number | undefined): void {
    const chars = this.#fresh.reduce((sum, part) => sum + part.chars, 0);
    const perChar = grown === undefined || grown <= 0 || chars === 0 ? 1 / CHARS_PER_TOKEN : grown / chars;
    for (const { tool, chars: own } of this.#fresh) {
      if (tool === undefined) continue;
      const before = this.#tools.get(tool) ?? { calls: 0, tokens: 0 };
      this.#tools.set(tool, { calls: before.calls + 1, tokens: before.tokens + own * perChar });
    }
  }
}

function charsOf(content: readonly ContentBlock[]): number {
  return content.reduce((sum, b) => sum + (b.type === "text" ? b.text.length : FILE_TOKENS * CHARS_PER_TOKEN), 0);
}
