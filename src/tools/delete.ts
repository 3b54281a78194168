import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { codeOf, done, failed, quiet } from "./outcome.ts";
import { absolute, badPath, locate, ruledPath, showIn, type Place } from "./paths.ts";
import { missing, OUTSIDE_WRITE } from "./stage-file.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  file_path: z.string(),
  recursive: z.boolean().optional().describe("For a folder that is not empty"),
});
type Input = z.infer<typeof Input>;

/** Removes a file, a link (never what it leads to) or a folder. */
export const deleteTool = defineTool<Input>({
  name: "Delete",
  description: `Deletes a file, a link or a folder. Use it rather than rm: the person can undo it.
Example: {"file_path":"src/old.ts"}`,
  input: Input,
  rules: "change",
  stages: true,
  subject: (input) => input.file_path,
  paths: (input) => [input.file_path],
  async needs(input, ctx) {
    const place = await entryOf(input.file_path, ctx);
    if (typeof place === "string") return [{ kind: "change", paths: [input.file_path] }];
    return [{ kind: "change", paths: [ruledPath(ctx, { root: place.parent.root, target: place.path })] }];
  },
  parallel: () => false,
  run: (input, ctx) => quiet(() => remove(input, ctx)),
});

type Entry = { path: string; shown: string; inside: boolean; parent: Place };

/** The entry itself: links are followed up to its folder, not at its own name. */
async function entryOf(given: string, ctx: ToolContext): Promise<Entry | string> {
  const bad = badPath(given);
  if (bad !== undefined) return bad;
  const path = absolute(given, ctx);
  const parent = await locate(dirname(path), ctx);
  if (typeof parent === "string") return parent;
  const real = join(parent.target, basename(path));
  if (ctx.hidden?.(real) === true) return `${given} is kept from you by a deny rule.`;
  return { path: real, shown: showIn(ctx, real), inside: parent.inside, parent };
}

async function remove(input: Input, ctx: ToolContext): Promise<Outcome> {
  const entry = await entryOf(input.file_path, ctx);
  if (typeof entry === "string") return failed(entry);
  const { path, shown } = entry;
  if (ctx.roots.some((root) => root.path === path || root.path.startsWith(`${path}/`)))
    return failed("The folder itself can't be deleted. Name what is in it.");
  if (!entry.inside) return failed(OUTSIDE_WRITE);
  const kind = await kindOf(entry, ctx);
  if (kind === undefined) return failed(await missing({ ...entry.parent, target: path, shown }, ctx));
  if (kind === "folder" && input.recursive !== true) {
    const inside = await ctx.view.list(path);
    const n = inside.length;
    if (n > 0)
      return failed(
        `${shown} is a folder with ${n} ${n === 1 ? "entry" : "entries"}. Set recursive to delete it with all below.`,
      );
  }
  const stage = await ctx.workspace.stage(ctx.operationId, ctx.view);
  await stage.remove(path);
  const changes = await stage.finish();
  const what = kind === "folder" ? "folder " : kind === "link" ? "link " : "";
  const touched = [{ path, hash: "", how: "deleted" as const }];
  return done(`Deleted ${what}${shown}.`, { changes, touched, details: { path: shown, kind } });
}

async function kindOf(entry: Entry, ctx: ToolContext): Promise<"file" | "folder" | "link" | "special" | undefined> {
  if (!entry.parent.exists || entry.parent.type !== "folder") return undefined;
  try {
    const entries = await ctx.view.list(entry.parent.target);
    return entries.find((one) => one.name === basename(entry.path))?.type;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
