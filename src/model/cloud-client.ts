import type { Asked, StreamEvent } from "./anthropic-client.ts";
import { toParams } from "./anthropic-request.ts";
import { AnswerError, ConnectError } from "./answer-error.ts";
import type { CloudAccess } from "./cloud.ts";
import { watchedFetch, type Hearing } from "./watched-fetch.ts";

/** All that is used of either SDK's client. */
interface Client {
  post(path: string, options: object): PromiseLike<unknown>;
}

const NEVER_MS = 2 ** 31 - 1;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

function common(hearing: Hearing, { baseUrl }: CloudAccess): object {
  return {
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    logger: SILENT,
    maxRetries: 0,
    openTelemetry: false,
    fetch: (url: string | URL | Request, init?: RequestInit) => watchedFetch(url, init, hearing),
  };
}

/** One request to Bedrock, signed by the AWS credentials of this machine unless there is a token. */
export async function startBedrock(
  asked: Asked,
  access: CloudAccess,
  signal: AbortSignal,
  hearing: Hearing,
): Promise<AsyncIterable<StreamEvent>> {
  const { AnthropicBedrock } = await import("@anthropic-ai/bedrock-sdk");
  const { region, token } = access;
  const client = new AnthropicBedrock({
    ...common(hearing, access),
    ...(region === undefined ? {} : { awsRegion: region }),
    ...(token === undefined ? { apiKey: null } : { apiKey: token }),
  });
  return post(client, asked, signal);
}

/** One request to Vertex AI, by Google's application default credentials unless there is a token. */
export async function startVertex(
  asked: Asked,
  access: CloudAccess,
  signal: AbortSignal,
  hearing: Hearing,
): Promise<AsyncIterable<StreamEvent>> {
  const { AnthropicVertex } = await import("@anthropic-ai/vertex-sdk");
  const { region, project, token } = access;
  const ready = { getRequestHeaders: () => Promise.resolve(new Headers({ authorization: `Bearer ${token}` })) };
  const client = new AnthropicVertex({
    ...common(hearing, access),
    region: region ?? null,
    projectId: project ?? null,
    // The one thing that the SDK calls of it.
    ...(token === undefined ? {} : { authClient: ready as never }),
  });
  return post(client, asked, signal);
}

async function post(
  client: Client,
  { named, request, thinking }: Asked,
  signal: AbortSignal,
): Promise<AsyncIterable<StreamEvent>> {
  const body = toParams(named, request, thinking);
  try {
    const events = await client.post("/v1/messages", { body, stream: true, signal, timeout: NEVER_MS });
    return translated(events as AsyncIterable<StreamEvent>);
  } catch (error) {
    throw ours(error);
  }
}

async function* translated(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  try {
    yield* events;
  } catch (error) {
    throw ours(error);
  }
}

/** What Bedrock calls its faults inside a stream. */
const AWS: Readonly<Record<string, string>> = {
  throttlingException: "rate_limit_error",
  validationException: "invalid_request_error",
  serviceUnavailableException: "overloaded_error",
};

/**
 * Each of these SDKs brings its own copy of the Messages API's, so its errors are known by what they hold, not by their class.
 */
function ours(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // Where credentials are fetched from may be out of reach, as the service itself.
  if (/ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT/.test(causes(error)))
    return new ConnectError(error.message, { cause: error });
  if (/credential|default credentials|could not load|token is expired|sso session/i.test(error.message + causes(error)))
    return new AnswerError(innermost(error).message, { status: 401 });
  const { status, type, headers, apiMessage } = error as {
    status?: unknown;
    type?: unknown;
    headers?: unknown;
    apiMessage?: unknown;
  };
  if (typeof type === "string" && type in AWS) return new AnswerError(error.message, { type: AWS[type] ?? type });
  if (typeof status === "number" || typeof type === "string")
    return new AnswerError(typeof apiMessage === "string" ? apiMessage : error.message, {
      ...(typeof status === "number" ? { status } : {}),
      ...(typeof type === "string" ? { type } : {}),
      ...(headers instanceof Headers ? { headers } : {}),
    });
  if (error.constructor.name.startsWith("APIConnection"))
    return new ConnectError(error.message, { cause: error.cause ?? error });
  return error;
}

function causes(error: Error): string {
  return error.cause instanceof Error ? ` ${error.cause.message}${causes(error.cause)}` : "";
}

function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}
