import { join, relative } from "node:path";
import { z } from "zod";
import { withoutBlocks } from "./grep-keys.ts";
import { showGrep } from "./grep-show.ts";
import { grepPattern, type Matches } from "./name-pattern.ts";
import { done, failed, quiet, stopped } from "./outcome.ts";
import { folderOf, locateAllowed, pathNeeds, showIn, type Place } from "./paths.ts";
import { findRipgrep, searchWithRipgrep } from "./ripgrep.ts";
import { isOnDisk, layerFiles, realFiles, scopeOf, visibility, walkScope, type Scope } from "./scope.ts";
import { searchWithScript } from "./search-script.ts";
import { sortByPath, type FileHits, type Found, type Query } from "./search.ts";
import { missing } from "./stage-file.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const lines = z.int().min(0).max(50).optional();
export const GrepInput = z.strictObject({
  pattern: z.string().min(1).describe("Regular expression"),
  path: z.string().optional().describe("File or folder"),
  glob: z.string().optional().describe('As "*.ts", "src/**/*.{ts,tsx}"; "!*.md": all others'),
  type: z.string().optional().describe("ripgrep type: js, py, rust, …"),
  output_mode: z.enum(["content", "files_with_matches", "count"]).optional().describe("Default content"),
  "-i": z.boolean().optional().describe("Ignore case"),
  "-n": z.boolean().optional().describe("Always on"),
  "-A": lines.describe("Lines after each match"),
  "-B": lines.describe("Lines before"),
  "-C": lines.describe("Lines around"),
  multiline: z.boolean().optional().describe("Over line ends; . matches them"),
  head_limit: z.int().min(1).max(5000).optional().describe("Matches (or files) shown"),
  include_ignored: z.boolean().optional().describe("Also what .gitignore names"),
});
export type GrepInput = z.infer<typeof GrepInput>;

/** Which engine searches; tests take the other one by hand. */
export interface GrepOptions {
  ripgrep: () => Promise<string | undefined>;
  scriptMs?: number;
}

/** Searches files for a regular expression, in the folder as a command would see it (T6). */
export function grepToolWith(options: GrepOptions) {
  return defineTool<GrepInput>({
    name: "Grep",
    description: `Searches file contents with ripgrep. Use it to find where something is, then Read around it. Results come by path: 12:a match, 13-a line around it. Hidden files are searched, .git and what .gitignore names are not.
Example: {"pattern":"function \\\\w+Token\\\\(","glob":"*.ts","-C":2}`,
    input: GrepInput,
    rules: "read",
    subject: (input) => input.path ?? ".",
    paths: (input) => [input.path ?? "."],
    needs: (input, ctx) => pathNeeds(input.path ?? ".", "read", ctx),
    parallel: () => true,
    run: (input, ctx) => quiet(() => grep(input, ctx, options)),
  });
}
export const grepTool = grepToolWith({ ripgrep: findRipgrep });

async function grep(input: GrepInput, ctx: ToolContext, options: GrepOptions): Promise<Outcome> {
  const place = await locateAllowed(input.path ?? ".", "read", ctx);
  if (typeof place === "string") return failed(place);
  if (!place.exists) return failed(await missing(place, ctx));
  if (place.type === "special") return failed(`${place.shown} is neither a file nor a folder.`);
  if (`${input.pattern}${input.type ?? ""}`.includes("\0"))
    return failed("pattern holds a NUL character: write it as \\x00, or use Bash for binary files.");
  const glob = input.glob === undefined ? undefined : grepPattern(input.glob);
  if (typeof glob === "string") return failed(`glob: ${glob}`);
  const { secrets } = ctx;
  const query = {
    ...queryOf(input, glob?.prefilter),
    ...(secrets === undefined ? {} : { mask: (line: string) => secrets.mask(line) }),
  };
  const scope = await scopeOf(place, input.include_ignored === true, ctx);
  const found = await search(scope, place, query, ctx, options);
  if (ctx.signal.aborted) return stopped();
  if (typeof found === "string") return failed(found);
  const files =
    glob === undefined || scope.isFile ? found.files : found.files.filter((f) => isNamed(f, scope, glob.matches, ctx));
  const shown = files.map((f) => ({ ...f, file: showIn(ctx, join(scope.base, f.file)) }));
  const words = showGrep(
    sortByPath(shown, (f) => f.file),
    input,
    ctx.settings.grep.maxMatches,
    found.stopped,
  );
  const matches = shown.reduce((sum, f) => sum + f.lines.filter((line) => line.isMatch).length, 0);
  return done(words, { details: { pattern: input.pattern, files: shown.length, matches } });
}

function queryOf(input: GrepInput, prefilter: string | undefined): Query {
  const mode = input.output_mode ?? "content";
  const around = mode === "content" ? (input["-C"] ?? 0) : 0;
  return {
    pattern: input.pattern,
    ignoreCase: input["-i"] === true,
    multiline: input.multiline === true,
    before: mode === "content" ? (input["-B"] ?? around) : 0,
    after: mode === "content" ? (input["-A"] ?? around) : 0,
    countOnly: mode === "count",
    firstOnly: mode === "files_with_matches",
    ...(input.type === undefined ? {} : { type: input.type }),
    ...(prefilter === undefined ? {} : { prefilter }),
  };
}

/** A glob speaks of paths from the search's folder on, or from the working folder. */
function isNamed(hit: FileHits, scope: Scope, matches: Matches, ctx: ToolContext): boolean {
  const path = join(scope.base, hit.file);
  const names = [relative(join(scope.base, scope.start), path), relative(folderOf(ctx), path)];
  const inside = names.filter((name) => name !== "" && !name.startsWith("../"));
  return inside.length === 0 ? matches(hit.file) : inside.some(matches);
}

async function search(
  scope: Scope,
  place: Place,
  query: Query,
  ctx: ToolContext,
  options: GrepOptions,
): Promise<Found | string> {
  const rg = await options.ripgrep();
  const all =
    rg === undefined
      ? await byScript(scope, place, query, ctx, options)
      : await byRipgrep(rg, scope, place, query, ctx);
  if (typeof all === "string") return all;
  const visible: FileHits[] = [];
  // A name pattern given to ripgrep lifts its ignore rules.
  const isVisible = visibility(scope, scope.recheck || query.prefilter !== undefined || all.unfiltered === true, ctx);
  for (const { hits, real } of all.found) {
    if (hits.lines.some((line) => line.isMatch) && (await isVisible(hits.file, real)))
      visible.push(await withoutBlocks(hits, real, ctx.secrets));
  }
  return { files: visible, ...(all.stopped === undefined ? {} : { stopped: all.stopped }) };
}

type Raw = { found: { hits: FileHits; real: string }[]; stopped?: string | undefined; unfiltered?: boolean };

async function byRipgrep(
  rg: string,
  scope: Scope,
  place: Place,
  query: Query,
  ctx: ToolContext,
): Promise<Raw | string> {
  const flags = { ignore: scope.byRipgrep, parents: scope.rules.inRepository };
  const targets: { cwd: string; targets: string[] }[] = [];
  const layers = await layerFiles(scope, place.inside ? place.root : -1, ctx);
  if ((await isOnDisk(scope)) || layers.length === 0) targets.push({ cwd: scope.base, targets: [scope.start] });
  for (const { upper, files } of layers) targets.push(...chunked(files).map((some) => ({ cwd: upper, targets: some })));
  const raw: Raw = { found: [] };
  for (const target of targets) {
    const found = await searchWithRipgrep(rg, query, { ...flags, ...target }, ctx.signal);
    if (typeof found === "string") return found;
    raw.found.push(...found.files.map((hits) => ({ hits, real: join(target.cwd, hits.file) })));
    raw.stopped ??= found.stopped;
    raw.unfiltered ||= found.unfiltered;
  }
  return raw;
}

/** Lists short enough for a command line. */
function chunked(files: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let room = 0;
  for (const file of files) {
    room -= file.length + 8;
    if (room < 0) {
      chunks.push([]);
      room = 60_000;
    }
    chunks.at(-1)?.push(file);
  }
  return chunks;
}

async function byScript(
  scope: Scope,
  place: Place,
  query: Query,
  ctx: ToolContext,
  options: GrepOptions,
): Promise<Raw | string> {
  if (query.type !== undefined)
    return `type needs ripgrep, which is missing here. Use glob, such as "*.${query.type}".`;
  const walked = await walkScope(scope, place.inside, ctx);
  const files = await realFiles(
    scope,
    sortByPath(walked.files, (file) => file),
    ctx,
  );
  const found = await searchWithScript(files, query, ctx.signal, options.scriptMs);
  if (typeof found === "string") return found;
  const reals = new Map(files.map((f) => [f.file, f.real]));
  const stopped = walked.cut ? "stopped, too many files" : undefined;
  return {
    found: found.files.map((hits) => ({ hits, real: reals.get(hits.file) ?? "" })),
    stopped: found.stopped ?? stopped,
  };
}
