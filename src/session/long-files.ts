import { join } from "node:path";
import type { SessionEvent } from "../events/event.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { folderOf, locate } from "../tools/paths.ts";
import { loadBytes } from "../tools/text-file.ts";
import type { ToolContext } from "../tools/tool.ts";
import { bring } from "./shell.ts";

/** A file of the folder's as the session sees it; undefined where there is none. */
export async function readWork(path: string, deps: LoopDeps): Promise<string | undefined> {
  const ctx = await contextOf(deps);
  return (await bytesOf(path, ctx))?.bytes.toString("utf8");
}

/** Lands these texts by path in the folder as one step through the door, as the program's own doing: no rule is asked. */
export async function* changeFiles(
  texts: Readonly<Record<string, string>>,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, void> {
  const ctx = await contextOf(deps);
  const stage = await ctx.workspace.stage(ctx.operationId, ctx.view);
  for (const [path, text] of Object.entries(texts)) {
    const old = await bytesOf(path, ctx);
    await stage.put(old?.target ?? join(folderOf(ctx), path), Buffer.from(text), old?.mode, old?.bytes);
  }
  yield* bring(await stage.finish(), { output: "", reason: "exit" }, ctx, deps, signal);
}

async function contextOf(deps: LoopDeps): Promise<ToolContext> {
  const id = deps.makeId("op");
  return deps.context({ callId: id, operationId: id }, new AbortController().signal, deps.asker);
}

/** Throws with words for the person where it is no file of the folder's. */
async function bytesOf(path: string, ctx: ToolContext) {
  const place = await locate(join(folderOf(ctx), path), ctx);
  if (typeof place === "string") throw new Error(place);
  if (!place.exists) return undefined;
  if (!place.inside) throw new Error(`${path} leads out of the folder`);
  const file = await loadBytes(place, ctx);
  if (typeof file === "string") throw new Error(file);
  return { ...file, target: place.target };
}
