import { APIConnectionError, APIError, APIUserAbortError } from "@anthropic-ai/sdk";
import { retryAfter, type Fault } from "./retry.ts";

/** What the watchdog throws. */
export class StalledError extends Error {
  override name = "StalledError";
}

/** What the stream's end without a whole reply throws. */
export class CutError extends Error {
  override name = "CutError";
}

/** Any error of a request, in one readable line that says what to do, and whether to try again (S10). */
export function faultOf(error: unknown, model: string, where: string, now: number): Fault {
  if (error instanceof APIUserAbortError) return { kind: "aborted", message: "Stopped.", retryable: false };
  if (error instanceof StalledError) return { kind: "stalled", message: error.message, retryable: true };
  if (error instanceof CutError) return { kind: "network", message: error.message, retryable: true };
  if (error instanceof APIConnectionError) {
    return {
      kind: "network",
      message: `Can't reach ${where}: ${causeOf(error)}. Check the network, or ANTHROPIC_BASE_URL.`,
      retryable: true,
    };
  }
  if (error instanceof APIError) return ofStatus(error, model, where, now);
  return { kind: "network", message: `The reply broke off: ${causeOf(error)}.`, retryable: true };
}

function ofStatus(error: APIError, model: string, where: string, now: number): Fault {
  const said = (error.apiMessage ?? error.message).split("\n")[0]?.slice(0, 500) ?? "";
  const wait = error.headers === undefined ? undefined : retryAfter(error.headers, now);
  const retryAfterMs = wait === undefined ? {} : { retryAfterMs: wait };
  switch (error.status) {
    case 400:
    case 422:
      return (
        tooLong(said) ?? { kind: "bad-request", message: `${where} refused the request: ${said}`, retryable: false }
      );
    case 401:
      return {
        kind: "auth",
        message: `${where} refused the key: ${said}. Set ANTHROPIC_API_KEY to a valid one.`,
        retryable: false,
      };
    case 402:
    case 403:
      return {
        kind: "auth",
        message: `${where} doesn't allow this: ${said}. Check what the key may do.`,
        retryable: false,
      };
    case 404:
      return {
        kind: "not-found",
        message: `${where} doesn't know the model ${model}: ${said}. Choose another with --model or /model.`,
        retryable: false,
      };
    case 413:
      return {
        kind: "too-long",
        message: `The request is too large for ${where}: ${said}. /clear starts afresh.`,
        retryable: false,
      };
    case 429:
      return { kind: "rate-limit", message: `Rate limit of ${where}: ${said}`, retryable: true, ...retryAfterMs };
    case 408:
    case 409:
      return { kind: "server", message: `${where} asks to try again: ${said}`, retryable: true, ...retryAfterMs };
    case undefined:
      return inStream(error, said, where);
    default: {
      const kind = error.status === 529 ? "overloaded" : "server";
      return {
        kind,
        message: `${where} has a fault (${error.status}): ${said}`,
        retryable: error.status >= 500,
        ...retryAfterMs,
      };
    }
  }
}

/** An `error` event inside a stream that began with 200: it has a type and no status. */
function inStream(error: APIError, said: string, where: string): Fault {
  switch (error.type) {
    case "invalid_request_error":
      return (
        tooLong(said) ?? { kind: "bad-request", message: `${where} refused the request: ${said}`, retryable: false }
      );
    case "authentication_error":
    case "permission_error":
    case "billing_error":
      return { kind: "auth", message: `${where} doesn't allow this: ${said}. Check the key.`, retryable: false };
    case "not_found_error":
      return { kind: "not-found", message: `${where}: ${said}`, retryable: false };
    case "overloaded_error":
      return { kind: "overloaded", message: `${where} is overloaded: ${said}`, retryable: true };
    case "rate_limit_error":
      return { kind: "rate-limit", message: `Rate limit of ${where}: ${said}`, retryable: true };
    default:
      return { kind: "server", message: `${where} broke off with a fault: ${said}`, retryable: true };
  }
}

function tooLong(said: string): Fault | undefined {
  return /prompt is too long|exceed.*context|context.*window/i.test(said)
    ? {
        kind: "too-long",
        message: `The conversation no longer fits the model's context: ${said}. /clear starts afresh.`,
        retryable: false,
      }
    : undefined;
}

/** The innermost reason: fetch wraps the system's own error. */
function causeOf(error: unknown): string {
  let here: unknown = error;
  for (let depth = 0; depth < 5 && here instanceof Error && here.cause !== undefined; depth++) here = here.cause;
  return here instanceof Error ? (here.message.split("\n")[0] ?? "") : String(here);
}
