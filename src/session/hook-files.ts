import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Hook, type HookSource, STOP_ROUNDS } from "../hooks/hook.ts";
import { type HookSet, hookSet } from "../hooks/hook-set.ts";
import { foreignHooks, hooksOf, programHooks, type ProgramHooks } from "../hooks/read.ts";
import { HooksSetting } from "../hooks/schema.ts";
import { isBelow } from "../workspace/roots.ts";
import { JsoncError, parseJsonc, toValue } from "./jsonc.ts";
import type { HookFiles } from "./hook-unchanged.ts";
import { personSettingsFile, projectSettingsFile, userSettingsFile } from "./rules-files.ts";
import { readSettingsText, SettingsError } from "./settings-file.ts";
import { MACHINE, readManaged, type ManagedPlace } from "./settings-managed.ts";

export interface HookPlace {
  configDir: string;
  /** Real path. */
  folder: string;
  home: string;
  /** Where the machine's settings lie; another place for tests. */
  machine?: ManagedPlace;
}

/** All hooks that there are, trusted or not. */
export interface ReadHooks extends HookSet {
  /** So often in one message Stop hooks send the model on. */
  stopRounds: number;
  /** What was left out, and why: one line each. */
  notices: readonly string[];
  /** Of a session above: the files that its hooks are held to. */
  files?: HookFiles;
}

export const NO_HOOKS: ReadHooks = { ...hookSet([]), stopRounds: STOP_ROUNDS, notices: [] };

/** Files of the folder that may hold hooks; those of `.claude/` are only ever read. */
export function broughtHookFiles(folder: string): { file: string; source: HookSource }[] {
  const files: { file: string; source: HookSource }[] = [
    { file: projectSettingsFile(folder), source: "project" },
    { file: join(folder, ".claude", "settings.json"), source: "claude" },
    { file: join(folder, ".claude", "settings.local.json"), source: "claude" },
  ];
  // Trust is in what lies in the folder: one that leads out of it brings nothing.
  return files.filter(({ file }) => liesIn(folder, dirname(file)));
}

function liesIn(folder: string, path: string): boolean {
  try {
    return isBelow(folder, realpathSync(path));
  } catch {
    return false;
  }
}

/**
 * Hooks that a folder would bring, and what of them can't be used. Runs nothing, follows no link, throws nothing. A file that can't be
 * read at all is told by who reads its rules.
 */
export function broughtHooks(folder: string): { hooks: Hook[]; problems: string[] } {
  const all = broughtHookFiles(folder).map(({ file, source }) => {
    try {
      const { hooks, problems } = foreignHooks(settingIn(file, false)?.["hooks"], { source, file });
      return { hooks, problems: problems.map((problem) => `${file}: ${problem}`) };
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return { hooks: [], problems: [] };
    }
  });
  return { hooks: all.flatMap((a) => a.hooks), problems: all.flatMap((a) => a.problems) };
}

/**
 * Reads the hooks of every file: the machine's, the person's own, the folder's. Files of the person's are strict: what is wrong in one is an
 * error; of the folder's what can't be used is left out and told.
 * @throws SettingsError.
 */
export function readHooks(
  { configDir, folder, home, machine = MACHINE }: HookPlace,
  program?: ProgramHooks,
): ReadHooks {
  const [user, person] = [userSettingsFile(configDir), personSettingsFile(configDir, folder)];
  const own = [
    { file: machine.file, source: "managed", setting: readManaged(machine, home)?.values.hooks ?? {} },
    { file: user, source: "user", setting: ownSetting(user) },
    { file: person, source: "person", setting: ownSetting(person) },
  ] as const;
  const { hooks: brought, problems } = broughtHooks(folder);
  const inCopy = own.some(({ setting }) => setting.inCopy === true);
  const written = [
    ...own.flatMap(({ setting, file, source }) => hooksOf(setting, { source, file })),
    ...programHooks(program ?? {}),
    ...brought,
  ];
  const all = inCopy ? written.map((h) => (h.run.kind === "command" ? { ...h, inCopy } : h)) : written;
  const stopRounds = own.flatMap(({ setting }) => setting.stopRounds ?? []).at(-1) ?? STOP_ROUNDS;
  return { ...hookSet(all), stopRounds, notices: problems };
}

function ownSetting(file: string): HooksSetting {
  const value = settingIn(file, true)?.["hooks"];
  if (value === undefined) return {};
  const read = HooksSetting.safeParse(value);
  if (read.success) return read.data;
  throw new SettingsError(
    read.error.issues.map((issue) => `${file}: hooks.${issue.path.map(String).join(".")}: ${issue.message}`),
  );
}

/** undefined: there is no such file. Throws a SettingsError. */
function settingIn(file: string, own: boolean): Record<string, unknown> | undefined {
  const text = readSettingsText(file, own);
  if (text === undefined) return undefined;
  try {
    const tree = parseJsonc(text);
    const value = toValue(tree);
    if (tree.kind !== "object" || typeof value !== "object" || value === null)
      throw new SettingsError([`${file}: settings are an object in { }`]);
    return { ...value };
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    throw new SettingsError([`${file}: ${error.message}. Mend it, or move the file away.`]);
  }
}
