/** Names of variables that hold keys or lead to them. */
const KEYS =
  /(^|_)(KEY|KEYS|APIKEY|TOKEN|TOKENS|SECRET|SECRETS|PASS|CREDENTIALS?|AUTHORIZATION|PAT|DSN)(_|$)|PASSWORD|PASSWD|PASSPHRASE|SSHPASS|_PWD$|_AUTH$/i;
/** An address with a password in it, wherever it stands in a value. */
const PASSWORD_IN_URL = /:\/\/[^\s/:@]{0,200}:[^\s/@]{1,500}@/;
/** What a program loads before its own first word: another's, not the one that is started. */
const LOADERS = /^(NODE_OPTIONS|BASH_ENV|ENV|UNDERSTUDY_.*)$/;

/** The person's own environment without what holds keys: for programs of theirs that this one starts. */
export function cleanEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !holdsKey(entry[0]) && !holdsPassword(entry[1]) && !LOADERS.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

/** Whether a value has an address with a password in it. */
export function holdsPassword(value: string | undefined): boolean {
  return value !== undefined && PASSWORD_IN_URL.test(value);
}

/** Whether a variable holds a key, by its name. `aNthropicApiKey` counts as `ANTHROPIC_API_KEY`. */
export function holdsKey(name: string): boolean {
  return KEYS.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2"));
}
