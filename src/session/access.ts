import type { ModelAccess } from "../model/open.ts";
import type { Env } from "./environment.ts";
import type { KeptService } from "./stored-keys.ts";

/**
 * Keys and addresses of the services out of the program's environment. They go into the model alone; children get an allow-list of
 * variables, which has none of these. `baseUrl`: of the settings. `kept`: keys that the person keeps (`agent key set`).
 */
export function accessOf(
  env: Env,
  baseUrl: string | undefined,
  kept: (service: KeptService) => string | undefined = () => undefined,
): ModelAccess {
  const set = (name: string) => (env[name] === "" ? undefined : env[name]);
  const token = set("ANTHROPIC_AUTH_TOKEN");
  return {
    ...given("apiKey", set("ANTHROPIC_API_KEY") ?? (token === undefined ? kept("anthropic") : undefined)),
    ...given("authToken", token),
    ...given("baseUrl", set("ANTHROPIC_BASE_URL") ?? baseUrl),
    openai: {
      ...given("apiKey", set("OPENAI_API_KEY") ?? kept("openai")),
      ...given("baseUrl", set("OPENAI_BASE_URL")),
    },
    bedrock: {
      ...given("region", set("AWS_REGION") ?? set("AWS_DEFAULT_REGION")),
      ...given("token", set("AWS_BEARER_TOKEN_BEDROCK")),
      ...given("baseUrl", set("ANTHROPIC_BEDROCK_BASE_URL")),
    },
    vertex: {
      ...given("region", set("CLOUD_ML_REGION")),
      ...given("project", set("ANTHROPIC_VERTEX_PROJECT_ID")),
      ...given("token", set("CLOUDSDK_AUTH_ACCESS_TOKEN")),
      ...given("baseUrl", set("ANTHROPIC_VERTEX_BASE_URL")),
    },
  };
}

function given<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  const part: Partial<Record<K, string>> = {};
  if (value !== undefined) part[key] = value;
  return part;
}
