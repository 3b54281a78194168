import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Rule } from "../events/effect.ts";
import { takeLock } from "../events/lock.ts";
import { LogError } from "../events/log-error.ts";
import { privateFolder } from "../events/private.ts";
import { parseRule } from "../permissions/rule-parse.ts";
import { inHome } from "../permissions/rule-roots.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import { itemsOf, withOther, withoutRule, withRule, type WritableSource } from "./rules-edit.ts";
import { personSettingsFile, userSettingsFile } from "./rules-files.ts";
import { checkSettings, readSettings, SettingsError, type ReadSettings } from "./settings-file.ts";

export interface SaveDeps {
  configDir: string;
  /** Real path. */
  folder: string;
  home: string;
  clock: Clock;
  makeId: MakeId;
}

type Own = Rule & { source: WritableSource };

const LOCK_TRIES = 200;

/**
 * Adds a rule to a file of the person's, keeping everything else of the file byte by byte: comments, order, blanks. Whole or not at all,
 * whoever writes at the same time. A file with a mistake is never written. One that is there already is not written again.
 * Gives the rule as it counts from now on. Throws a RuleError for a text that is no rule, a SettingsError or LogError for a file that
 * can't be used.
 */
export async function addRule(rule: Own, deps: SaveDeps): Promise<Own> {
  const plain = { action: rule.action, text: inHome(rule.text, deps.home), source: rule.source };
  parseRule(plain);
  await write(rule.source, deps, (before, file) => {
    if (before === undefined) return fresh(rule, deps.folder);
    if (before.rules.some((r) => says(r, plain))) return before.text;
    const after = withRule(before.text, before.tree, rule.action, rule.text);
    const count = checkSettings(file, after, rule.source, deps.home).rules.length;
    if (count === before.rules.length + 1) return after;
    throw new SettingsError([
      `${file}: the rule can't be added; add ${JSON.stringify(rule.text)} to permissions.${rule.action} by hand.`,
    ]);
  });
  return plain;
}

/**
 * Adds an allow to the person's own rules for this project ("always"), as `addRule` does. Gives the rule as it counts from now on.
 * Throws a RuleError for a text that is no rule, a SettingsError or LogError for a file that can't be used.
 */
export function saveRule(text: string, deps: SaveDeps): Promise<Rule> {
  return addRule({ action: "allow", text, source: "person" }, deps);
}

/** Puts `to` in the place of a rule, or takes the rule out (undefined), as `addRule` does; throws too where the file holds none such. */
export async function changeRule(rule: Own, to: string | undefined, deps: SaveDeps): Promise<void> {
  if (to !== undefined) parseRule({ ...rule, text: inHome(to, deps.home) });
  await write(rule.source, deps, (before, file) => {
    const left = before?.rules.filter((r) => !says(r, rule));
    if (before === undefined || left === undefined || left.length === before.rules.length)
      throw new SettingsError([`${file}: there is no rule ${rule.action} ${JSON.stringify(rule.text)} any more.`]);
    const known = to === undefined || before.rules.some((r) => says(r, { ...rule, text: inHome(to, deps.home) }));
    const after = rewritten(before, { rule, to: known ? undefined : to, file }, deps.home);
    const count = checkSettings(file, after, rule.source, deps.home).rules.length;
    if (count === left.length + (known ? 0 : 1)) return after;
    throw new SettingsError([`${file}: the rule can't be changed; change ${JSON.stringify(rule.text)} by hand.`]);
  });
}

function says(a: Rule, b: Rule): boolean {
  return a.action === b.action && a.text === b.text;
}

/** The first of them becomes another, if there is one to become; all that say the same go. */
function rewritten(
  before: ReadSettings,
  { rule, to, file }: { rule: Own; to: string | undefined; file: string },
  home: string,
): string {
  let { text, tree } = before;
  let next = to;
  for (;;) {
    const at = itemsOf(tree, rule.action).findIndex(
      (item) => item.kind === "value" && inHome(String(item.value), home) === rule.text,
    );
    if (at < 0) return text;
    text = next === undefined ? withoutRule(text, tree, rule.action, at) : withOther(text, tree, rule.action, at, next);
    next = undefined;
    tree = checkSettings(file, text, rule.source, home).tree;
  }
}

/** One writer at a time: reads, lets `edit` make the new text, and puts it in the file's place where it is another. */
export async function write(
  source: WritableSource,
  deps: SaveDeps,
  edit: (before: ReadSettings | undefined, file: string) => string,
): Promise<void> {
  const named = source === "user" ? userSettingsFile(deps.configDir) : personSettingsFile(deps.configDir, deps.folder);
  privateFolder(dirname(named));
  const lock = await waitForLock(named, deps.clock);
  try {
    const file = linked(named);
    sweep(file);
    const before = readSettings(file, source, { home: deps.home, own: true });
    const after = edit(before, file);
    if (after !== before?.text) replace(file, after, deps.makeId);
  } finally {
    lock.release();
  }
}

/** Settings that are a link (into a folder of dotfiles) stay one: what it leads to is written. */
function linked(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

async function waitForLock(file: string, clock: Clock): Promise<{ release(): void }> {
  for (let tries = 1; ; tries++) {
    try {
      return await takeLock(`${file}.lock`, basename(file), clock);
    } catch (error) {
      if (!(error instanceof LogError) || error.code !== "locked" || tries >= LOCK_TRIES) throw error;
      await clock.sleep(5 + ((tries * 7) % 31));
    }
  }
}

/** What a killed process left. We hold the lock, so nobody is writing. */
function sweep(file: string): void {
  const left = new RegExp(`^${basename(file).replaceAll(/[^\w-]/g, "\\$&")}\\.[a-z0-9_]+\\.tmp$`);
  for (const name of readdirSync(dirname(file))) if (left.test(name)) unlinkSync(join(dirname(file), name));
}

function replace(file: string, text: string, makeId: MakeId): void {
  const temp = `${file}.${makeId("save")}.tmp`;
  const fd = openSync(temp, "wx", 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temp, file);
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function fresh({ action, text, source }: Own, folder: string): string {
  const permissions = { [action]: [text] };
  return JSON.stringify(source === "user" ? { permissions } : { folder, permissions }, undefined, 2) + "\n";
}
