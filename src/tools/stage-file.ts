import { basename, dirname, join, relative } from "node:path";
import type { ChangeSet } from "../workspace/change.ts";
import { isBelow } from "../workspace/roots.ts";
import { nearNames } from "./near.ts";
import { folderOf, showIn, type Place } from "./paths.ts";
import type { FileBytes } from "./text-file.ts";
import type { ToolContext } from "./tool.ts";

/** Told without a question: no yes could make the door lead outside. */
export const OUTSIDE_WRITE =
  'This lies outside the folder, and nothing was asked or changed: Write, Edit and Delete change files of the folder only. Change it with Bash and outside: [{"path": …, "access": "write"}], which asks the person, or ask them to add that folder (--add-dir).';

/** A change set with one written file, made from `old`; nothing in the folder is touched. */
export async function stageFile(
  place: Place,
  bytes: Uint8Array,
  old: FileBytes | undefined,
  ctx: ToolContext,
): Promise<ChangeSet> {
  const stage = await ctx.workspace.stage(ctx.operationId, ctx.view);
  await stage.put(place.target, bytes, old?.mode, old?.bytes);
  return stage.finish();
}

/** Why no file can be made there: something that is no folder stands where a folder has to be. */
export async function blockedBy(place: Place, ctx: ToolContext): Promise<string | undefined> {
  for (let folder = dirname(place.target); folder !== "/"; folder = dirname(folder)) {
    const found = await ctx.view.resolve(folder).catch(() => undefined);
    if (found?.exists !== true) continue;
    return found.type === "folder" ? undefined : `${showIn(ctx, folder)} is a file, not a folder.`;
  }
  return undefined;
}

/** The file that was meant where a path starts at the shell's folder instead of the project's. */
async function fromShell(place: Place, ctx: ToolContext): Promise<string | undefined> {
  const { cwd } = ctx.state().shell;
  const folder = folderOf(ctx);
  if (cwd === folder || !isBelow(folder, place.target)) return undefined;
  const meant = join(cwd, relative(folder, place.target));
  if (ctx.hidden?.(meant) === true) return undefined;
  const found = await ctx.view.resolve(meant).catch(() => undefined);
  return found?.exists === true && found.inside ? showIn(ctx, meant) : undefined;
}

/** "No src/a.ts. Near: src/a.tsx." or what the nearest folder above holds. */
export async function missing(place: Place, ctx: ToolContext): Promise<string> {
  const shown = `No ${place.shown}.`;
  if (!place.inside) return shown;
  const folder = dirname(place.target);
  const above = await ctx.view.resolve(folder).catch(() => undefined);
  if (above?.exists === true && above.type !== "folder")
    return `${shown} ${showIn(ctx, folder)} is a file, not a folder.`;
  const meant = await fromShell(place, ctx);
  if (meant !== undefined) return `${shown} Paths start at the folder, not where the shell stands: ${meant}.`;
  if (above?.exists !== true) return `${shown} Its folder ${showIn(ctx, folder)} does not exist.`;
  const names = (await ctx.view.list(folder).catch(() => [])).map((entry) => entry.name);
  const open = names.filter((name) => ctx.hidden?.(`${folder}/${name}`) !== true);
  const near = nearNames(open, basename(place.target)).map((name) => showIn(ctx, `${folder}/${name}`));
  return near.length === 0 ? shown : `${shown} Near: ${near.join(", ")}.`;
}
