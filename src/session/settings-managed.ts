import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Rule } from "../events/effect.ts";
import type { LimitName, Scope } from "../loop/ledger.ts";
import { offsetOf, placeOf } from "./jsonc.ts";
import { MANAGED_FILE } from "./rules-files.ts";
import { limitsOf } from "./settings-limits.ts";
import { readSettings, SettingsError, type ReadSettings } from "./settings-file.ts";
import type { SettingsFile } from "./settings-schema.ts";
import type { Flags } from "./settings.ts";

/** Where the machine's settings lie, and whom they must belong to. */
export interface ManagedPlace {
  file: string;
  uid: number;
}

/** What the machine's settings decide for good. */
export interface Managed {
  file: string;
  values: SettingsFile;
  /** Keys that no other source sets: what the file locks, and what it sets itself. */
  locked: ReadonlySet<string>;
}

export const MACHINE: ManagedPlace = { file: MANAGED_FILE, uid: 0 };

/** Writable by the group or by everybody. */
const OTHERS_WRITE = 0o022;

/**
 * Reads the machine's settings (P6); undefined where there are none. Throws a SettingsError for a file that somebody else could have
 * written, that can't be read or holds a mistake: nothing runs then, since it could be the deny that matters.
 */
export function readManaged({ file, uid }: ManagedPlace, home: string): ReadSettings | undefined {
  const read = readSettings(file, "managed", { home, own: true });
  if (read === undefined) return undefined;
  const problems = [
    ...unsafe(file, uid, `chown ${uid === 0 ? "root" : uid} ${file} && chmod go-w ${file}`),
    ...unsafe(dirname(file), uid, `chown ${uid === 0 ? "root" : uid} ${dirname(file)} && chmod go-w ${dirname(file)}`),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return read;
}

function unsafe(path: string, uid: number, mend: string): string[] {
  const stat = statSync(path);
  const words =
    stat.uid !== uid
      ? `belongs to user ${stat.uid}, not to ${uid === 0 ? "root" : `user ${uid}`}`
      : (stat.mode & OTHERS_WRITE) !== 0
        ? "can be written by others"
        : undefined;
  return words === undefined
    ? []
    : [`${path}: ${words}, so the machine's settings can't be relied on. Mend it: ${mend}`];
}

/** Top-level keys that are no values of their own, or count together with those of others. */
const APART = new Set([
  "$schema",
  "folder",
  "locked",
  "permissions",
  "limits",
  "maxTurns",
  "bash",
  "hooks",
  "mcpServers",
]);

/** What of a managed file nobody else decides. */
export function managedOf({ file, values }: ReadSettings): Managed {
  const set = Object.keys(values).filter((key) => !APART.has(key));
  return { file, values, locked: new Set([...(values.locked ?? []), ...set]) };
}

/** The machine's values that stand for themselves; its limits and times of commands are caps for those of others. */
export function withoutCaps({ limits: _limits, maxTurns: _turns, bash: _bash, ...values }: SettingsFile): SettingsFile {
  return values;
}

/** Whether the machine's settings let only their own allows count, and this is one of others. */
export function isLocked({ action, source }: Rule, managed: Managed | undefined): boolean {
  return action === "allow" && source !== "managed" && managed?.locked.has("permissions.allow") === true;
}

/** `file:line` where a file forbids `--bypass`. */
export function bypassPlace({ file, text, tree, values }: ReadSettings): string[] {
  if (values.permissions?.disableBypass !== true) return [];
  return [`${file}:${placeOf(text, offsetOf(tree, ["permissions", "disableBypass"])).line}`];
}

/** Values of the person's file without what the machine's settings lock, and what is said of each. */
export function unlocked(
  read: ReadSettings | undefined,
  managed: Managed | undefined,
): { values: SettingsFile; notices: string[] } {
  if (read === undefined || managed === undefined) return { values: read?.values ?? {}, notices: [] };
  const mine = Object.keys(read.values).filter((key) => managed.locked.has(key) && !APART.has(key));
  const values = Object.fromEntries(Object.entries(read.values).filter(([key]) => !mine.includes(key)));
  const line = (path: readonly string[]) => placeOf(read.text, offsetOf(read.tree, path)).line;
  const allows = managed.locked.has("permissions.allow") && (read.values.permissions?.allow ?? []).length > 0;
  const left = [...mine.map((key) => [key]), ...(allows ? [["permissions", "allow"]] : [])];
  return {
    values,
    notices: left.map((path) => `${read.file}:${line(path)}: ${path.join(".")} is not used: ${managed.file} locks it`),
  };
}

/** Flags by the key that they set. */
const FLAG_KEYS = {
  mode: "mode",
  model: "model",
  effort: "effort",
  fallbackModel: "fallbackModel",
  appendSystemPrompt: "appendSystemPrompt",
  systemPrompt: "appendSystemPrompt",
  allow: "permissions.allow",
} as const;
const FLAG_NAMES = {
  mode: "--mode",
  model: "--model",
  effort: "--effort",
  fallbackModel: "--fallback-model",
  appendSystemPrompt: "--append-system-prompt",
  systemPrompt: "--system-prompt",
  allow: "--allow",
} as const;

/** What was typed, without what the machine's settings lock. */
export function unlockedFlags(flags: Flags, managed: Managed | undefined): { flags: Flags; notices: string[] } {
  const left = { ...flags };
  const notices: string[] = [];
  for (const name of [
    "mode",
    "model",
    "effort",
    "fallbackModel",
    "appendSystemPrompt",
    "systemPrompt",
    "allow",
  ] as const) {
    const value = flags[name];
    if (value === undefined || (name === "allow" && value.length === 0)) continue;
    if (managed?.locked.has(FLAG_KEYS[name]) !== true) continue;
    delete left[name];
    notices.push(`${FLAG_NAMES[name]} is not used: ${managed.file} locks ${FLAG_KEYS[name]}`);
  }
  return { flags: left, notices };
}

/** Throws an Error with one line where the machine's settings lock `key`. */
export function refuseLocked(managed: Managed | undefined, key: "model" | "effort"): void {
  if (managed?.locked.has(key) === true) throw new Error(`The machine's settings (${managed.file}) lock the ${key}.`);
}

/** Throws an Error with one line where the machine's settings let only their own allows count. */
export function refuseAllows(managed: Managed | undefined): void {
  if (managed?.locked.has("permissions.allow") === true)
    throw new Error(`The machine's settings (${managed.file}) let only their own allows count.`);
}

/** Throws an Error with one line where a limit would be looser than the machine's settings allow. */
export function refuseLooser(
  managed: Managed | undefined,
  scope: Scope,
  name: LimitName,
  value: number | undefined,
): void {
  if (managed === undefined) return;
  const { limits = {}, maxTurns } = managed.values;
  const cap =
    scope === "message" && name === "turns"
      ? maxTurns
      : scope === "message"
        ? limitsOf({ limits })[name]
        : limitsOf({ limits }).session?.[name];
  if (cap !== undefined && (value === undefined || value > cap))
    throw new Error(`The machine's settings (${managed.file}) allow no more than they name there.`);
}
