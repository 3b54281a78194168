import { createHash } from "node:crypto";

/** Tokens of a request by how the cache had them, as the service reports them. */
export interface Cached {
  input: number;
  cacheRead: number;
  cacheWrite: number;
}

/** How far behind a breakpoint an older entry is looked for. */
const LOOK_BACK = 20;
/** A shorter prefix is not kept. */
const LEAST = 1024;

type Block = Record<string, unknown>;

/**
 * The service's prompt cache in small: entries at breakpoints, found where all before them is the same, byte by byte, and looked for at most
 * 20 blocks ahead of a breakpoint. What the reply is asked for (thinking, effort) belongs to the conversation's part.
 */
export class ApiCache {
  readonly #entries = new Set<string>();
  /** Most breakpoints of one request. */
  marks = 0;

  take(body: Record<string, unknown>): Cached {
    const blocks = blocksOf(body);
    const digest = createHash("sha256");
    const keys: string[] = [];
    const sizes: number[] = [];
    let size = 0;
    for (const { text } of blocks) {
      digest.update(text);
      size += Math.ceil(text.length / 3.5);
      keys.push(digest.copy().digest("hex"));
      sizes.push(size);
    }
    const marks = blocks.flatMap(({ marked }, i) => (marked ? [i] : []));
    this.marks = Math.max(this.marks, marks.length);
    const hit = Math.max(-1, ...marks.map((at) => this.#newest(keys, at)));
    for (const at of marks) if ((sizes[at] ?? 0) >= LEAST) this.#entries.add(keys[at] ?? "");
    const cacheRead = hit < 0 ? 0 : (sizes[hit] ?? 0);
    const kept = marks.filter((at) => (sizes[at] ?? 0) >= LEAST);
    const written = kept.length === 0 ? 0 : (sizes[kept.at(-1) ?? 0] ?? 0);
    return { cacheRead, cacheWrite: Math.max(0, written - cacheRead), input: size - Math.max(written, cacheRead) };
  }

  #newest(keys: readonly string[], at: number): number {
    for (let i = at; i >= 0 && i > at - LOOK_BACK; i--) if (this.#entries.has(keys[i] ?? "")) return i;
    return -1;
  }
}

/** A block of a request as the cache sees it. */
export interface CacheBlock {
  where: string;
  /** Its bytes, with all that they depend on. */
  text: string;
  marked: boolean;
}

/** Tools, system prompt, messages. */
export function blocksOf(body: Record<string, unknown>): CacheBlock[] {
  const list = (value: unknown): Block[] => (Array.isArray(value) ? (value as Block[]) : []);
  const asked = JSON.stringify([body["thinking"], body["output_config"]]);
  const block = (where: string, asks: string, { cache_control, ...rest }: Block): CacheBlock => ({
    where,
    text: JSON.stringify([where, rest, asks]),
    marked: cache_control !== undefined,
  });
  return [
    ...list(body["tools"]).map((tool) => block("tool", "", tool)),
    ...list(body["system"]).map((part) => block("system", "", part)),
    ...list(body["messages"]).flatMap(({ role, content }) =>
      list(content).map((part) => block(String(role), asked, part)),
    ),
  ];
}
