import type Anthropic from "@anthropic-ai/sdk";
import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import { toParams } from "./anthropic-request.ts";
import type { Thinking } from "./known.ts";
import type { ModelRequest } from "./model.ts";
import { watchedFetch, type Hearing } from "./watched-fetch.ts";

/** Where and as whom the service is called. */
export interface Access {
  apiKey?: string;
  authToken?: string;
  baseUrl?: string;
}

/** The Messages API's own events, which every protocol is turned into. */
export type StreamEvent = Anthropic.RawMessageStreamEvent;

/** `named`: what the service calls the model; `thinking`: how that takes effort. */
export interface Asked {
  named: string;
  request: ModelRequest;
  thinking?: Thinking | undefined;
}

/**
 * Begins one streamed request. Whoever speaks another protocol gives the Messages API's events, and throws its errors, an `AnswerError` or
 * a `ConnectError`. Nothing is repeated, printed or traced here.
 */
export type Start = (
  asked: Asked,
  access: Access,
  signal: AbortSignal,
  hearing: Hearing,
) => Promise<AsyncIterable<StreamEvent>>;

/** Through the SDK, which is loaded with the first request. The environment's key is never read: what `access` holds is all there is. */
export const startRequest: Start = async ({ named, request, thinking }, access, signal, hearing) => {
  const { default: Client } = await import("@anthropic-ai/sdk");
  const { apiKey, authToken, baseUrl } = access;
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const client = new Client({
    // As everywhere, a key goes before a token. A local server may want neither; the SDK insists on one.
    ...(apiKey === undefined && authToken !== undefined
      ? { apiKey: null, authToken }
      : { apiKey: apiKey ?? "none", authToken: null }),
    // Said even where it is the usual one, so that no profile in the home folder moves it.
    baseURL: rootOf(baseUrl ?? "https://api.anthropic.com"),
    logger: silent,
    fetch: (url, init) => watchedFetch(url, init, hearing),
    maxRetries: 0,
    openTelemetry: false,
  });
  // Not `messages.create`: that writes warnings about old models onto the screen.
  const body = toParams(named, request, thinking);
  return client.post<Stream<StreamEvent>>("/v1/messages", { body, stream: true, signal, timeout: NEVER_MS });
};

/** The address that `/v1/messages` is put behind: some write the `/v1` along, or a slash. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
}

/** The watchdog decides. */
export const NEVER_MS = 2 ** 31 - 1;
