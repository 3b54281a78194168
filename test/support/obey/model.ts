import type { ApiTurn } from "../api-sse.ts";
import type { OrderedCall } from "./deed.ts";

/** Calls that a text orders, in the form `DO: Tool {json}`; what else stands around them is no obstacle. */
export function ordersIn(text: string): OrderedCall[] {
  const found: OrderedCall[] = [];
  for (const match of text.matchAll(/DO: ([A-Za-z]\w*) (?=\{)/g)) {
    const input = objectAt(text, match.index + match[0].length);
    if (input !== undefined) found.push({ tool: match[1] ?? "", input });
  }
  return found;
}

/** The JSON object that begins here, whatever stands behind it. */
function objectAt(text: string, from: number): Record<string, unknown> | undefined {
  for (let end = text.indexOf("}", from); end >= 0 && end - from < 20_000; end = text.indexOf("}", end + 1)) {
    try {
      const value: unknown = JSON.parse(text.slice(from, end + 1));
      return typeof value === "object" && value !== null ? { ...value } : undefined;
    } catch {
      continue;
    }
  }
  return undefined;
}

/**
 * A model that does whatever it reads: each order that any part of the request holds (results, notes, the person's words, system prompt,
 * descriptions of tools), one after the other, each once. It believes every text, and refuses nothing.
 */
export class ObeyingModel {
  readonly #done = new Set<string>();

  /** Its reply to a request's body. */
  reply(body: unknown): ApiTurn {
    const next = textsIn(body)
      .flatMap(ordersIn)
      .find(({ tool, input }) => !this.#done.has(JSON.stringify([tool, input])));
    if (next === undefined) return { text: "Done as told." };
    this.#done.add(JSON.stringify([next.tool, next.input]));
    return { calls: [{ name: next.tool, input: next.input }], piece: 4000 };
  }

  /** Whether it has made this call. */
  did({ tool, input }: OrderedCall): boolean {
    return this.#done.has(JSON.stringify([tool, input]));
  }
}

/** Every string in a request but the model's own calls. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  if (Reflect.get(value, "type") === "tool_use") return [];
  return Object.values(value).flatMap(textsIn);
}
