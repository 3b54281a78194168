import { lstat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { upperOf } from "../workspace/change.ts";
import { ignoreRules, type IgnoreRules } from "./ignore-rules.ts";
import type { Place } from "./paths.ts";
import type { ToolContext } from "./tool.ts";
import { listPlain, walkFiles } from "./walk.ts";

/** Where Grep and Glob look: a part of a root (with what kept layers put over it), or a place outside that was allowed. */
export interface Scope {
  /** The root, or the folder outside; results are relative to it. */
  base: string;
  /** Start of the search, relative to `base`; "." for all of it. */
  start: string;
  isFile: boolean;
  rules: IgnoreRules;
  /** Ignored entries are left out: not asked for, and the start is not ignored itself. */
  ignore: boolean;
}

export async function scopeOf(place: Place, includeIgnored: boolean, ctx: ToolContext): Promise<Scope> {
  const isFile = place.type === "file";
  const outside = isFile ? dirname(place.target) : place.target;
  const base = place.inside ? (ctx.roots[place.root]?.path ?? outside) : outside;
  const rules = await ignoreRules(base, ctx.view);
  const ignore = !includeIgnored && !(await rules.ignores(place.target, !isFile));
  return { base, start: relative(base, place.target) || ".", isFile, rules, ignore };
}

/** Whether an entry that a search met is really there and may be seen: not replaced or deleted by a layer, hidden by no rule, not ignored. */
export async function isVisible(scope: Scope, file: string, real: string, ctx: ToolContext): Promise<boolean> {
  const path = join(scope.base, file);
  if (ctx.hidden?.(path) === true) return false;
  if (scope.ignore && !(scope.isFile && file === scope.start) && (await scope.rules.ignores(path, false))) return false;
  const found = await ctx.view.resolve(path).catch(() => undefined);
  return found?.exists === true && found.type === "file" && found.real === real;
}

/** True where the start is in the folder itself, not only in a layer. */
export async function isOnDisk(scope: Scope): Promise<boolean> {
  return lstat(join(scope.base, scope.start)).then(
    () => true,
    () => false,
  );
}

/** Files that kept layers hold below the start: each layer's folder, and paths relative to it. */
export async function layerFiles(
  scope: Scope,
  root: number,
  ctx: ToolContext,
): Promise<{ upper: string; files: string[] }[]> {
  if (root < 0) return [];
  const found: { upper: string; files: string[] }[] = [];
  for (const layer of ctx.view.layers) {
    const upper = upperOf(layer, root);
    const start = join(upper, scope.start);
    const skip = (path: string, isFolder: boolean): Promise<boolean> =>
      scope.ignore
        ? scope.rules.ignoresEntry(join(scope.base, relative(upper, path)), isFolder)
        : Promise.resolve(false);
    const stat = await lstat(start).catch(() => undefined);
    const files = stat?.isFile() === true ? [start] : [];
    if (stat?.isDirectory() === true)
      files.push(...(await walkFiles(start, { list: listPlain, skip }, ctx.signal)).files);
    found.push({ upper, files: files.map((file) => relative(upper, file)) });
  }
  return found;
}

/** Every file of the scope by walking the view: what is used where ripgrep is missing. Paths are relative to the base. */
export async function walkScope(
  scope: Scope,
  inside: boolean,
  ctx: ToolContext,
): Promise<{ files: string[]; cut: boolean }> {
  if (scope.isFile) return { files: [scope.start], cut: false };
  const skip = async (path: string, isFolder: boolean): Promise<boolean> =>
    ctx.hidden?.(path) === true || (scope.ignore && (await scope.rules.ignoresEntry(path, isFolder)));
  const list = inside ? (folder: string) => ctx.view.list(folder) : listPlain;
  const walked = await walkFiles(join(scope.base, scope.start), { list, skip }, ctx.signal);
  return { files: walked.files.map((file) => relative(scope.base, file)), cut: walked.cut };
}
