import type Anthropic from "@anthropic-ai/sdk";
import type { Stream } from "@anthropic-ai/sdk/core/streaming";

/** Where and as whom the service is called. */
export interface Access {
  apiKey?: string;
  authToken?: string;
  baseUrl?: string;
}

type Events = Stream<Anthropic.RawMessageStreamEvent>;

/** What a request's connection tells while it goes on. */
export interface Hearing {
  /** A piece has arrived. */
  alive(): void;
  /** The head of the answer has arrived, whatever its status. */
  head(headers: Headers): void;
}

/**
 * Begins one streamed request. Whoever speaks another protocol gives the Messages API's events, and throws its errors or an `AnswerError`
 * or a `ConnectError`. Nothing is repeated, printed or traced here.
 */
export type Start = (
  body: Anthropic.MessageCreateParamsStreaming,
  access: Access,
  signal: AbortSignal,
  hearing: Hearing,
) => Promise<AsyncIterable<Anthropic.RawMessageStreamEvent>>;

/** Through the SDK, which is loaded with the first request. The environment's key is never read: what `access` holds is all there is. */
export async function startRequest(
  body: Anthropic.MessageCreateParamsStreaming,
  access: Access,
  signal: AbortSignal,
  hearing: Hearing,
): Promise<Events> {
  const { default: Client } = await import("@anthropic-ai/sdk");
  const { apiKey, authToken, baseUrl } = access;
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const client = new Client({
    // As everywhere, a key goes before a token. A local server may want neither; the SDK insists on one.
    ...(apiKey === undefined && authToken !== undefined
      ? { apiKey: null, authToken }
      : { apiKey: apiKey ?? "none", authToken: null }),
    // Said even where it is the usual one, so that no profile in the home folder moves it.
    baseURL: baseUrl ?? "https://api.anthropic.com",
    logger: silent,
    fetch: (url, init) => watchedFetch(url, init, hearing),
    maxRetries: 0,
    openTelemetry: false,
  });
  // Not `messages.create`: that writes warnings about old models onto the screen.
  return client.post<Events>("/v1/messages", { body, stream: true, signal, timeout: NEVER_MS });
}

/** The watchdog decides. */
const NEVER_MS = 2 ** 31 - 1;

/** Tells of every piece that arrives: the SDK keeps pings to itself. */
export async function watchedFetch(
  url: string | URL | Request,
  init: RequestInit | undefined,
  { alive, head }: Hearing,
): Promise<Response> {
  const response = await fetch(url, init);
  alive();
  head(response.headers);
  if (response.body === null) return response;
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      alive();
      out.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(watched), response);
}
