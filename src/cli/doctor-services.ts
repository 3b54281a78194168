import { missingFor } from "../model/cloud.ts";
import { accessOf } from "../session/access.ts";
import type { Env } from "../session/environment.ts";

/** What there is to reach the other services with, a line each; keys are named, never shown. */
export function serviceLines(env: Env): [name: string, value: string][] {
  const { openai = {}, bedrock = {}, vertex = {} } = accessOf(env, undefined);
  const key = openai.apiKey === undefined ? "no key" : "key from OPENAI_API_KEY";
  return [
    ["openai:", openai.baseUrl === undefined ? key : `${key}, ${openai.baseUrl}`],
    ["bedrock:", missingFor("bedrock", bedrock) ?? `region ${bedrock.region ?? "us-east-1 (AWS_REGION)"}`],
    ["vertex:", missingFor("vertex", vertex) ?? `region ${vertex.region ?? "none"}`],
  ];
}
