import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SignedIn, type SignIns } from "../mcp/signed-in.ts";
import { hashText } from "../util/hash.ts";
import type { Keyring } from "../util/keyring.ts";
import { KeyError, keepServer, removeServer, storedServer } from "./stored-keys.ts";
import { LogError } from "../events/log-error.ts";

export interface SignInPlace {
  /** The program's folders for settings and state. */
  config: string;
  state: string;
  keyring: () => Keyring | undefined;
  /** Told each value that is a key. */
  learn: (value: string) => void;
}

const Wanted = z.array(z.string());
const MOST_WANTED = 200;

/** The person's sign-ins at tool servers, in the place of keys; each bound to the address that it was made for. Read when one is needed. */
export function signInsAt({ config, state, keyring, learn }: SignInPlace): SignIns {
  let found: { keyring: Keyring | undefined } | undefined;
  const place = () => ({ config, keyring: (found ??= { keyring: keyring() }).keyring });
  const wantedFile = join(state, "mcp-wanted.json");
  return {
    read(url) {
      const text = stored(idOf(url), place());
      const signed = text === undefined ? undefined : parsed(text);
      for (const value of [signed?.accessToken, signed?.refreshToken, signed?.clientSecret])
        if (value !== undefined) learn(value);
      return signed;
    },
    keep(url, signed) {
      for (const value of [signed.accessToken, signed.refreshToken, signed.clientSecret])
        if (value !== undefined) learn(value);
      return keepServer(idOf(url), JSON.stringify(signed), place());
    },
    forget: (url) => removeServer(idOf(url), place()),
    wanted: (url) => readWanted(wantedFile).includes(idOf(url)),
    setWanted(url, wanted) {
      const before = readWanted(wantedFile);
      const others = before.filter((id) => id !== idOf(url));
      if (before.length - others.length === Number(wanted)) return;
      writeWanted(wantedFile, wanted ? [...others, idOf(url)].slice(-MOST_WANTED) : others);
    },
  };
}

function idOf(url: string): string {
  return hashText(url).slice(0, 32);
}

/** A place that can't be read is as none: the server says then that it wants a sign-in, and `agent mcp auth` says what is wrong. */
function stored(id: string, place: { config: string; keyring: Keyring | undefined }): string | undefined {
  try {
    return storedServer(id, place);
  } catch (error) {
    if (error instanceof KeyError || error instanceof LogError) return undefined;
    throw error;
  }
}

function parsed(text: string): SignedIn | undefined {
  try {
    return SignedIn.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function readWanted(file: string): string[] {
  try {
    return Wanted.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return [];
  }
}

/** Only for what lists show: one that can't be written changes nothing else. */
function writeWanted(file: string, ids: readonly string[]): void {
  try {
    writeFileSync(`${file}.new`, JSON.stringify(ids), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // The next look at the server says it again.
  }
}
