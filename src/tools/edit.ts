import { z } from "zod";
import { putBack } from "./keys.ts";
import { done, failed, quiet } from "./outcome.ts";
import { changeNeeds, locateAllowed, type Place } from "./paths.ts";
import { replaceIn, type Replacement } from "./replace.ts";
import { asText, hashOf, loadBytes, MOST_BYTES, staleness, toBytes, type TextFile } from "./text-file.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";
import { missing, OUTSIDE_WRITE, stageFile } from "./stage-file.ts";

const One = z.strictObject({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});
const Input = z
  .strictObject({
    file_path: z.string(),
    old_string: z.string().optional().describe("Exact and unique in the file"),
    new_string: z.string().optional(),
    replace_all: z.boolean().optional(),
    edits: z.array(One).min(1).optional().describe("Instead of old_string and new_string: in order, all or none"),
  })
  .superRefine((input, check) => {
    const single = (["old_string", "new_string", "replace_all"] as const).filter((name) => input[name] !== undefined);
    const say = (path: string, message: string) => check.addIssue({ code: "custom", path: [path], message });
    if (input.edits !== undefined) {
      for (const name of single) say(name, "can't be given beside edits; put it into edits");
      return;
    }
    if (input.old_string === undefined) say("old_string", "is missing (or give edits)");
    if (input.new_string === undefined) say("new_string", "is missing (or give edits)");
  });
type Input = z.infer<typeof Input>;

/** Replaces exact text in a file; every byte that it was not asked to change stays (T4). */
export const editTool = defineTool<Input>({
  name: "Edit",
  description: `Replaces exact text in a file. Use it for changes to existing files (Write makes new ones).
old_string must be in the file exactly once, with its tabs and spaces, without Read's line numbers: take in a neighbouring line to make it unique, or set replace_all. Several changes to one file go in edits. Line ends, encoding and file mode are kept.
Example: {"file_path":"src/a.ts","old_string":"limit = 10","new_string":"limit = 20"}`,
  input: Input,
  rules: "change",
  stages: true,
  subject: (input) => input.file_path,
  paths: (input) => [input.file_path],
  needs: (input, ctx) => changeNeeds(input.file_path, ctx),
  parallel: () => false,
  run: (input, ctx) => quiet(() => edit(input, ctx)),
});

async function edit(input: Input, ctx: ToolContext): Promise<Outcome> {
  const place = await locateAllowed(input.file_path, "write", ctx);
  if (typeof place === "string") return failed(place);
  if (!place.inside) return failed(OUTSIDE_WRITE);
  if (!place.exists) return failed(`${await missing(place, ctx)} To make a new file use Write.`);
  const bytes = await loadBytes(place, ctx);
  if (typeof bytes === "string") return failed(bytes);
  const edits = editsOf(input);
  const stale = staleBefore(edits, place, bytes.hash, ctx);
  if (stale !== undefined) return failed(stale);
  const file = await asText(place, bytes);
  if (typeof file === "string") return failed(file);
  const real = putBack(
    edits.flatMap((one) => [one.old_string, one.new_string]),
    { ...place, text: file.text },
    ctx,
  );
  if (typeof real === "string") return failed(real);
  const pairs = edits.map((one, n) => ({
    ...one,
    old_string: real[2 * n] ?? "",
    new_string: real[2 * n + 1] ?? "",
  }));
  return replaceAll(place, file, pairs, ctx);
}

/** Of a file that was never Read, exact text that is there once shows that the model saw it, by Grep or a command; every place of a text does not. */
function staleBefore(edits: readonly Replacement[], place: Place, hash: string, ctx: ToolContext): string | undefined {
  const touched = ctx.state().touched.get(place.target);
  const isExact = edits.every((one) => one.replace_all !== true);
  return touched === undefined && isExact ? undefined : staleness(place, hash, touched);
}

function editsOf(input: Input): Replacement[] {
  const { edits, old_string = "", new_string = "", replace_all } = input;
  return edits ?? [{ old_string, new_string, replace_all }];
}

async function replaceAll(
  place: Place,
  file: TextFile,
  edits: readonly Replacement[],
  ctx: ToolContext,
): Promise<Outcome> {
  let text = file.text;
  let places: Span[] = [];
  for (const [n, one] of edits.entries()) {
    const replaced = replaceIn(text, one, MOST_BYTES, (words) => ctx.secrets?.mask(words) ?? words);
    if (typeof replaced === "string") {
      const which = edits.length === 1 ? "" : `Edit ${n + 1} of ${edits.length}: `;
      return failed(`${which}${replaced}${edits.length === 1 ? "" : "\nNone of the edits was made."}`);
    }
    text = replaced.text;
    places = spansAfter(places, replaced.lines, one);
  }
  if (text === file.text) return failed("The edits undo each other: the file would stay as it is.");
  const fresh = edits.map((one) => one.new_string).join("");
  const bytes = await toBytes(file, text, fresh);
  if (typeof bytes === "string") return failed(bytes);
  const changes = await stageFile(place, bytes, file, ctx);
  const at = places.slice(0, 12).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const count = places.length === 1 ? "1 place" : `${places.length} places`;
  const isOne = places.length === 1 && places[0]?.from === places[0]?.to;
  const words = `Edited ${place.shown}: ${count}, ${isOne ? "line" : "lines"} ${at.join(", ")}${places.length > 12 ? ", …" : ""}.`;
  const seen = ctx.state().touched.get(place.target);
  const partial = seen === undefined || seen.partial === true ? { partial: true } : {};
  const touched = [{ path: place.target, hash: hashOf(bytes), how: "written" as const, ...partial }];
  return done(words, { changes, touched, details: { path: place.shown, replacements: places.length } });
}

/** First and last line, from 1. */
interface Span {
  from: number;
  to: number;
}

/** Where the places of all edits so far stand behind one more, so that the model can name lines without a second look. */
function spansAfter(before: readonly Span[], lines: readonly number[], one: Replacement): Span[] {
  const rows = (text: string): number => text.replace(/\r?\n$/, "").split("\n").length;
  const more = one.new_string.split("\n").length - one.old_string.split("\n").length;
  const moved = before.map(({ from, to }) => {
    const by = more * lines.filter((line) => line < from).length;
    return { from: from + by, to: to + by };
  });
  const fresh = lines.map((line, n) => ({ from: line + n * more, to: line + n * more + rows(one.new_string) - 1 }));
  return [...moved, ...fresh];
}
