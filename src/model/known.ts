/** How a model takes effort: it thinks as it sees fit, within a budget of tokens, or not at all. */
export type Thinking = "adaptive" | "budget" | "none";

/** What is known of a model, in tokens. */
export interface Known {
  contextWindow: number;
  maxOutput: number;
  thinking: Thinking;
  /** Nobody said these figures: they are what most models can do. */
  guessed?: boolean;
}

/** What the person's settings say of models, by the beginning of a name. */
export type OwnModels = Readonly<
  Record<
    string,
    {
      contextWindow?: number | undefined;
      maxOutput?: number | undefined;
      thinking?: Thinking | undefined;
    }
  >
>;

const M = 1_000_000;
const LARGE: Known = { contextWindow: M, maxOutput: 128_000, thinking: "adaptive" };
const OLDER: Known = { contextWindow: 200_000, maxOutput: 64_000, thinking: "budget" };

/** By whole names, as the provider's overview of models told them at the end of 2026-11. The newest first: so they are offered. */
const KNOWN: Readonly<Record<string, Known>> = {
  "claude-sonnet-5-5": LARGE,
  "claude-opus-5-5": LARGE,
  "claude-haiku-5-5": LARGE,
  "claude-fable-5-2": LARGE,
  "claude-fable-5-1": LARGE,
  "claude-sonnet-5": LARGE,
  "claude-opus-5": LARGE,
  "claude-opus-4-8": LARGE,
  "claude-opus-4-7": LARGE,
  "claude-opus-4-6": LARGE,
  "claude-sonnet-4-6": { ...LARGE, maxOutput: 64_000 },
  "claude-haiku-4-5": OLDER,
  "claude-opus-4-5": OLDER,
  "claude-sonnet-4-5": OLDER,
};

/** Of the family, but not listed: what all of them can do. */
const RELATED: Known = { contextWindow: 200_000, maxOutput: 64_000, thinking: "adaptive", guessed: true };
/** For a server that nobody knows (a local one): small enough for most. */
const UNKNOWN: Known = { contextWindow: 128_000, maxOutput: 16_000, thinking: "adaptive", guessed: true };

/** Names to choose from, the newest first. */
export const KNOWN_MODELS: readonly string[] = Object.keys(KNOWN);

/** The services that models are had from, as they stand before a colon in a name. */
export const SERVICES = ["anthropic", "openai", "bedrock", "vertex"] as const;
export type Service = (typeof SERVICES)[number];

/** Service and model that a name means: `openai:gpt-x`. A colon may belong to the model's own name, as in `qwen3:8b`. */
export function serviceOf(id: string): { service: Service; named: string } {
  const at = id.indexOf(":");
  const service = SERVICES.find((name) => name === id.slice(0, Math.max(0, at)));
  return service === undefined ? { service: "anthropic", named: id } : { service, named: id.slice(at + 1) };
}

/** The one way to write a model of the Messages API: logs, prices and thoughts go by it. */
export function plainName(id: string): string {
  const { service, named } = serviceOf(id);
  return service === "anthropic" ? named : id;
}

/** Window, longest reply and thinking of a model, whichever service it comes from. The person's own word (`own`) goes before what is known. */
export function knownModel(id: string, own: OwnModels = {}): Known {
  const { named } = serviceOf(id);
  const plain = named
    .replace(/^(?:\w+\.)?anthropic\./, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/[@-]\d{8}$/, "");
  const found = KNOWN[plain] ?? (plain.startsWith("claude-") ? RELATED : UNKNOWN);
  const key = Object.keys(own)
    .filter((name) => id.startsWith(name) || named.startsWith(name))
    .toSorted((a, b) => b.length - a.length)[0];
  const said = key === undefined ? undefined : own[key];
  if (said === undefined) return found;
  return {
    contextWindow: said.contextWindow ?? found.contextWindow,
    maxOutput: said.maxOutput ?? Math.min(found.maxOutput, said.contextWindow ?? Infinity),
    thinking: said.thinking ?? found.thinking,
    ...(said.maxOutput === undefined && found.guessed === true ? { guessed: true } : {}),
  };
}
