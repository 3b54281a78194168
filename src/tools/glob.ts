import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { z } from "zod";
import { asData } from "./as-data.ts";
import { namePattern } from "./name-pattern.ts";
import { done, failed, quiet, stopped } from "./outcome.ts";
import { locate, locateAllowed, oneLine, pathNeeds, showIn, type Place } from "./paths.ts";
import { findRipgrep, listWithRipgrep } from "./ripgrep.ts";
import { isOnDisk, layerFiles, realFiles, scopeOf, visibility, walkScope, type Scope } from "./scope.ts";
import { sortByPath } from "./search.ts";
import { missing } from "./stage-file.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  pattern: z.string().min(1),
  path: z.string().optional().describe("Folder to start in"),
  include_ignored: z.boolean().optional().describe("Also what .gitignore names"),
});
type Input = z.infer<typeof Input>;

/** Beyond so many the times are not asked for: order is by path. */
const MOST_TIMED = 20_000;
const MOST_LETTERS = 30_000;

/**
 * Finds files by name: newest first, equal times by path, so that the same tree gives the same answer. Whatever lists the names, the pattern is
 * matched here.
 */
export function globToolWith(options: { ripgrep: () => Promise<string | undefined> }) {
  return defineTool<Input>({
    name: "Glob",
    description: `Finds files by name, newest first (by path within a minute). Use it when you know a part of a name or path; Read lists a folder. * stays in one folder, ** goes through folders. Hidden files count; .git and what .gitignore names do not.
Example: {"pattern":"src/**/*.{ts,tsx}"}`,
    input: Input,
    rules: "read",
    subject: (input) => (isAbsolute(input.pattern) ? input.pattern : join(input.path ?? ".", input.pattern)),
    async needs(input, ctx) {
      return pathNeeds((await splitPattern(input, ctx)).start, "read", ctx);
    },
    parallel: () => true,
    run: (input, ctx) => quiet(() => glob(input, ctx, options)),
  });
}
export const globTool = globToolWith({ ripgrep: findRipgrep });

/**
 * The part of the pattern without wildcards is where the search starts, and what is judged. A part with brackets counts as a name where such a file is.
 */
async function splitPattern(input: Input, ctx: ToolContext): Promise<{ start: string; rest: string }> {
  const parts = input.pattern.split("/");
  let start = input.path ?? ".";
  if (isAbsolute(input.pattern)) start = `/${parts.splice(0, 1).join("")}`;
  for (let part = parts[0]; part !== undefined; part = parts[0]) {
    const next = part === "" || part === "." ? start : `${start.endsWith("/") ? start : `${start}/`}${part}`;
    const isPlain = !/[*?{}[\]\\]/.test(part);
    if (!isPlain && !(/^[^*?{}\\]+$/.test(part) && (await isThere(next, ctx)))) break;
    start = next;
    parts.shift();
  }
  return { start, rest: parts.join("/") };
}

async function isThere(path: string, ctx: ToolContext): Promise<boolean> {
  const place = await locate(path, ctx);
  return typeof place !== "string" && place.inside && place.exists;
}

async function glob(
  input: Input,
  ctx: ToolContext,
  options: { ripgrep: () => Promise<string | undefined> },
): Promise<Outcome> {
  const { start, rest } = await splitPattern(input, ctx);
  const place = await locateAllowed(start, "read", ctx);
  if (typeof place === "string") return failed(place);
  if (input.path !== undefined && !place.exists) return failed(await missing(place, ctx));
  const none = done(`No files match ${JSON.stringify(input.pattern)}.${deeper(input.pattern)}`);
  if (!place.exists) return none;
  if (rest === "")
    return place.type === "folder" ? done(`${place.shown}/ is a folder: Read lists it.`) : done(oneLine(place.shown));
  const matches = namePattern(rest);
  if (typeof matches === "string") return failed(matches);
  if (place.type !== "folder") return none;
  const scope = await scopeOf(place, input.include_ignored === true, ctx);
  const listed = await list(
    scope,
    place,
    (path) => matches(relative(place.target, path)),
    ctx,
    await options.ripgrep(),
  );
  if (ctx.signal.aborted) return stopped();
  if (typeof listed === "string") return failed(listed);
  return listed.files.length === 0 ? none : show(await newestFirst(listed.files), listed.cut, ctx);
}

/** A bare name is looked for in one folder only, other than Grep's glob. */
function deeper(pattern: string): string {
  return pattern.includes("/")
    ? ""
    : ` This looks in one folder; ${JSON.stringify(`**/${pattern}`)} goes through all below.`;
}

interface Listed {
  path: string;
  real: string;
}

async function list(
  scope: Scope,
  place: Place,
  matches: (path: string) => boolean,
  ctx: ToolContext,
  rg: string | undefined,
): Promise<{ files: Listed[]; cut: boolean } | string> {
  const names: Awaited<ReturnType<typeof byRipgrep>> =
    rg === undefined ? await walkScope(scope, place.inside, ctx) : await byRipgrep(rg, scope, ctx);
  if (typeof names === "string") return names;
  const named = names.files.filter((file) => matches(join(scope.base, file)));
  const path = (file: string): string => join(scope.base, file);
  if (rg === undefined) {
    const files = await realFiles(scope, named, ctx);
    return { files: files.map(({ file, real }) => ({ path: path(file), real })), cut: names.cut };
  }
  const layers = await layerFiles(scope, place.inside ? place.root : -1, ctx);
  const isVisible = visibility(scope, scope.recheck || names.unfiltered === true, ctx);
  const files: Listed[] = [];
  for (const { upper, files: some } of [{ upper: scope.base, files: named }, ...layers]) {
    for (const file of some) {
      const real = join(upper, file);
      if (matches(path(file)) && (await isVisible(file, real))) files.push({ path: path(file), real });
    }
  }
  return { files, cut: names.cut };
}

async function byRipgrep(
  rg: string,
  scope: Scope,
  ctx: ToolContext,
): Promise<{ files: string[]; cut: boolean; unfiltered?: boolean } | string> {
  if (!(await isOnDisk(scope))) return { files: [], cut: false };
  const search = {
    cwd: scope.base,
    targets: [scope.start],
    ignore: scope.byRipgrep,
    parents: scope.rules.inRepository,
  };
  return listWithRipgrep(rg, search, ctx.signal);
}

/** Newest first, by path within a minute (a checkout has no other order); by path alone where there are very many. */
async function newestFirst(files: readonly Listed[]): Promise<{ paths: string[]; timed: boolean }> {
  const sorted = sortByPath(files, (f) => f.path);
  if (sorted.length > MOST_TIMED) return { paths: sorted.map((f) => f.path), timed: false };
  const timed: { path: string; time: number }[] = [];
  for (let at = 0; at < sorted.length; at += 64) {
    const some = sorted.slice(at, at + 64).map(async ({ path, real }) => ({ path, time: await timeOf(real) }));
    timed.push(...(await Promise.all(some)));
  }
  return { paths: timed.toSorted((a, b) => b.time - a.time).map((f) => f.path), timed: true };
}

function timeOf(real: string): Promise<number> {
  return lstat(real).then(
    (stat) => Math.floor(stat.mtimeMs / 60_000),
    () => 0,
  );
}

function show(found: { paths: string[]; timed: boolean }, cut: boolean, ctx: ToolContext): Outcome {
  const shown: string[] = [];
  let room = MOST_LETTERS;
  for (const path of found.paths.slice(0, ctx.settings.glob.maxFiles)) {
    const name = oneLine(showIn(ctx, path));
    room -= name.length + 1;
    if (room < 0) break;
    shown.push(name);
  }
  const total = found.paths.length;
  const order = found.timed ? "the newest" : "the first by path";
  const more =
    shown.length < total
      ? `${shown.length} of ${total.toLocaleString("en")} files shown, ${order}. Narrow the pattern.`
      : "";
  const notes = [more, cut ? "There are too many files to list them all: start in a deeper folder." : ""].filter(
    (n) => n !== "",
  );
  const body = notes.length === 0 ? shown : [...shown, "", ...notes];
  return done(asData(body.join("\n")), { details: { files: total } });
}
