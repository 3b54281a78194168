import { basename, join } from "node:path";
import { folderOf, locate, showIn } from "./paths.ts";
import { findRipgrep, streamWithRipgrep } from "./ripgrep.ts";
import { isOnDisk, layerFiles, scopeOf, visibility, walkScope } from "./scope.ts";
import type { ToolContext } from "./tool.ts";

const DOOR_NAME = /^\.understudy-.+-\d+$/;

/**
 * Names of the files that a person may mean, in pieces as they are found: of every root, without what `.gitignore` names or a deny rule for
 * Read hides, with what waits for its review. Relative to the folder where they lie below it.
 */
export async function* listFiles(
  ctx: ToolContext,
  ripgrep: () => Promise<string | undefined> = findRipgrep,
): AsyncGenerator<readonly string[], void> {
  const rg = await ripgrep();
  const folder = folderOf(ctx);
  const others = ctx.roots.filter((root) => root.kind === "added").map((root) => root.path);
  for (const start of [folder, ...others]) {
    if (ctx.signal.aborted) return;
    yield* below(start, ctx, rg);
  }
}

async function* below(
  start: string,
  ctx: ToolContext,
  rg: string | undefined,
): AsyncGenerator<readonly string[], void> {
  const place = await locate(start, ctx);
  if (typeof place === "string" || place.type !== "folder") return;
  const scope = await scopeOf(place, false, ctx);
  const show = (file: string): string => showIn(ctx, join(scope.base, file));
  if (rg === undefined) return yield (await walkScope(scope, place.inside, ctx)).files.map(show);
  const isVisible = visibility(scope, scope.recheck, ctx);
  const simple = ctx.view.layers.length === 0 && !scope.recheck;
  const shown = async (upper: string, files: readonly string[]): Promise<string[]> => {
    const kept: string[] = [];
    for (const file of files) {
      const path = join(scope.base, file);
      const ok = simple
        ? ctx.hidden?.(path) !== true && !DOOR_NAME.test(basename(path))
        : await isVisible(file, join(upper, file));
      if (ok) kept.push(show(file));
    }
    return kept;
  };
  if (await isOnDisk(scope)) {
    const search = {
      cwd: scope.base,
      targets: [scope.start],
      ignore: scope.byRipgrep,
      parents: scope.rules.inRepository,
    };
    for await (const files of streamWithRipgrep(rg, search, ctx.signal)) yield await shown(scope.base, files);
  }
  for (const { upper, files } of await layerFiles(scope, place.root, ctx)) yield await shown(upper, files);
}
