import { lstat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
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
  /** Ignore files between the root and the start are not seen by ripgrep: it must not look above its start where no repository bounds that. */
  recheck: boolean;
  /** What ripgrep may leave out by itself: nothing where a pending change has other rules than the folder. */
  byRipgrep: boolean;
}

export async function scopeOf(place: Place, includeIgnored: boolean, ctx: ToolContext): Promise<Scope> {
  const isFile = place.type === "file";
  const outside = isFile ? dirname(place.target) : place.target;
  const base = place.inside ? (ctx.roots[place.root]?.path ?? outside) : outside;
  const rules = await ignoreRules(base, ctx.view);
  const ignore = !includeIgnored && !(await rules.ignores(place.target, !isFile));
  const start = relative(base, place.target) || ".";
  const other = changesRules(ctx);
  const recheck = other || (start !== "." && !rules.inRepository);
  return { base, start, isFile, rules, ignore, recheck, byRipgrep: ignore && !other };
}

/** Whether a step that waits for its review made, changed or deleted an ignore file (W6). */
function changesRules(ctx: ToolContext): boolean {
  const steps = ctx.state().steps.filter((step) => step.status === "pended");
  return steps.some(({ summary }) =>
    summary?.entries.some(({ path, from = "" }) => [path, from].some((p) => p.split("/").at(-1) === ".gitignore")),
  );
}

/** The door's own temporary names, which nobody else sees. */
const DOOR_NAME = /^\.understudy-.+-\d+$/;

/**
 * Where a path's bytes lie, undefined where nothing of that type is. A folder that no layer touches answers for its files: a look-up for each would cost more
 * than the search.
 */
function placesOf(ctx: ToolContext): (path: string) => Promise<string | undefined> {
  const folders = new Map<string, Promise<string | undefined>>();
  const realOf = (path: string, type: "file" | "folder"): Promise<string | undefined> =>
    ctx.view.resolve(path).then(
      (found) => (found.exists && found.type === type ? found.real : undefined),
      () => undefined,
    );
  return async (path) => {
    if (ctx.view.layers.length === 0) return path;
    const folder = dirname(path);
    const known = folders.get(folder) ?? realOf(folder, "folder");
    folders.set(folder, known);
    return (await known) === folder ? path : realOf(path, "file");
  };
}

/**
 * Whether a file that a search met is really there and may be seen: not replaced or deleted by a layer, hidden by no rule, not ignored (`recheck`: the
 * search itself did not see to that).
 */
export function visibility(
  scope: Scope,
  recheck: boolean,
  ctx: ToolContext,
): (file: string, real: string) => Promise<boolean> {
  const placeOf = placesOf(ctx);
  return async (file, real) => {
    const path = join(scope.base, file);
    if (ctx.hidden?.(path) === true || DOOR_NAME.test(basename(path))) return false;
    const isStart = scope.isFile && file === scope.start;
    if (recheck && scope.ignore && !isStart && (await scope.rules.ignores(path, false))) return false;
    return (await placeOf(path)) === real;
  };
}

/** Files that a walk brought, with the place of their bytes. */
export async function realFiles(
  scope: Scope,
  files: readonly string[],
  ctx: ToolContext,
): Promise<{ file: string; real: string }[]> {
  const placeOf = placesOf(ctx);
  const found: { file: string; real: string }[] = [];
  for (const file of files) {
    const real = await placeOf(join(scope.base, file));
    if (real !== undefined) found.push({ file, real });
  }
  return found;
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
