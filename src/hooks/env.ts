/** Names of variables that hold keys or lead to them. */
const KEYS =
  /(^|_)(KEY|KEYS|APIKEY|TOKEN|TOKENS|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTHORIZATION|PAT)(_|$)/i;
/** What a program loads before its own first word: another's, not the hook's. */
const LOADERS = /^(NODE_OPTIONS|BASH_ENV|ENV|UNDERSTUDY_.*)$/;

/**
 * The environment of a hook: the person's own without what holds keys, and where the project lies, by our name and by the one that
 * scripts of the ecosystem know.
 * @param mark put into every descendant's environment, by which they are found again.
 */
export function hookEnv(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  mark: string,
): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isKey(entry[0]) && !LOADERS.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), AGENT_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder, [MARK]: mark };
}

/** By its name. `aNthropicApiKey` counts as `ANTHROPIC_API_KEY`. */
function isKey(name: string): boolean {
  return KEYS.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2"));
}

export const MARK = "AGENT_HOOK_RUN";
