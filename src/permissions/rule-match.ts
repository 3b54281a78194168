import type { ChangeEntry, Effect, Need, Rule } from "../events/effect.ts";
import { isAllowed, mayRun } from "./command-match.ts";
import { readPath, type ReadPath } from "./glob.ts";
import { mayReach, reaches } from "./rule-host.ts";
import { parseRule, type ParsedRule } from "./rule-parse.ts";
import type { WordsRule } from "./rule-words.ts";
import { rulesOf } from "./tool-rules.ts";
import { readScript } from "./words.ts";

/** The rules that count, understood and sorted by action. `unread`: an ask or deny that can't be understood; everything asks then. */
export interface RuleBook {
  allow: readonly ParsedRule[];
  ask: readonly ParsedRule[];
  deny: readonly ParsedRule[];
  unread: readonly Rule[];
}

const known = new WeakMap<Rule, ParsedRule | undefined>();

/** A project's files only tighten: their allows don't count (P6). An allow that can't be understood allows nothing. */
export function ruleBook(rules: readonly Rule[]): RuleBook {
  const book = {
    allow: new Array<ParsedRule>(),
    ask: new Array<ParsedRule>(),
    deny: new Array<ParsedRule>(),
    unread: new Array<Rule>(),
  };
  for (const rule of rules) {
    if (rule.action === "allow" && rule.source === "project") continue;
    const parsed = understood(rule);
    if (parsed !== undefined) book[rule.action].push(parsed);
    else if (rule.action !== "allow") book.unread.push(rule);
  }
  return book;
}

function understood(rule: Rule): ParsedRule | undefined {
  if (known.has(rule)) return known.get(rule);
  let parsed: ParsedRule | undefined;
  try {
    parsed = parseRule(rule);
  } catch {
    parsed = undefined;
  }
  known.set(rule, parsed);
  return parsed;
}

/**
 * Whose yes reaches high risk: files outside the folder and what was typed, never the project. A session's answer only where P3 lets
 * one be remembered: a server's tool pinned by its hash, a page's host with its scheme and port.
 */
export function liftsHighRisk(rule: ParsedRule): boolean {
  if (["managed", "user", "person", "cli"].includes(rule.rule.source)) return true;
  return rule.rule.source === "session" && (rule.kind === "fetch" || (rule.kind === "mcp" && rule.pin !== undefined));
}

/** The allow that names exactly this need, or undefined. */
export function liftOf(need: Need, allows: readonly ParsedRule[]): ParsedRule | undefined {
  const able = allows.filter(liftsHighRisk);
  switch (need.kind) {
    case "unsandboxed":
    case "uncontained":
      return commandAllow(need.words, "Unsandboxed", able);
    case "outside":
      return able.find((r) => r.kind === "path" && r.of === "Outside" && r.paths?.covers(need.path) === true);
    case "network":
      return able.find(
        (r) => (r.kind === "network" || (r.kind === "fetch" && need.get !== undefined)) && reaches(r, need),
      );
    case "mcp":
      return able.find(
        (r) => r.kind === "mcp" && r.server === need.server && r.tool === need.tool && isPinned(r, need),
      );
    default:
      return undefined;
  }
}

type McpNeed = Need & { kind: "mcp" };

/** A rule without a hash is for any version; one with a hash for that one alone, void once the tool's description changed. */
function isPinned({ pin }: ParsedRule & { kind: "mcp" }, need: McpNeed): boolean {
  return pin === undefined || need.pin?.startsWith(pin) === true;
}

/** A rule that tightens counts for a tool whose hash is unknown too. */
function mcpConcerned({ server, tool = "*", pin }: ParsedRule & { kind: "mcp" }, need: McpNeed): boolean {
  const named = (server === "*" || server === need.server) && (tool === "*" || tool === need.tool);
  return named && (pin === undefined || need.pin === undefined || need.pin.startsWith(pin));
}

/** The allow by which every command of this text is covered: one of those that together do. `of`: the tool, or `Unsandboxed`. */
export function commandAllow(source: string, of: string, allows: readonly ParsedRule[]): ParsedRule | undefined {
  const fitting = allows.filter((r) => r.kind === "command" && r.of === of);
  const any = fitting.find((r) => r.kind === "command" && r.command === undefined);
  if (any !== undefined || fitting.length === 0) return any;
  const script = readScript(source);
  const wanted = (r: ParsedRule): WordsRule[] => (r.kind === "command" && r.command !== undefined ? [r.command] : []);
  if (!isAllowed(source, script, fitting.flatMap(wanted))) return undefined;
  return fitting.find((r) => isAllowed(source, script, wanted(r))) ?? fitting[0];
}

/** An allow for this entry of a change set: `Edit(…)` on its path (and where it came from), `Delete(…)` on a deletion. */
export function entryAllow(
  entry: ChangeEntry,
  of: "Edit" | "Delete",
  allows: readonly ParsedRule[],
): ParsedRule | undefined {
  const paths = entry.from === undefined ? [entry.path] : [entry.path, entry.from];
  return allows.find(
    (r) =>
      r.kind === "path" &&
      r.of === of &&
      (r.paths === undefined || paths.every((p) => r.paths?.covers(p, entry.files !== undefined) === true)),
  );
}

/** How surely an ask or deny rule concerns an effect: "may" only where a whole folder came and what is in it isn't listed. */
export type Concern = "yes" | "may" | "no";

/** Whether an ask or deny rule concerns this effect. Words count before the run, paths at both gates. */
export function concerns(rule: ParsedRule, effect: Effect): Concern {
  switch (rule.kind) {
    case "tool":
      return said(rule.name === effect.tool);
    case "command":
      return said(commandConcerned(rule, effect));
    case "path":
      return pathConcerned(rule, effect);
    case "network":
      return said(effect.needs.some((n) => n.kind === "network" && mayReach(rule, n)));
    case "fetch":
      return said(effect.needs.some((n) => n.kind === "network" && n.get !== undefined && mayReach(rule, n)));
    case "mcp":
      return said(effect.needs.some((n) => n.kind === "mcp" && mcpConcerned(rule, n)));
  }
}

function said(yes: boolean): Concern {
  return yes ? "yes" : "no";
}

function commandConcerned(rule: ParsedRule & { kind: "command" }, effect: Effect): boolean {
  const needs = effect.needs.flatMap((n) => (n.kind === "unsandboxed" || n.kind === "uncontained" ? [n.words] : []));
  const texts = rule.of === "Unsandboxed" ? needs : rule.of === effect.tool ? [effect.subject] : [];
  const { command } = rule;
  return texts.some((t) => command === undefined || mayRun(t, readScript(t), command));
}

function pathConcerned(rule: ParsedRule & { kind: "path" }, effect: Effect): Concern {
  const { paths } = rule;
  const touched = touchedBy(rule.of, effect);
  if (paths === undefined) return said(touched.length > 0);
  let most: Concern = "no";
  for (const { path, tree } of touched) {
    const hit = paths.touches(path);
    if (hit === "yes") return "yes";
    if (hit === "below" && tree) most = "may";
  }
  return most;
}

type PathKind = (ParsedRule & { kind: "path" })["of"];
interface Touched {
  path: ReadPath;
  tree: boolean;
}

const read = new WeakMap<Effect, Map<PathKind, readonly Touched[]>>();

/** The paths of an effect that rules of this kind look at, taken apart once for all of them. */
function touchedBy(of: PathKind, effect: Effect): readonly Touched[] {
  const kinds = read.get(effect) ?? new Map<PathKind, readonly Touched[]>();
  read.set(effect, kinds);
  const touched =
    kinds.get(of) ?? pathsFor(of, effect).map(({ path, tree = false }) => ({ path: readPath(path), tree }));
  kinds.set(of, touched);
  return touched;
}

interface Named {
  path: string;
  /** A whole folder, what is in it not listed. */
  tree?: boolean;
}

function pathsFor(of: PathKind, { tool, subject, paths = [], needs, changes }: Effect): Named[] {
  const entries = changes?.entries ?? [];
  const named = paths.map((path) => ({ path }));
  switch (of) {
    case "Outside":
      return needs.flatMap((n) => (n.kind === "outside" ? [{ path: n.path }] : []));
    case "Read":
      if (rulesOf(tool) !== "read") return [];
      return named.length > 0 ? named : [{ path: subject }];
    case "Edit": {
      const planned = needs.flatMap((n) => (n.kind === "change" ? n.paths.map((path) => ({ path })) : []));
      return [...(rulesOf(tool) === "change" ? named : []), ...planned, ...entries.flatMap(entryPaths)];
    }
    case "Delete":
      return entries.filter((e) => e.op === "delete" || e.marks.includes("delete")).flatMap(entryPaths);
    case "Land":
      return [];
  }
}

function entryPaths(entry: ChangeEntry): Named[] {
  const tree = entry.files !== undefined;
  return [entry.path, ...(entry.from === undefined ? [] : [entry.from])].map((path) => ({ path, tree }));
}

/** Whether a `Read(…)` deny hides this path (relative to its root, or absolute outside) from reads, Grep, Glob and the copy (P6). */
export function readDenied(rules: readonly Rule[]): (path: string) => boolean {
  const denies = ruleBook(rules).deny.filter((r) => r.kind === "path" && r.of === "Read");
  return (path) => denies.some((r) => r.kind === "path" && (r.paths === undefined || r.paths.touches(path) === "yes"));
}

/** The paths that `Read(…)` denies name as they are: relative to a root, or absolute. */
export function deniedNames(rules: readonly Rule[]): string[] {
  return ruleBook(rules).deny.flatMap((r) => (r.kind === "path" && r.of === "Read" ? (r.paths?.names ?? []) : []));
}

/** Whether the person's own `Land(…)` rule lets this regenerable path land by itself (P9), and no deny is in its way. */
export function landAllowed(rules: readonly Rule[]): (path: string) => boolean {
  const book = ruleBook(rules);
  const land = book.allow.filter((r) => r.kind === "path" && r.of === "Land" && liftsHighRisk(r));
  const against = [...book.deny, ...book.ask].filter((r) => r.kind === "path" && (r.of === "Land" || r.of === "Edit"));
  return (path) =>
    book.unread.length === 0 &&
    land.some((r) => r.kind === "path" && r.paths?.covers(path) === true) &&
    against.every((r) => r.kind === "path" && r.paths !== undefined && r.paths.touches(path) === "no");
}
