/** What a server answers, whatever protocol carries it. */
export interface Reply {
  /** Pieces of text, each sent as one delta. */
  text?: readonly string[];
  calls?: readonly { name: string; input: Record<string, unknown> }[];
}

/** What a request says, whatever protocol carried it. */
export interface Asked {
  system: string;
  /** Each tool as it was sent, as JSON. */
  tools: readonly string[];
  /** Behind the system prompt and tools, in order, each as JSON. */
  messages: readonly string[];
  /** Texts of tool results, in order. */
  results: readonly string[];
}

/** One way of speaking with a model: `events` are whole server-sent events, one a piece of text, ready to be written. */
export interface Protocol {
  name: string;
  /** The path of a streamed request. */
  path: RegExp;
  read(body: Json): Asked;
  events(reply: Reply, n: number): string[];
}

export type Json = Record<string, unknown>;

export function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** All strings inside, one after the other: results are nested differently in each protocol. */
export function strings(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(strings).join("\n");
  return typeof value === "object" && value !== null ? Object.values(value).map(strings).join("\n") : "";
}

/** As JSON, without marks of where a cache ends: they move with each request and are no part of what is cached. */
export function plain(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner));
}
