import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { Rule, RuleSource } from "../events/effect.ts";
import { type Crowd, crowdText, withoutCrowds } from "../permissions/rule-crowd.ts";
import { parseRule, RuleError } from "../permissions/rule-parse.ts";
import { inHome } from "../permissions/rule-roots.ts";
import { nearest } from "../util/nearest.ts";
import { JsoncError, offsetOf, parseJsonc, placeOf, toValue, type JsonNode } from "./jsonc.ts";
import { MANAGED_FILE } from "./rules-files.ts";
import { knownKeys, SettingsFile } from "./settings-schema.ts";

/** A settings file or flag that can't be used. One line for each problem: file:line:column: key: what is wrong and what to do. */
export class SettingsError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "SettingsError";
    this.problems = problems;
  }
}

/** A settings file, read and checked; every rule of it can be understood. */
export interface ReadSettings {
  file: string;
  text: string;
  tree: JsonNode;
  values: SettingsFile;
  rules: readonly Rule[];
  /** Where each of them stands, `file:line`. */
  places: ReadonlyMap<Rule, string>;
  /** What stands for rules that are too many, and what is said of it. */
  crowded: readonly string[];
  /** Keys of a project's file that would start programs, open walls or send things elsewhere: known, and never used. */
  steering: readonly string[];
}

/** What files of this kind hold elsewhere, and a project may never decide. In any other file they are mistakes. */
const STEERING = new Set(
  (
    "env sandbox network apiKeyHelper awsAuthRefresh awsCredentialExport otelHeadersHelper statusLine outputStyle " +
    "mcp mcpServers enableAllProjectMcpServers enabledMcpjsonServers plugins enabledPlugins extraKnownMarketplaces additionalDirectories"
  ).split(" "),
);

const MAX_BYTES = 1 << 20;

/**
 * Reads and checks a settings file; undefined when there is none. Nothing of a file with a mistake is used: it could be the deny that
 * matters. Throws a SettingsError.
 * @param home the person's home, which `Outside(~/…)` means; a project's file may not be a link (`own: false`).
 */
export function readSettings(
  file: string,
  source: RuleSource,
  options: { home: string; own: boolean },
): ReadSettings | undefined {
  const text = readSettingsText(file, options.own);
  return text === undefined ? undefined : checkSettings(file, text, source, options.home);
}

/** Checks the text of a settings file. Throws a SettingsError. */
export function checkSettings(file: string, text: string, source: RuleSource, home: string): ReadSettings {
  const tree = parsed(file, text);
  const at = (path: readonly PropertyKey[], problem: string) => {
    const { line, column } = placeOf(text, offsetOf(tree, path));
    return `${file}:${line}:${column}: ${path.length === 0 ? "" : `${path.map(String).join(".")}: `}${problem}`;
  };
  if (tree.kind !== "object") throw new SettingsError([at([], "settings are an object in { }")]);
  const known = new Set(knownKeys([]));
  const steering = tree.entries
    .map((e) => e.key)
    .filter((key) => STEERING.has(key) && (!known.has(key) || key === "mcpServers"));
  // Its hooks are read by themselves, and wait for trust (`readHooks`); its servers stand in `.mcp.json`.
  const left = source === "project" ? new Set([...steering, "hooks"]) : new Set<string>();
  const used = { ...tree, entries: tree.entries.filter((e) => !left.has(e.key)) };
  const checked = SettingsFile.safeParse(toValue(used));
  if (!checked.success) throw new SettingsError(checked.error.issues.flatMap((issue) => issueTexts(issue, at)));
  const problems: string[] = [];
  const { placed, crowds } = rulesOf(checked.data, source, home, (path, error) =>
    problems.push(at(path, error.message)),
  );
  if (checked.data.locked !== undefined && source !== "managed")
    problems.push(at(["locked"], `only the machine's settings (${MANAGED_FILE}) lock keys`));
  if (problems.length > 0) throw new SettingsError(problems);
  const line = (path: readonly PropertyKey[]) => `${file}:${placeOf(text, offsetOf(tree, path)).line}`;
  const places = new Map(placed.map(({ rule, path }) => [rule, line(path)]));
  return {
    file,
    text,
    tree,
    values: checked.data,
    rules: [...places.keys()],
    places,
    crowded: crowds.map((crowd) => `${line(crowd.first.path)}: ${crowdText(crowd)}`),
    steering: source === "project" ? steering : [],
  };
}

function parsed(file: string, text: string): JsonNode {
  try {
    return parseJsonc(text);
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    const { line, column } = placeOf(text, error.offset);
    throw new SettingsError([`${file}:${line}:${column}: ${error.message}. Mend it, or move the file away.`]);
  }
}

type Issue = z.core.$ZodIssue;

function issueTexts(issue: Issue, at: (path: readonly PropertyKey[], problem: string) => string): string[] {
  if (issue.code !== "unrecognized_keys") return [at(issue.path, issue.message)];
  return issue.keys.map((key) => {
    const known = knownKeys(issue.path);
    const near = nearest(key, known);
    return at(
      [...issue.path, key],
      `no such key; ${near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`}`,
    );
  });
}

interface Written {
  action: Rule["action"];
  text: string;
  path: readonly PropertyKey[];
}

function rulesOf(
  { permissions }: SettingsFile,
  source: RuleSource,
  home: string,
  fail: (path: readonly PropertyKey[], error: RuleError) => void,
): { placed: { rule: Rule; path: readonly PropertyKey[] }[]; crowds: Crowd<Written>[] } {
  // A project's allows never count, so nothing has to understand them.
  const actions = source === "project" ? (["ask", "deny"] as const) : (["allow", "ask", "deny"] as const);
  const written = actions.flatMap((action) =>
    (permissions?.[action] ?? []).map((text, i): Written => ({ action, text, path: ["permissions", action, i] })),
  );
  const { kept, crowds } = source === "project" ? withoutCrowds(written) : { kept: written, crowds: [] };
  const all = [...kept, ...crowds.map(({ first, text }) => ({ ...first, text }))];
  const placed = all.flatMap(({ action, text, path }) => {
    const rule: Rule = { action, text: inHome(text, home), source };
    try {
      parseRule(rule);
      return [{ rule, path }];
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      fail(path, error);
      return [];
    }
  });
  return { placed, crowds };
}

/** Text of a settings file; undefined: there is none. `own: false`: no link is followed. Throws a SettingsError. */
export function readSettingsText(file: string, own: boolean): string | undefined {
  let fd: number;
  try {
    // A planted fifo must not hang us, a planted link not lead elsewhere.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | (own ? 0 : constants.O_NOFOLLOW));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new SettingsError([
      `${file}: can't be read (${String(code ?? error)}). Make it an ordinary file that you may read, or move it away.`,
    ]);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new SettingsError([`${file}: is no ordinary file. Move it away.`]);
    if (stat.size > MAX_BYTES) throw new SettingsError([`${file}: is larger than 1 MiB. Shorten it, or move it away.`]);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(fd));
  } catch (error) {
    if (error instanceof TypeError) throw new SettingsError([`${file}: is not UTF-8 text. Save it as UTF-8.`]);
    throw error;
  } finally {
    closeSync(fd);
  }
}
