import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { errno } from "../events/log-error.ts";
import { openPrivate, privateFolder } from "../events/private.ts";
import type { MakeId } from "../util/deps.ts";

/** What the person last said of a folder. */
export const KeptTrust = z.strictObject({
  v: z.literal(1),
  /** Real path. */
  folder: z.string(),
  /** False: open it without what it brings, and don't ask again. */
  trusted: z.boolean(),
  /** ISO time. */
  at: z.string(),
  /** Who owned the folder then. */
  owner: z.number(),
  /** Over the executable parts (`Survey.hash`). */
  hash: z.string(),
  /** Hash of each part by its id, to say what is other. */
  parts: z.record(z.string(), z.string()),
  /** The same of rules and memory. */
  texts: z.record(z.string(), z.string()),
});
export type KeptTrust = z.infer<typeof KeptTrust>;

const MOST_BYTES = 8 << 20;

function trustFolder(configDir: string): string {
  return join(configDir, "trust");
}

function trustFile(configDir: string, folder: string): string {
  return join(trustFolder(configDir), `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.json`);
}

/** undefined: nothing was said, or what was can't be relied on: a damaged file, one that others may write, another folder's. */
export function readTrust(configDir: string, folder: string): KeptTrust | undefined {
  const kept = readFile(trustFile(configDir, folder));
  return kept?.folder === folder ? kept : undefined;
}

/** All that was said, by folder; files that can't be relied on are left out. */
export function listTrust(configDir: string): KeptTrust[] {
  let names: string[];
  try {
    names = readdirSync(trustFolder(configDir));
  } catch (error) {
    if (errno(error) === "ENOENT") return [];
    throw error;
  }
  const all = names.filter((n) => n.endsWith(".json")).map((n) => readFile(join(trustFolder(configDir), n)));
  return all.filter((kept) => kept !== undefined).toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Whole or not at all, 0600. Throws what the machine says where it can't be written. */
export function writeTrust(configDir: string, kept: KeptTrust, makeId: MakeId): void {
  const file = trustFile(configDir, kept.folder);
  privateFolder(dirname(file));
  const temp = `${file}.${makeId("save")}.tmp`;
  const fd = openSync(temp, "wx", 0o600);
  try {
    writeFileSync(fd, JSON.stringify(kept, undefined, 1) + "\n");
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temp, file);
}

/** Gives whether anything was said of it. */
export function removeTrust(configDir: string, folder: string): boolean {
  try {
    unlinkSync(trustFile(configDir, folder));
    return true;
  } catch (error) {
    if (errno(error) === "ENOENT") return false;
    throw error;
  }
}

function readFile(file: string): KeptTrust | undefined {
  try {
    const opened = openPrivate(file);
    if (opened === undefined) return undefined;
    try {
      return opened.size > MOST_BYTES ? undefined : KeptTrust.parse(JSON.parse(readFileSync(opened.fd, "utf8")));
    } finally {
      closeSync(opened.fd);
    }
  } catch {
    // Fail closed: what can't be read is asked again.
    return undefined;
  }
}
