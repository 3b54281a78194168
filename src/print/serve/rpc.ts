import { z } from "zod";
import { jsonLine } from "../../util/json-line.ts";
import { linesOf } from "../lines.ts";

const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** Of JSON-RPC. */
export const CODE = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, internal: -32_603 } as const;

/** An answer that is an error. */
export class RpcError extends Error {
  override name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface RpcDeps {
  input: ReadableStream<Uint8Array>;
  send(text: string): Promise<void>;
  /** Gives the result; a RpcError is told as one. `signal`: the client takes the request back, or is gone. */
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<object>;
  /** Aborted when nobody is there any more. */
  gone: AbortSignal;
}

/** Answers requests, a line each, until the input ends; then all that runs is taken back and awaited. Requests run side by side. */
export async function answerLines(deps: RpcDeps): Promise<void> {
  const running = new Map<string | number, AbortController>();
  const work = new Set<Promise<void>>();
  const end = new AbortController();
  const tell = (message: object) => deps.send(`${jsonLine({ jsonrpc: "2.0", ...message })}\n`).catch(() => undefined);
  const begin = async (id: string | number, method: string, params: Readonly<Record<string, unknown>>) => {
    const stop = new AbortController();
    running.set(id, stop);
    try {
      const signal = AbortSignal.any([stop.signal, end.signal, deps.gone]);
      const result = await deps.request(method, params, signal);
      if (!stop.signal.aborted) await tell({ id, result });
    } catch (error) {
      const code = error instanceof RpcError ? error.code : CODE.internal;
      await tell({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
    } finally {
      running.delete(id);
    }
  };
  for await (const line of linesOf(pieces(deps.input, deps.gone))) {
    const read = Message.safeParse("text" in line ? parsed(line.text) : undefined);
    if (!read.success) {
      const message = "problem" in line ? `the line is ${line.problem}` : "no message of JSON-RPC 2.0";
      await tell({ id: null, error: { code: CODE.parse, message } });
      continue;
    }
    const { id, method, params = {} } = read.data;
    if (method === "notifications/cancelled")
      running.get(z.union([z.string(), z.number()]).catch("").parse(params["requestId"]))?.abort();
    if (id === undefined || method === undefined) continue;
    if (running.has(id)) {
      await tell({ id, error: { code: CODE.request, message: `a request ${id} runs already` } });
      continue;
    }
    const one = begin(id, method, params).finally(() => work.delete(one));
    work.add(one);
  }
  end.abort();
  await Promise.all(work);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function* pieces(input: ReadableStream<Uint8Array>, gone: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = input.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  gone.addEventListener("abort", stop, { once: true });
  if (gone.aborted) stop();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}
