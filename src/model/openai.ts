import { anthropicModel, type AnthropicDeps } from "./anthropic.ts";
import type { Start } from "./anthropic-client.ts";
import type { ServiceWords } from "./anthropic-error.ts";
import { knownModel } from "./known.ts";
import { ConnectError } from "./answer-error.ts";
import type { Model, ModelRequest } from "./model.ts";
import { toChat } from "./openai-request.ts";
import { errorOf, fromChat } from "./openai-stream.ts";
import { sseData } from "./sse.ts";
import { watchedFetch } from "./watched-fetch.ts";

const OWN_URL = "https://api.openai.com/v1";

const WORDS: ServiceWords = {
  name: "the OpenAI API",
  key: "Set OPENAI_API_KEY to a valid one.",
  url: "OPENAI_BASE_URL",
};

/**
 * A model of a service that speaks chat completions, OpenAI's own or one that is compatible (M1): Ollama, vLLM, llama.cpp, gateways. Waiting,
 * retries and words are those of the Messages API.
 */
export function openaiModel(id: string, named: string, deps: AnthropicDeps): Model {
  const known = deps.known ?? knownModel(id);
  // A longest reply that is only guessed may be more than the server allows.
  const limited = known.guessed !== true;
  return anthropicModel(id, { ...deps, known, named, service: WORDS, start: startChat(limited) });
}

function startChat(limited: boolean): Start {
  return async ({ named, request, thinking }, { apiKey, baseUrl }, signal, hearing) => {
    const own = baseUrl === undefined || baseUrl.startsWith("https://api.openai.com");
    const limit = own ? "max_completion_tokens" : "max_tokens";
    const body = JSON.stringify(
      toChat(named, thinking === "none" ? withoutEffort(request) : request, limited ? limit : undefined),
    );
    const headers = {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    const url = `${(baseUrl ?? OWN_URL).replace(/\/+$/, "")}/chat/completions`;
    const response = await post(url, { method: "POST", headers, body, signal }, hearing);
    if (!response.ok) throw await refusal(response);
    if (response.body === null) throw new ConnectError("an answer without a body");
    return fromChat(sseData(response.body));
  };
}

function withoutEffort(request: ModelRequest): ModelRequest {
  const { effort: _, ...rest } = request;
  return rest;
}

async function post(url: string, init: RequestInit, hearing: Parameters<Start>[3]): Promise<Response> {
  try {
    return await watchedFetch(url, init, hearing);
  } catch (error) {
    throw new ConnectError("no answer", { cause: error });
  }
}

/** The answer's own words, in the form that OpenAI gives them or as a page of whatever stands in between. */
async function refusal(response: Response): Promise<Error> {
  const text = await response.text().catch(() => "");
  let error: unknown = text.trim().slice(0, 500) || response.statusText;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "error" in body) error = body.error;
  } catch {
    // No JSON: its text is what it said.
  }
  return errorOf(error, response.status, response.headers);
}
