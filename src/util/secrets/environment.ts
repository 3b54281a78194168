type Env = Readonly<Record<string, string | undefined>>;

/** Variables by which a service is called: their values are keys whatever they look like, and no child has them. */
export const SERVICE_KEYS: ReadonlySet<string> = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "OPENAI_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "CLOUDSDK_AUTH_ACCESS_TOKEN",
]);
const NAMED =
  /(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET(?:_KEY)?|SECRET_ACCESS_KEY|PRIVATE_KEY|(?:AUTH_?|ACCESS_?|SESSION_?)?TOKEN|PASSWORD|PASSWD)$/i;
/** Shorter than this a service's key could be a word of any text. */
const LEAST_SERVICE = 8;
const LEAST = 16;

/** The values of an environment that are keys: those of the services, and long random ones whose names say so. */
export function keysOf(env: Env): string[] {
  const found = Object.entries(env).flatMap(([name, value = ""]) => {
    if (SERVICE_KEYS.has(name))
      return value.split(/\s+/).filter((part) => part.length >= LEAST_SERVICE && !part.endsWith(":"));
    return NAMED.test(name) && isRandom(value) ? [value] : [];
  });
  return [...new Set(found)];
}

/** No path, address or plain word. */
function isRandom(value: string): boolean {
  if (value.length < LEAST || !/^[!-~]+$/.test(value)) return false;
  if (/^[~./]|:\/\//.test(value)) return false;
  return /[0-9]/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 8;
}

/** An environment for a child of the program's: nothing of it is a key of a service. */
export function withoutServiceKeys(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || SERVICE_KEYS.has(name) ? [] : [[name, value]],
    ),
  );
}
