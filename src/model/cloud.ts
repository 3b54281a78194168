import { createRequire } from "node:module";
import { anthropicModel, type AnthropicDeps } from "./anthropic.ts";
import type { Start } from "./anthropic-client.ts";
import type { ServiceWords } from "./anthropic-error.ts";
import type { Model } from "./model.ts";

/** The clouds that serve the Messages API's models by SDKs of their own. These are large, so they are installed beside the program (ADR 21). */
export type Cloud = "bedrock" | "vertex";

/** Their variables besides the cloud's own credentials, which the SDK finds as all programs of that cloud do. */
export interface CloudAccess {
  region?: string;
  /** Vertex: the project. */
  project?: string;
  /** A ready token: a Bedrock API key, or what `gcloud auth print-access-token` prints. */
  token?: string;
  baseUrl?: string;
}

const PACKAGES: Readonly<Record<Cloud, string>> = {
  bedrock: "@anthropic-ai/bedrock-sdk",
  vertex: "@anthropic-ai/vertex-sdk",
};

const WORDS: Readonly<Record<Cloud, ServiceWords>> = {
  bedrock: {
    name: "Bedrock",
    key: "Check the AWS credentials (aws sts get-caller-identity), or set AWS_BEARER_TOKEN_BEDROCK.",
    url: "ANTHROPIC_BEDROCK_BASE_URL",
  },
  vertex: {
    name: "Vertex AI",
    key: "Check the Google credentials (gcloud auth application-default login).",
    url: "ANTHROPIC_VERTEX_BASE_URL",
  },
};

/** A model of a cloud. Waiting, retries and words are those of the Messages API. */
export function cloudModel(cloud: Cloud, id: string, named: string, access: CloudAccess, deps: AnthropicDeps): Model {
  const start: Start = async (asked, _access, signal, hearing) => {
    const { startBedrock, startVertex } = await import("./cloud-client.ts");
    return (cloud === "bedrock" ? startBedrock : startVertex)(asked, access, signal, hearing);
  };
  // Of all that is secret the token alone is known here, and taken out of every message.
  const known = access.token === undefined ? {} : { apiKey: access.token };
  const at = access.baseUrl === undefined ? {} : { baseUrl: access.baseUrl };
  return anthropicModel(id, { ...deps, access: { ...known, ...at }, named, service: WORDS[cloud], start });
}

/** What has to be done before a model of this cloud can be called, in one line; undefined: nothing. */
export function missingFor(cloud: Cloud, access: CloudAccess): string | undefined {
  const name = PACKAGES[cloud];
  try {
    createRequire(import.meta.url).resolve(name);
  } catch {
    return `Models of ${WORDS[cloud].name} need a package that is not installed: npm i -g ${name} (where understudy is installed globally, else npm i ${name} beside it).`;
  }
  if (cloud === "bedrock" || access.region !== undefined) return undefined;
  return `No region for ${WORDS[cloud].name}: set CLOUD_ML_REGION (such as europe-west1 or global) and ANTHROPIC_VERTEX_PROJECT_ID.`;
}
