import { APIConnectionError, APIError, APIUserAbortError } from "@anthropic-ai/sdk";
import type { Access } from "./anthropic-client.ts";
import { AnswerError, ConnectError } from "./answer-error.ts";
import type { FailureKind } from "./model.ts";
import { isPage, pageWords } from "./answer-head.ts";
import { retryAfter, type Fault } from "./retry.ts";
import { CutError, StalledError } from "./stream-error.ts";

/** What a message needs to know of the request that failed. */
export interface Asked extends Access {
  model: string;
  /** Milliseconds since 1970. */
  now: number;
  service?: ServiceWords | undefined;
}

/** What a service and its settings are called in words to the person. */
export interface ServiceWords {
  /** Where no base URL is set. */
  name: string;
  /** What to do about a key that is refused. */
  key: string;
  /** The variable that names the base URL. */
  url: string;
}

const MESSAGES_API: ServiceWords = {
  name: "the Messages API",
  key: "Set ANTHROPIC_API_KEY to a valid one.",
  url: "ANTHROPIC_BASE_URL",
};

/**
 * Any error of a request, in one readable line that says what to do, and whether to try again (S10). The line never holds the key, whatever
 * a server writes into its answer (E1).
 */
export function faultOf(error: unknown, asked: Asked): Fault {
  const fault = plainFault(error, asked);
  const message = [asked.apiKey, asked.authToken]
    .filter((key) => key !== undefined && key.length > 3)
    .reduce<string>((words, key) => words.replaceAll(key ?? "", "[the key]"), fault.message);
  return { ...fault, message: message.replace(/\s+/g, " ").trim() };
}

function plainFault(error: unknown, asked: Asked): Fault {
  if (error instanceof APIUserAbortError) return { kind: "aborted", message: "Stopped.", retryable: false };
  if (error instanceof StalledError) return { kind: "stalled", message: error.message, retryable: true };
  if (error instanceof CutError) return { kind: "network", message: error.message, retryable: true };
  if (error instanceof AnswerError) return ofAnswer(error, asked);
  if (error instanceof APIError && !(error instanceof APIConnectionError)) return ofAnswer(error, asked);
  const { code, words } = causeOf(error);
  const where = whereOf(asked);
  const { url } = wordsOf(asked);
  if (BAD_URL.test(`${code} ${words}`))
    return permanent("network", `${where} is no address that can be called: ${words}. Check ${url}.`);
  if (BAD_CERTIFICATE.test(code))
    return permanent(
      "network",
      `The certificate of ${where} can't be trusted: ${words} (${code}). Check ${url}, or name your authority's file in NODE_EXTRA_CA_CERTS.`,
    );
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return permanent("network", `${where} answered with headers that are too large to be read. Check ${url}.`);
  if (code.startsWith("Z_"))
    return { kind: "network", message: `The reply could not be unpacked: ${words}.`, retryable: true };
  if (error instanceof SyntaxError)
    return { kind: "network", message: "A part of the reply could not be read.", retryable: true };
  return error instanceof APIConnectionError || error instanceof ConnectError
    ? {
        kind: "network",
        message: `Can't reach ${where}: ${words}. Check the network, or ${url}.`,
        retryable: true,
      }
    : { kind: "network", message: `The reply broke off: ${words}.`, retryable: true };
}

const BAD_URL = /ERR_INVALID_URL|Invalid URL|Failed to parse URL|unknown scheme|bad port/i;
const BAD_CERTIFICATE = /^(CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/;

/** An answer with a status, or an `error` event inside a stream that began with 200: that one has a type alone. */
function ofAnswer(error: APIError | AnswerError, asked: Asked): Fault {
  const fault = inWords(statusOf(error), saidBy(error), asked);
  const told = error.headers?.get("x-should-retry");
  const wait = error.headers === undefined ? undefined : retryAfter(error.headers, asked.now);
  return {
    ...fault,
    // A server that says so itself knows best.
    retryable: told === "true" || (told !== "false" && fault.retryable),
    ...(wait === undefined || !fault.retryable ? {} : { retryAfterMs: wait }),
  };
}

/** What the service said, in one line that is not too long. The SDK puts the status ahead of a body that is no JSON. */
function saidBy(error: APIError | AnswerError): string {
  const said = ("apiMessage" in error ? error.apiMessage : undefined) ?? error.message;
  const own = error.status === undefined ? said : said.replace(new RegExp(`^${error.status} `), "");
  if (isPage("", own)) return `it answered with ${pageWords(own)}`;
  if (own === "status code (no body)") return "it gave no reason";
  return own.split("\n")[0]?.slice(0, 500) ?? "";
}

/** An answer with 200 that is no reply: see `AnswerHead`. */
const NO_REPLY = 0;

const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
  not_a_reply: NO_REPLY,
};

function statusOf({ status, type }: APIError | AnswerError): number {
  return status ?? STATUS[type ?? ""] ?? 500;
}

function inWords(status: number, said: string, asked: Asked): Fault {
  const where = whereOf(asked);
  const { key, url } = wordsOf(asked);
  const orUrl = asked.baseUrl === undefined ? "" : `, or check ${url}`;
  switch (status) {
    case NO_REPLY:
      return permanent(
        "not-found",
        `${where} answered with ${said} where a streamed reply was expected. Check ${url}.`,
      );
    case 400:
    case 422:
      return /prompt is too long|exceed.*context|context.*window/i.test(said)
        ? permanent("too-long", `The conversation no longer fits the model's context: ${said}. /clear starts afresh.`)
        : permanent("bad-request", `${where} refused the request: ${said}`);
    case 401:
      return permanent("auth", `${where} refused the key: ${said}. ${key}`);
    case 402:
    case 403:
      return permanent("auth", `${where} doesn't allow this: ${said}. Check what the key may do.`);
    case 404:
      return permanent(
        "not-found",
        `${where} doesn't know the model ${asked.model}: ${said}. Choose another with --model or /model${orUrl}.`,
      );
    case 413:
      return permanent("too-long", `The request is too large for ${where}: ${said}. /clear starts afresh.`);
    case 429:
      return { kind: "rate-limit", message: `Rate limit of ${where}: ${said}`, retryable: true };
    case 408:
    case 409:
      return { kind: "server", message: `${where} asks to try again: ${said}`, retryable: true };
    case 529:
      return { kind: "overloaded", message: `${where} is overloaded: ${said}`, retryable: true };
    default:
      if (status >= 300 && status < 400)
        return permanent("not-found", `${where} sends to another address, which is not followed. Check ${url}.`);
      return { kind: "server", message: `${where} has a fault (${status}): ${said}`, retryable: status >= 500 };
  }
}

function permanent(kind: FailureKind, message: string): Fault {
  return { kind, message, retryable: false };
}

function wordsOf({ service = MESSAGES_API }: Asked): ServiceWords {
  return service;
}

function whereOf(asked: Asked): string {
  const { baseUrl } = asked;
  if (baseUrl === undefined) return wordsOf(asked).name;
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : JSON.stringify(baseUrl);
}

/** The innermost reason: fetch wraps the system's own error, and that may be a list, one for each address. */
function causeOf(error: unknown): { code: string; words: string } {
  let here: unknown = error;
  for (let depth = 0; depth < 5 && here instanceof Error; depth++) {
    const next: unknown = here instanceof AggregateError ? here.errors[0] : here.cause;
    if (next === undefined) break;
    here = next;
  }
  if (!(here instanceof Error)) return { code: "", words: String(here) };
  const code = "code" in here && typeof here.code === "string" ? here.code : "";
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)) return { code, words: "the connection was closed" };
  return { code, words: (here.message.split("\n")[0] ?? "").replace(/\.$/, "") || code };
}
