import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Rule } from "../events/effect.ts";
import { takeLock } from "../events/lock.ts";
import { LogError } from "../events/log-error.ts";
import { privateFolder } from "../events/private.ts";
import { parseRule } from "../permissions/rule-parse.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import type { JsonNode } from "./jsonc.ts";
import { checkSettings, readSettings, SettingsError } from "./settings-file.ts";

/** The settings of the person, everywhere. */
export function userSettingsFile(configDir: string): string {
  return join(configDir, "settings.json");
}

/** What the project itself says; it can only tighten. */
export function projectSettingsFile(folder: string): string {
  return join(folder, ".agent", "settings.json");
}

/** The person's own rules for a folder, outside it. `folder`: its real path. */
export function personSettingsFile(configDir: string, folder: string): string {
  return join(configDir, "projects", `${createHash("sha256").update(folder).digest("hex").slice(0, 16)}.json`);
}

export interface SaveDeps {
  configDir: string;
  /** Real path. */
  folder: string;
  home: string;
  clock: Clock;
  makeId: MakeId;
}

const LOCK_TRIES = 200;

/**
 * Adds an allow to the person's own rules for this project ("always"), keeping everything else of the file byte by byte: comments,
 * order, blanks. Whole or not at all, whoever writes at the same time. A file with a mistake is never written.
 * Throws a RuleError for a text that is no rule, a SettingsError or LogError for a file that can't be used.
 */
export async function saveRule(text: string, deps: SaveDeps): Promise<Rule> {
  const rule: Rule = { action: "allow", text, source: "person" };
  parseRule(rule);
  const file = personSettingsFile(deps.configDir, deps.folder);
  privateFolder(dirname(file));
  const lock = await waitForLock(file, deps.clock);
  try {
    sweep(file);
    const before = readSettings(file, "person", { home: deps.home, own: true });
    if (before?.rules.some((r) => r.action === "allow" && r.text === text) === true) return rule;
    const after = before === undefined ? fresh(deps.folder, text) : withRule(before.text, before.tree, text);
    const check = checkSettings(file, after, "person", deps.home);
    if (check.rules.length !== (before?.rules.length ?? 0) + 1)
      throw new SettingsError([
        `${file}: the rule can't be added; add ${JSON.stringify(text)} to permissions.allow by hand.`,
      ]);
    replace(file, after, deps.makeId);
  } finally {
    lock.release();
  }
  return rule;
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
  const left = new RegExp(`^${basename(file).replace(".", "\\.")}\\.[a-z0-9_]+\\.tmp$`);
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

function fresh(folder: string, rule: string): string {
  return JSON.stringify({ folder, permissions: { allow: [rule] } }, undefined, 2) + "\n";
}

/** The text with the rule behind the last allow, or with what is missing for it at the head of its object. */
function withRule(text: string, tree: JsonNode, rule: string): string {
  const permissions = child(tree, "permissions");
  const allow = permissions === undefined ? undefined : child(permissions, "allow");
  const quoted = JSON.stringify(rule);
  if (allow?.kind === "list") {
    const last = allow.items.at(-1);
    if (last === undefined) return insert(text, allow.start + 1, quoted);
    const line = text.slice(text.lastIndexOf("\n", last.start) + 1, last.start);
    return insert(text, last.end, line.trim() === "" && line !== "" ? `,\n${line}${quoted}` : `, ${quoted}`);
  }
  const missing = permissions === undefined ? `"permissions": { "allow": [${quoted}] }` : `"allow": [${quoted}]`;
  const into = permissions ?? tree;
  const some = into.kind === "object" && into.entries.length > 0;
  return insert(text, into.start + 1, some ? ` ${missing},` : ` ${missing} `);
}

function child(node: JsonNode, key: string): JsonNode | undefined {
  return node.kind === "object" ? node.entries.find((e) => e.key === key)?.value : undefined;
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}
