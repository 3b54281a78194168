import { readOne } from "../../mcp/config.ts";
import { holdsKey, holdsPassword } from "../../util/clean-env.ts";
import type { Secrets } from "../../util/secrets/secrets.ts";
import type { Found, Scope, Written } from "./found.ts";

/** What no key looks like: a switch, a number, a short word, a path, a plain address. */
const PLAIN = /^(?:true|false|\d{1,9}|[A-Za-z][\w.-]{0,15}|~?\/[^\s$]*|\.{1,2}(?:\/\S*)?|https?:\/\/[^\s@?#]*)$/;
const VARIABLE = /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/g;

/**
 * A server for the person's settings. No value that may be a key is copied: a variable stands in its place, and a note says which to set.
 * What can't be a server here is told.
 */
export function serverFound(
  { name, written, from, scope }: { name: string; written: Written; from: string; scope: Scope },
  secrets: Pick<Secrets, "mask">,
): Found {
  const notes: string[] = [];
  const stand = (variable: string): string => {
    notes.push(`its value stays where it is: set ${variable} in your environment`);
    return `\${${variable}}`;
  };
  const isKey = (value: string): boolean => holdsPassword(value) || secrets.mask(value) !== value;
  const { env, headers, args, url, ...rest } = written;
  if (url !== undefined && (isKey(url) || /[?&][^=&]*(?:key|token|secret|auth)[^=&]*=(?!\$\{)/i.test(url)))
    return { kind: "not", from, why: "its address holds a key: agent mcp add NAME --url … with the key in a header" };
  const hidden = (key: string, value: string): string => {
    const fixed = value.replaceAll(VARIABLE, "");
    if (fixed.trim() === "" || fixed === "Bearer ") return value;
    if (!holdsKey(key) && !isKey(value) && (PLAIN.test(value) || fixed !== value)) return value;
    return stand(variableOf(key, name));
  };
  const header = (key: string, value: string): string => {
    const scheme = /^(Bearer|Basic|Token) (?!\$\{)/i.exec(value)?.[0];
    if (scheme !== undefined) return scheme + stand(variableOf(key, name));
    return /accept|content-type|user-agent|version/i.test(key) && !isKey(value) ? value : hidden(`${key}_KEY`, value);
  };
  const setting = {
    ...(url === undefined ? {} : { type: "http", url }),
    ...rest,
    ...(args === undefined || args.length === 0
      ? {}
      : { args: args.map((word, at) => argument(word, args[at - 1], { name, isKey, stand })) }),
    ...each("env", env, hidden),
    ...each("headers", headers, header),
  };
  const read = readOne(name, setting);
  if (typeof read === "string") return { kind: "not", from, why: read };
  return { kind: "server", from, scope, name, setting, notes: [...new Set(notes)] };
}

function argument(
  word: string,
  before: string | undefined,
  { name, isKey, stand }: { name: string; isKey: (value: string) => boolean; stand: (variable: string) => string },
): string {
  const [, flag, value] = /^(--?[\w-]+)=(.+)$/.exec(word) ?? [];
  if (flag !== undefined && value !== undefined && !value.startsWith("${") && (isFlagOfKey(flag) || isKey(value)))
    return `${flag}=${stand(variableOf(flag, name))}`;
  if (word.startsWith("${")) return word;
  if (before !== undefined && isFlagOfKey(before) && !word.startsWith("-")) return stand(variableOf(before, name));
  return isKey(word) ? stand(variableOf("key", name)) : word;
}

function isFlagOfKey(flag: string): boolean {
  return flag.startsWith("-") && holdsKey(flag.replace(/^-+/, "").replaceAll("-", "_"));
}

/** `TRACKER_AUTHORIZATION` for a header of the server tracker; a variable's own name stays. */
function variableOf(key: string, server: string): string {
  if (/^[A-Z][A-Z0-9_]*$/.test(key) && !key.endsWith("_KEY_KEY")) return key;
  return `${server}_${key.replace(/_KEY$/, "")}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
}

function each(
  key: "env" | "headers",
  of: Readonly<Record<string, string>> | undefined,
  change: (name: string, value: string) => string,
): Record<string, unknown> {
  if (of === undefined || Object.keys(of).length === 0) return {};
  return { [key]: Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(name, value)])) };
}
