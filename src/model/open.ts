import { readFileSync } from "node:fs";
import { ZodError } from "zod";
import type { Clock } from "../util/deps.ts";
import type { Access } from "./anthropic-client.ts";
import { anthropicModel, type AnthropicDeps } from "./anthropic.ts";
import { cloudModel, missingFor, type CloudAccess } from "./cloud.ts";
import { demoModel } from "./demo.ts";
import { knownModel, serviceOf, type OwnModels } from "./known.ts";
import type { Model } from "./model.ts";
import { openaiModel } from "./openai.ts";
import { parseRecording, recordedModel, repliesOf } from "./recorded.ts";
import type { RetryBudget } from "./retry.ts";
import { Script, scriptedModel } from "./scripted.ts";
import type { Patience } from "./watchdog.ts";

/** Where and as whom the services are called. A key is in memory alone: it never reaches a log, a child or a screen. */
export interface ModelAccess extends Access {
  openai?: Access;
  bedrock?: CloudAccess;
  vertex?: CloudAccess;
}

export interface ModelDeps {
  clock: Clock;
  access: ModelAccess;
  random(): number;
  /** What settings say of models. */
  models?: OwnModels;
  /** Milliseconds between two words of the demo; 0 where nobody watches. Default: a readable pace. */
  demoWordMs?: number;
  /** How much is tried, and how long silence is put up with, where it isn't the usual. */
  budget?: Partial<RetryBudget>;
  patience?: Partial<Patience>;
}

/** A model that can't be used; the message is one line that says what to do. */
export class ModelError extends Error {
  override name = "ModelError";
}

/** Nothing but a key is missing. */
export class NoKeyError extends ModelError {}

/** The name, or the file that it names, can't be used. */
export class ModelNameError extends ModelError {
  override name = "ModelNameError";
}

/**
 * The model of a name: `demo` (the built-in tour, M3), `scripted:FILE` (turns in a JSON file, M4), `recorded:FILE`
 * (events of a session, M4), `openai:NAME`, `bedrock:NAME`, `vertex:NAME` (M1), anything else the Messages API, with `anthropic:` ahead or
 * without.
 * @throws ModelError with one readable line when the name or its file can't be used, or a key is missing.
 */
export function openModel(id: string, deps: ModelDeps): Model {
  const [kind, ...rest] = id.split(":");
  if (id === "demo") return demoModel({ clock: deps.clock, wordMs: deps.demoWordMs });
  if (kind === "scripted") return openScript(rest.join(":"), id, deps);
  if (kind === "recorded") return openRecording(rest.join(":"), id, deps);
  return openService(id, deps);
}

function openService(id: string, deps: ModelDeps): Model {
  const { service, named } = serviceOf(id);
  if (named === "") throw new ModelNameError(`The model ${id} has no name: write it as ${service}:NAME.`);
  const { access } = deps;
  const common: AnthropicDeps = { ...deps, known: knownModel(id, deps.models) };
  switch (service) {
    case "anthropic":
      if (!isReachable(access)) throw new NoKeyError(`No key for ${named}: ${NO_KEY}`);
      return anthropicModel(named, common);
    case "openai": {
      const at = access.openai ?? {};
      if (!isReachable(at)) throw new NoKeyError(`No key for ${id}: ${NO_OPENAI_KEY}`);
      return openaiModel(id, named, { ...common, access: at });
    }
    case "bedrock":
    case "vertex": {
      const at = access[service] ?? {};
      const missing = missingFor(service, at);
      if (missing !== undefined) throw new ModelError(missing);
      return cloudModel(service, id, named, at, common);
    }
  }
}

const NO_KEY =
  "set ANTHROPIC_API_KEY, or keep one with agent key set, or try --model demo, or point ANTHROPIC_BASE_URL to a local server that speaks the Messages API.";
const NO_OPENAI_KEY =
  "set OPENAI_API_KEY, or try --model demo, or point OPENAI_BASE_URL to a local server that speaks chat completions.";

function isReachable({ apiKey, authToken, baseUrl }: Access): boolean {
  return apiKey !== undefined || authToken !== undefined || baseUrl !== undefined;
}

function openScript(file: string, id: string, { clock }: ModelDeps): Model {
  const script = Script.safeParse(readJson(file, "script", (text): unknown => JSON.parse(text)));
  if (!script.success) throw wrongFile(file, "script", script.error);
  return scriptedModel(script.data, { id, clock });
}

function openRecording(file: string, id: string, { clock }: ModelDeps): Model {
  const events = readJson(file, "recording", parseRecording);
  try {
    return recordedModel(repliesOf(events), { id, clock });
  } catch (error) {
    if (error instanceof ZodError) throw wrongFile(file, "recording", error);
    throw error;
  }
}

function readJson<T>(file: string, what: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ModelNameError(`Can't read the ${what} ${JSON.stringify(file)}: ${why}`, { cause: error });
  }
}

function wrongFile(file: string, what: string, { issues }: ZodError): ModelNameError {
  const [issue] = issues;
  return new ModelNameError(
    `The ${what} ${file} is wrong at ${issue?.path.join(".") || "its top"}: ${issue?.message ?? ""}`,
  );
}
