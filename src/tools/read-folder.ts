import { text } from "../events/block.ts";
import { asData } from "./as-data.ts";
import { footer, Page, type Range } from "./page.ts";
import { brought, codeOf, failed } from "./outcome.ts";
import { oneLine, type Place } from "./paths.ts";
import { listPlain } from "./walk.ts";
import type { Outcome, ToolContext } from "./tool.ts";
import type { ListEntry } from "../workspace/workspace.ts";

const MARKS: Readonly<Record<ListEntry["type"], string>> = { file: "", folder: "/", link: "@", special: " (special)" };

/** The entries of a folder, one a line: `/` marks folders, `@` links. */
export async function readFolder(place: Place, range: Range, ctx: ToolContext): Promise<Outcome> {
  let entries: readonly ListEntry[];
  try {
    entries = place.inside ? await ctx.view.list(place.target) : await listPlain(place.real);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return failed(`${place.shown} can't be listed (${code}).`);
  }
  const open = entries.filter((entry) => ctx.hidden?.(`${place.target}/${entry.name}`) !== true);
  if (open.length === 0) return brought([text(`${place.shown} is an empty folder.`)]);
  const page = new Page(range, ctx.settings.read.maxChars);
  for (const { name, type } of open) page.push(`${oneLine(name)}${MARKS[type]}\n`);
  if (page.lines.length === 0)
    return failed(`${place.shown} has ${open.length} entries; offset ${range.from} is behind them.`);
  const names = page.lines.map((line) => line.slice(line.indexOf("\t") + 1));
  const notes = footer(page, range, true).map((note) => note.replace(/^Lines/, "Entries"));
  const body = [`${place.shown}/`.replace(/\/\/$/, "/"), ...names, ...(notes.length === 0 ? [] : ["", ...notes])];
  return brought([text(asData(body.join("\n")))], { details: { path: place.shown, entries: open.length } });
}
