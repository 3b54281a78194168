import { closeSync, constants, openSync, readFileSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { openPrivate } from "../events/private.ts";
import type { Keyring } from "../util/keyring.ts";

/** Services whose keys can be kept, and the variables that go before what is kept. */
export const KEPT_SERVICES = { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" } as const;
export type KeptService = keyof typeof KEPT_SERVICES;

const One = z.union([z.strictObject({ key: z.string() }), z.strictObject({ keyring: z.literal(true) })]);
/** `servers`: sign-ins of tool servers, by a hash of the address. */
const File = z.strictObject({
  anthropic: One.optional(),
  openai: One.optional(),
  servers: z.record(z.string(), One).optional(),
});
type File = z.infer<typeof File>;

export interface KeyPlace {
  /** The program's folder for settings. */
  config: string;
  keyring: Keyring | undefined;
}

/** A key that can't be kept or read; the message says where and what to do. */
export class KeyError extends Error {
  override name = "KeyError";
}

/** Where kept keys are: the keyring, or the values themselves where there is none (0600). */
export function keysFile({ config }: Pick<KeyPlace, "config">): string {
  return join(config, "keys.json");
}

/** The kept key of a service, and where it was. Reads the keyring only where the file says that it is there. @throws KeyError, LogError */
export function storedKey(service: KeptService, place: KeyPlace): { value: string; from: string } | undefined {
  const kept = readKept(place)[service];
  if (kept === undefined) return undefined;
  if ("key" in kept) return { value: kept.key, from: keysFile(place) };
  const value = place.keyring?.read(service);
  return value === undefined || place.keyring === undefined ? undefined : { value, from: place.keyring.name };
}

/** Kept keys for the models of a program: each read when it is first needed, and told to `learn`. */
export function keptKeys(
  place: { config: string; keyring: () => Keyring | undefined },
  learn: (value: string) => void,
): (service: KeptService) => string | undefined {
  const known = new Map<KeptService, string | undefined>();
  return (service) => {
    if (!known.has(service)) {
      const value = storedKey(service, { config: place.config, keyring: place.keyring() })?.value;
      if (value !== undefined) learn(value);
      known.set(service, value);
    }
    return known.get(service);
  };
}

/** Keeps a key in the keyring, or in the file where there is none; gives where it is, and why not in the keyring. @throws KeyError */
export async function keepKey(
  service: KeptService,
  value: string,
  place: KeyPlace,
): Promise<{ where: string; why?: string }> {
  const wrong = problemOf(value);
  if (wrong !== undefined) throw new KeyError(`This is no key: ${wrong}. Nothing was kept.`);
  const kept = readKept(place);
  const why = await place.keyring?.keep(service, value);
  if (place.keyring !== undefined && why === undefined) {
    writeKept({ ...kept, [service]: { keyring: true } }, place);
    return { where: place.keyring.name };
  }
  writeKept({ ...kept, [service]: { key: value } }, place);
  return { where: keysFile(place), ...(why === undefined ? {} : { why: `${place.keyring?.name}: ${why}` }) };
}

/** Removes a kept key; false where there was none. @throws KeyError */
export async function removeKey(service: KeptService, place: KeyPlace): Promise<boolean> {
  const { [service]: kept, ...rest } = readKept(place);
  if (kept === undefined) return false;
  const why = "keyring" in kept ? await place.keyring?.remove(service) : undefined;
  if (why !== undefined) throw new KeyError(`${place.keyring?.name} did not remove the key: ${why}.`);
  writeKept(rest, place);
  return true;
}

/** The kept sign-in of a tool server, as it was given to `keepServer`; undefined where there is none. @throws KeyError, LogError */
export function storedServer(id: string, place: KeyPlace): string | undefined {
  const kept = readKept(place).servers?.[id];
  if (kept === undefined) return undefined;
  return "key" in kept ? kept.key : place.keyring?.read(account(id));
}

/** Keeps a sign-in where keys are; gives where it is. @throws KeyError */
export async function keepServer(id: string, value: string, place: KeyPlace): Promise<string> {
  const failed = await place.keyring?.keep(account(id), value);
  const inKeyring = place.keyring !== undefined && failed === undefined;
  const kept = readKept(place);
  writeKept({ ...kept, servers: { ...kept.servers, [id]: inKeyring ? { keyring: true } : { key: value } } }, place);
  return inKeyring ? (place.keyring?.name ?? "") : keysFile(place);
}

/** Removes one; false where there was none. @throws KeyError */
export async function removeServer(id: string, place: KeyPlace): Promise<boolean> {
  const kept = readKept(place);
  const { [id]: gone, ...servers } = kept.servers ?? {};
  if (gone === undefined) return false;
  const why = "keyring" in gone ? await place.keyring?.remove(account(id)) : undefined;
  if (why !== undefined) throw new KeyError(`${place.keyring?.name} did not remove the sign-in: ${why}.`);
  writeKept({ ...kept, servers }, place);
  return true;
}

function account(id: string): string {
  return `mcp-${id}`;
}

/** How a key is shown: enough to tell it from others, too little to use. */
export function maskedKey(value: string): string {
  const start = /^[a-z]{2}-[a-z]{2,8}-/.exec(value)?.[0] ?? "";
  return value.length < 24 ? `… (${value.length} letters)` : `${start}…${value.slice(-4)} (${value.length} letters)`;
}

function problemOf(value: string): string | undefined {
  if (value === "") return "it is empty";
  if (!/^[!-~]+$/.test(value)) return "it has blanks or letters that no key has";
  return value.length < 8 || value.length > 4096 ? `it has ${value.length} letters` : undefined;
}

function readKept(place: KeyPlace): File {
  const file = keysFile(place);
  const opened = openPrivate(file, true);
  if (opened === undefined) return {};
  try {
    return File.parse(JSON.parse(readFileSync(opened.fd, "utf8")));
  } catch {
    // What stands there could be a key: it is not told.
    throw new KeyError(
      `${file} can't be read as the file of kept keys. Remove it, and keep the keys again with agent key set.`,
    );
  } finally {
    closeSync(opened.fd);
  }
}

/** Written whole under another name: a crash leaves the old one or the new one. */
function writeKept(kept: File, place: KeyPlace): void {
  const file = keysFile(place);
  const temp = `${file}.new`;
  try {
    unlinkSync(temp);
  } catch {
    // There is none, as usual.
  }
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeSync(fd, `${JSON.stringify(kept, undefined, 2)}\n`);
  } finally {
    closeSync(fd);
  }
  renameSync(temp, file);
}
