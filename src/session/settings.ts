import type { Mode, Rule } from "../events/effect.ts";
import type { Effort } from "../events/event.ts";
import { crowdText, withoutCrowds } from "../permissions/rule-crowd.ts";
import type { Checks } from "../loop/check.ts";
import type { Limits } from "../loop/deps.ts";
import type { OwnModels } from "../model/known.ts";
import type { ToolSettings } from "../tools/tool.ts";
import { MODEL, PRICES } from "./defaults.ts";
import type { Prices } from "./prices.ts";
import type { RetrySettings } from "./retry-settings.ts";
import { foldersAround, readAround } from "./settings-around.ts";
import { elsewhereFiles, readElsewhere } from "./settings-elsewhere.ts";
import {
  bypassPlace,
  isLocked,
  MACHINE,
  managedOf,
  readManaged,
  unlocked,
  unlockedFlags,
  withoutCaps,
  type Managed,
  type ManagedPlace,
} from "./settings-managed.ts";
import { personSettingsFile, projectSettingsFile, userSettingsFile } from "./rules-files.ts";
import { checksOf } from "./settings-checks.ts";
import { type Flags, typedRules } from "./settings-flags.ts";
import { limitsOf, tightened } from "./settings-limits.ts";
import { readSettings, SettingsError } from "./settings-file.ts";
import { leftOut } from "./settings-left-out.ts";
import type { SettingsFile } from "./settings-schema.ts";

export type { Flags };

/** Limits of the tools where no settings say otherwise. */
export const defaultToolSettings: ToolSettings = {
  bash: { timeoutMs: 120_000, maxTimeoutMs: 600_000, outputChars: 30_000, before: false },
  read: { maxBytes: 10 << 20, maxLines: 2000, maxChars: 100_000 },
  grep: { maxMatches: 200 },
  glob: { maxFiles: 200 },
};

export interface SettingsOptions {
  /** `$XDG_CONFIG_HOME/understudy` or what UNDERSTUDY_CONFIG names. */
  configDir: string;
  /** Real path of the folder. */
  folder: string;
  /** Added folders, whose own settings tighten too. */
  addDirs?: readonly string[];
  home: string;
  flags?: Flags;
  /** Where the machine's settings lie; another place for tests. */
  machine?: ManagedPlace;
}

/** All settings, merged. */
export interface Settings {
  model: string;
  /** Whether a file or a flag named the model. */
  modelNamed: boolean;
  fallbackModel?: string;
  retry: RetrySettings;
  mode: Mode;
  baseUrl?: string;
  effort?: Effort;
  theme: string;
  /** Motion, what a stop does to what waits, the status row's script (F-2, F-4, Q-4). */
  screen: NonNullable<SettingsFile["screen"]>;
  /** What the screen tells the terminal's window (N-1). */
  terminal: NonNullable<SettingsFile["terminal"]>;
  /** The composer (IN-7, IN-16). */
  editor: NonNullable<SettingsFile["editor"]>;
  /** Placeholders stand for keys (E1). */
  maskKeys: boolean;
  appendSystemPrompt?: string;
  notes: boolean;
  limits: Limits;
  /** Completion checks (S9). */
  checks?: Checks;
  tools: ToolSettings;
  prices: Prices;
  /** Files and folders that commands may read besides, absolute (W1). */
  shown: readonly string[];
  models?: OwnModels;
  /** Of files and flags, in order of their source. */
  rules: readonly Rule[];
  /** Where those of files stand, `file:line`; a rule by its identity. */
  places: ReadonlyMap<Rule, string>;
  /** What the machine's settings decide, where there are any. */
  managed?: Managed;
  /** `file:line` of what forbids `--bypass`. */
  noBypass?: string;
  /** Files that were read. */
  files: readonly string[];
  /** What was left out, and why: one line each. */
  notices: readonly string[];
}

/**
 * Reads and merges the settings: defaults, then the user's, then the person's own for this project, then flags, and the machine's above
 * all; the project's own files only tighten, those in `.claude/` by their rules alone, and so do those of the folders around it. Throws a SettingsError that names file, line and
 * key of every problem; nothing is then loaded at all.
 */
export function loadSettings(options: SettingsOptions): Settings {
  const { configDir, folder, addDirs = [], home, machine = MACHINE } = options;
  const problems: string[] = [];
  const tried = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const read = (file: string, source: "user" | "person" | "project") =>
    tried(() => readSettings(file, source, { home, own: source !== "project" }));
  const top = tried(() => readManaged(machine, home));
  const user = read(userSettingsFile(configDir), "user");
  const person = read(personSettingsFile(configDir, folder), "person");
  const project = read(projectSettingsFile(folder), "project");
  const around = readAround(foldersAround(folder, addDirs, home), home, tried);
  const managed = top === undefined ? undefined : managedOf(top);
  const { flags, notices } = unlockedFlags(options.flags ?? {}, managed);
  const typed = typedRules(flags, { folder, home }, problems);
  if (problems.length > 0) throw new SettingsError(problems);
  const elsewhere = [
    ...elsewhereFiles(folder, home).flatMap(({ file, source }) => readElsewhere(file, source, { folder, home }) ?? []),
    ...around.elsewhere,
  ];
  const [mine, own] = [unlocked(user, managed), unlocked(person, managed)];
  const loose = over(fromFlags(flags, over(mine.values, own.values)), withoutCaps(managed?.values ?? {}));
  const files = [top, user, person, project, ...around.projects].filter((f) => f !== undefined);
  const tight = [managed, project, ...around.projects].reduce((t, by) => tighten(t, by?.values ?? {}), resolve(loose));
  const { file = "", values = {} } = project ?? {};
  const { checks, notices: checked } = checksOf(loose, { ...values, file }, tight.tools.bash.before);
  const noBypass = files.flatMap(bypassPlace).concat(elsewhere.flatMap((e) => e.noBypass ?? []))[0];
  const all = [...files, ...elsewhere].flatMap((f) => f.rules);
  // Of all the project's files together, too.
  const { kept, crowds } = withoutCrowds(all.filter((rule) => rule.source === "project"));
  const theirs = new Set(kept);
  const rules = [
    ...all.filter((rule) => rule.source !== "project" || theirs.has(rule)),
    ...crowds.map(({ first, text }): Rule => ({ ...first, text })),
  ];
  return {
    ...tight,
    shown: shownOf([mine.values, own.values, managed?.values ?? {}], home),
    modelNamed: tight.modelNamed || managed?.locked.has("model") === true,
    ...(checks === undefined ? {} : { checks }),
    rules: [...rules, ...typed.rules].filter((rule) => !isLocked(rule, managed)),
    places: new Map([...files, ...elsewhere].flatMap((f) => [...f.places])),
    ...(managed === undefined ? {} : { managed }),
    ...(noBypass === undefined ? {} : { noBypass }),
    files: [...files, ...elsewhere].map((f) => f.file),
    notices: [
      ...notices,
      ...typed.notices,
      ...mine.notices,
      ...own.notices,
      ...(project === undefined ? [] : leftOut(project, personSettingsFile(configDir, folder))),
      ...[project, ...around.projects].flatMap((p) => p?.crowded ?? []),
      ...elsewhere.flatMap((e) => e.notices),
      ...crowds.map((crowd) => `The project's settings together: ${crowdText(crowd)}.`),
      ...checked,
    ],
  };
}

/** Every file that rules may lie in. */
export function settingsFiles({
  configDir,
  folder,
  addDirs = [],
  home,
}: Pick<SettingsOptions, "configDir" | "folder" | "addDirs" | "home">): string[] {
  const own = [userSettingsFile(configDir), personSettingsFile(configDir, folder)];
  const folders = [folder, ...foldersAround(folder, addDirs, home)];
  const projects = folders.flatMap((at) => [projectSettingsFile(at), ...elsewhereFiles(at, home).map((f) => f.file)]);
  return [...new Set([MACHINE.file, ...own, ...projects])];
}

/** What files of the person and of the machine name, together. */
function shownOf(files: readonly SettingsFile[], home: string): string[] {
  return files.flatMap(({ bash }) => bash?.show ?? []).map((path) => path.replace(/^~/, home));
}

/** The later one wins, key by key. */
function over(below: SettingsFile, above: SettingsFile): SettingsFile {
  return {
    ...below,
    ...above,
    limits: {
      ...below.limits,
      ...above.limits,
      session: { ...below.limits?.session, ...above.limits?.session },
    },
    retry: { ...below.retry, ...above.retry },
    compact: { ...below.compact, ...above.compact },
    bash: { ...below.bash, ...above.bash },
    screen: { ...below.screen, ...above.screen },
    terminal: { ...below.terminal, ...above.terminal },
    editor: { ...below.editor, ...above.editor },
    prices: { ...below.prices, ...above.prices },
    ...(below.models === undefined && above.models === undefined
      ? {}
      : { models: { ...below.models, ...above.models } }),
    permissions: { ...below.permissions, ...above.permissions },
  };
}

function fromFlags(
  { mode, model, effort, fallbackModel, maxTurns, tokens, timeMs, usd, appendSystemPrompt }: Flags,
  below: SettingsFile,
): SettingsFile {
  return over(below, {
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    limits: {
      ...(tokens === undefined ? {} : { tokens }),
      ...(timeMs === undefined ? {} : { minutes: timeMs / 60_000 }),
      ...(usd === undefined ? {} : { session: { usd } }),
    },
  });
}

type Merged = Omit<Settings, "shown" | "rules" | "places" | "managed" | "noBypass" | "files" | "notices" | "checks">;

function resolve(values: SettingsFile): Merged {
  const { bash = {}, permissions } = values;
  const { bash: base, ...tools } = defaultToolSettings;
  const maxTimeoutMs = ms(bash.maxTimeoutSeconds, 1000) ?? base.maxTimeoutMs;
  return {
    model: values.model ?? MODEL,
    modelNamed: values.model !== undefined,
    ...(values.fallbackModel === undefined ? {} : { fallbackModel: values.fallbackModel }),
    retry: values.retry ?? {},
    mode: values.mode ?? "ask",
    theme: values.theme ?? "auto",
    screen: values.screen ?? {},
    terminal: values.terminal ?? {},
    editor: values.editor ?? {},
    maskKeys: values.secrets?.mask !== false,
    notes: values.memory?.notes !== false,
    ...(values.baseUrl === undefined ? {} : { baseUrl: values.baseUrl }),
    ...(values.effort === undefined ? {} : { effort: values.effort }),
    ...(values.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: values.appendSystemPrompt }),
    limits: limitsOf(values),
    tools: {
      ...tools,
      bash: {
        timeoutMs: Math.min(ms(bash.timeoutSeconds, 1000) ?? base.timeoutMs, maxTimeoutMs),
        maxTimeoutMs,
        outputChars: bash.outputChars ?? base.outputChars,
        before: permissions?.commands === "before",
      },
    },
    prices: { ...PRICES, ...values.prices },
    ...(values.models === undefined ? {} : { models: values.models }),
  };
}

function ms(value: number | undefined, unit: number): number | undefined {
  return value === undefined ? undefined : Math.round(value * unit);
}

/** A project's limits count where they are lower, its "before" always; nothing else of it but its asks and denies. */
function tighten(base: Merged, project: SettingsFile): Merged {
  const { bash = {} } = project;
  const least = (a: number, b: number | undefined) => Math.min(a, b ?? a);
  const maxTimeoutMs = least(base.tools.bash.maxTimeoutMs, ms(bash.maxTimeoutSeconds, 1000));
  return {
    ...base,
    limits: tightened(base.limits, project),
    tools: {
      ...base.tools,
      bash: {
        timeoutMs: Math.min(least(base.tools.bash.timeoutMs, ms(bash.timeoutSeconds, 1000)), maxTimeoutMs),
        maxTimeoutMs,
        outputChars: least(base.tools.bash.outputChars, bash.outputChars),
        before: base.tools.bash.before || project.permissions?.commands === "before",
      },
    },
  };
}
