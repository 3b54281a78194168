import type { Env } from "../session/environment.ts";
import { storedKey } from "../session/stored-keys.ts";
import { findKeyring } from "../util/keyring.ts";

/** The environment of trials. Keys that the person keeps with `agent key` are not in the folder of settings that trials have. */
export function trialEnv(env: Env, config: string): Env {
  const place = { config, keyring: findKeyring(env, process.platform) };
  const anthropic = env["ANTHROPIC_API_KEY"] ?? storedKey("anthropic", place)?.value;
  const openai = env["OPENAI_API_KEY"] ?? storedKey("openai", place)?.value;
  return {
    ...env,
    ...(anthropic === undefined ? {} : { ANTHROPIC_API_KEY: anthropic }),
    ...(openai === undefined ? {} : { OPENAI_API_KEY: openai }),
  };
}
