import { cpSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadKey } from "../events/key.ts";
import { privateFolder } from "../events/private.ts";
import { readSettings } from "../session/settings-file.ts";
import { userSettingsFile } from "../session/rules-files.ts";
import type { SettingsFile } from "../session/settings-schema.ts";
import { hashOf } from "./suite-hash.ts";
import { SuiteError } from "./yaml-file.ts";

/** What is tried out: settings, or a whole folder of them with what lies beside (`settings.json`, skills, memory). */
export interface Variant {
  name: string;
  /** Absolute path; undefined: the program as it comes. */
  from?: string;
  hash: string;
}

export const PLAIN: Variant = { name: "default", hash: "" };

/** Reads `NAME=settings.json` or `NAME=folder`. @throws SuiteError */
export async function variantOf(word: string): Promise<Variant> {
  const [, name, path] = /^([A-Za-z0-9][\w.-]{0,40})=(.+)$/.exec(word) ?? [];
  if (name === undefined || path === undefined)
    throw new SuiteError([`--variant ${word}: write it as NAME=settings.json or NAME=folder`]);
  const from = resolve(path);
  if (!existsSync(from)) throw new SuiteError([`--variant ${name}: there is no ${from}`]);
  return { name, from, hash: await hashOf(from) };
}

/** Of the person's own settings these alone count in a trial: where the models are, and what they cost. All else is the variant's. */
const SERVICE = ["model", "baseUrl", "models", "prices", "retry", "fallbackModel", "effort"] as const;

/** The person's service, and the variant over it. @throws SettingsError naming file, line and key. */
export function variantSettings({ from }: Variant, { configDir, home }: Person): SettingsFile {
  const own = valuesOf(userSettingsFile(configDir), home);
  const service = Object.fromEntries(SERVICE.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]])));
  if (from === undefined) return service;
  return { ...service, ...valuesOf(statSync(from).isDirectory() ? join(from, "settings.json") : from, home) };
}

/** The person whose service the trials use. */
export interface Person {
  configDir: string;
  home: string;
}

/** Makes the folder of settings that the trials of a run share, with a key of its own for their logs. */
export function writeConfig(dir: string, { from }: Variant, settings: SettingsFile): void {
  privateFolder(dir);
  if (from !== undefined && statSync(from).isDirectory())
    cpSync(from, dir, { recursive: true, verbatimSymlinks: true });
  writeFileSync(userSettingsFile(dir), `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
  loadKey(join(dir, "key"));
}

/** What commands may read beside the project, by the settings in this folder of a run. */
export function variantShows(config: string, home: string): readonly string[] {
  return valuesOf(userSettingsFile(config), home).bash?.show ?? [];
}

function valuesOf(file: string, home: string): SettingsFile {
  return readSettings(file, "user", { home, own: true })?.values ?? {};
}
