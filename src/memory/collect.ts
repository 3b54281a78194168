import { existsSync, lstatSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { MemoryScope } from "../events/memory-event.ts";
import { PathPattern } from "../permissions/glob.ts";
import { showPath, toRaw } from "../util/bytes.ts";
import { frontmatter } from "../util/frontmatter.ts";
import { visible } from "../util/visible.ts";
import { Inside } from "../workspace/inside.ts";
import { isBelow, pathIn } from "../workspace/roots.ts";
import type { MemoryFile } from "./file.ts";
import { isLocal, MEMORY_FILES, RULE_FOLDERS } from "./names.ts";
import { type MemoryPlace, MemoryReader } from "./reader.ts";

/** All that decides which files are in force now. */
export interface MemoryNow extends MemoryPlace {
  /** Top of the repository's work tree that holds the folder: files of the folders between count. */
  workTree?: string;
  /** Folders beside and further above that the person trusts by themselves, the most general first. */
  others: readonly { folder: string; scope: "parent" | "added" }[];
  /** Absolute paths of files that were read or changed. */
  touched: readonly string[];
  /** A folder, absolute, whose files are not the project's own: git ignores it. */
  foreign: (folder: string) => boolean;
}

export interface Memory {
  files: readonly MemoryFile[];
  /** For the person: what is there and is not used, or not whole. */
  problems: readonly string[];
}

const MOST_FOLDERS = 100;
const MOST_RULE_DEPTH = 4;

/** The files of instructions that are in force, the most general first: the person's, those above, the project's, rules, subfolders'. */
export function collectMemory(now: MemoryNow): Memory {
  const { folder, config, home, trusted, workTree } = now;
  const reader = new MemoryReader(now);
  // The person's own may be links to wherever they keep them.
  for (const name of ["AGENTS.md", "CLAUDE.md"]) one(reader, join(config, name), "user", "/");
  const claude = join(home, ".claude");
  // A home that is the folder itself brings it as the folder does.
  if (!isBelow(folder, claude)) one(reader, join(claude, "CLAUDE.md"), "user", "/");
  const personal = [join(config, "rules"), ...(isBelow(folder, claude) ? [] : [join(claude, "rules")])];
  const mine = personal.flatMap((at) => rulesOf(reader, at, at));
  for (const { folder: at, scope } of now.others) if (scope === "parent") all(reader, at, () => scope);
  if (trusted) {
    for (const at of aboveOf(folder, workTree)) all(reader, at, () => "parent");
    all(reader, folder, (name) => (isLocal(name) ? "local" : "project"));
  }
  for (const { folder: at, scope } of now.others) if (scope === "added") all(reader, at, () => scope);
  const theirs = trusted ? RULE_FOLDERS.flatMap((at) => rulesOf(reader, join(folder, at), folder)) : [];
  const touched = now.touched.filter((path) => isBelow(folder, path) && path !== folder);
  for (const rule of [...mine, ...theirs])
    if (rule.globs === undefined || touched.some((path) => fits(rule.globs ?? [], pathIn(folder, path))))
      reader.take(rule.path, "rule", rule.text);
  if (trusted) for (const at of foldersOf(touched, now)) all(reader, at, () => "subfolder");
  return { files: reader.files, problems: [...new Set(reader.problems)] };
}

function one(reader: MemoryReader, path: string, scope: MemoryScope, within: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const text = reader.textAt(path, within);
  if (text !== undefined) reader.take(path, scope, text);
}

function all(reader: MemoryReader, folder: string, scope: (name: string) => MemoryScope): void {
  for (const name of MEMORY_FILES) one(reader, join(folder, name), scope(name), folder);
}

/** From the outermost to the nearest. */
function aboveOf(folder: string, workTree: string | undefined): string[] {
  if (workTree === undefined || folder === workTree || !isBelow(workTree, folder)) return [];
  const above: string[] = [];
  for (let at = dirname(folder); ; at = dirname(at)) {
    above.unshift(at);
    if (at === workTree || at === dirname(at)) return above;
  }
}

/** Folders below the project's that a touched file lies in, the outermost first; none of another repository, none that git ignores. */
function foldersOf(touched: readonly string[], { folder, foreign }: MemoryNow): string[] {
  const found = new Set<string>();
  for (const path of touched) {
    const names = relative(folder, dirname(path)).split("/");
    let at = folder;
    for (const name of names) {
      if (name === "" || name === "..") break;
      at = join(at, name);
      if (found.has(at)) continue;
      if (name === ".git" || found.size >= MOST_FOLDERS || foreign(at) || existsSync(join(at, ".git"))) break;
      found.add(at);
    }
  }
  return [...found];
}

interface RuleFile {
  path: string;
  text: string;
  /** undefined: it always counts. */
  globs?: readonly PathPattern[];
}

function rulesOf(reader: MemoryReader, folder: string, within: string, depth = 0): RuleFile[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined || depth > MOST_RULE_DEPTH) return [];
  const seen = new Inside(within).look(toRaw(pathIn(within, folder)));
  if (seen?.kind !== "folder") return [];
  return seen.names.flatMap((raw): RuleFile[] => {
    const path = join(folder, showPath(raw));
    if (!path.endsWith(".md")) return rulesOf(reader, path, within, depth + 1);
    const whole = reader.textAt(path, within);
    return whole === undefined ? [] : ruleOf(reader, path, whole);
  });
}

function ruleOf(reader: MemoryReader, path: string, whole: string): RuleFile[] {
  const { data, body, problem, lineOf } = frontmatter(whole);
  const tell = (line: number, words: string): [] => {
    reader.problems.push(`${reader.show(path)}:${line}: ${visible(words, "")}`);
    return [];
  };
  if (problem !== undefined && !problem.healed) return tell(problem.line, `${problem.words}; the rule is not used`);
  const given = data["paths"] ?? data["globs"];
  if (given === undefined || given === null) return [{ path, text: body }];
  const texts = typeof given === "string" ? given.split(/,(?![^{]*\})/) : given;
  if (!Array.isArray(texts) || !texts.every((text): text is string => typeof text === "string"))
    return tell(lineOf("paths"), "paths are patterns, in a list or with commas between; the rule is not used");
  try {
    return [{ path, text: body, globs: texts.map((text) => new PathPattern(text.trim())) }];
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return tell(lineOf("paths"), `${words}; the rule is not used`);
  }
}

function fits(globs: readonly PathPattern[], path: string): boolean {
  return globs.some((glob) => glob.touches(path) === "yes");
}
