import { readFileSync } from "node:fs";
import type { Clock } from "../util/deps.ts";
import { anthropicModel } from "./anthropic.ts";
import { demoModel } from "./demo.ts";
import type { Model } from "./model.ts";
import { Script, scriptedModel } from "./scripted.ts";

/** Where and as whom the real service is called. The key is in memory alone: it never reaches a log, a child or a screen. */
export interface ModelAccess {
  apiKey?: string;
  authToken?: string;
  baseUrl?: string;
}

export interface ModelDeps {
  clock: Clock;
  access: ModelAccess;
  random(): number;
  /** Milliseconds between two words of the demo; 0 where nobody watches. Default: a readable pace. */
  demoWordMs?: number;
}

/** A model that can't be used; the message is one line that says what to do. */
export class ModelError extends Error {
  override name = "ModelError";
}

/**
 * The model of a name: `demo` (the built-in tour, M3), `scripted:FILE` (turns in a JSON file, M4), anything else the Messages API.
 * @throws ModelError with one readable line when the name or its file can't be used, or a key is missing.
 */
export function openModel(id: string, deps: ModelDeps): Model {
  const [kind, ...rest] = id.split(":");
  if (id === "demo") return demoModel({ clock: deps.clock, wordMs: deps.demoWordMs });
  if (kind === "scripted") return openScript(rest.join(":"), id, deps);
  const { apiKey, authToken, baseUrl } = deps.access;
  if (apiKey === undefined && authToken === undefined && baseUrl === undefined) {
    throw new ModelError(
      `No key for ${id}: set ANTHROPIC_API_KEY, or try --model demo, or point ANTHROPIC_BASE_URL to a local server that speaks the Messages API.`,
    );
  }
  return anthropicModel(id, deps);
}

function openScript(file: string, id: string, { clock }: ModelDeps): Model {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ModelError(
      `Can't read the script ${JSON.stringify(file)}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  const script = Script.safeParse(json);
  if (!script.success) {
    const [issue] = script.error.issues;
    throw new ModelError(
      `The script ${file} is wrong at ${issue?.path.join(".") ?? "its top"}: ${issue?.message ?? ""}`,
    );
  }
  return scriptedModel(script.data, { id, clock });
}
