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
    old_string: z.string().optional().describe("Exact text to replace, unique in the file"),
    new_string: z.string().optional(),
    replace_all: z.boolean().optional().describe("Replace every place"),
    edits: z
      .array(One)
      .min(1)
      .optional()
      .describe("Instead of old_string and new_string: several, in order, all or none"),
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
  description: `Replaces exact text in a file that you have Read. Use it for changes to existing files (Write makes new ones).
old_string must be in the file exactly once, with its tabs and spaces but without Read's line numbers; take in a neighbouring line to make it unique, or set replace_all. Several changes to one file go in edits: they apply in order, all or none. Line ends, encoding and file mode are kept.
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
  const stale = staleness(place, bytes.hash, ctx.state().touched.get(place.target));
  if (stale !== undefined) return failed(stale);
  const file = await asText(place, bytes);
  if (typeof file === "string") return failed(file);
  const edits = editsOf(input);
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
  const lines: number[] = [];
  for (const [n, one] of edits.entries()) {
    const replaced = replaceIn(text, one, MOST_BYTES, (words) => ctx.secrets?.mask(words) ?? words);
    if (typeof replaced === "string") {
      const which = edits.length === 1 ? "" : `Edit ${n + 1} of ${edits.length}: `;
      return failed(`${which}${replaced}${edits.length === 1 ? "" : "\nNone of the edits was made."}`);
    }
    text = replaced.text;
    lines.push(...replaced.lines);
  }
  if (text === file.text) return failed("The edits undo each other: the file would stay as it is.");
  const fresh = edits.map((one) => one.new_string).join("");
  const bytes = await toBytes(file, text, fresh);
  if (typeof bytes === "string") return failed(bytes);
  const changes = await stageFile(place, bytes, file, ctx);
  const at = lines.length > 12 ? `${lines.slice(0, 12).join(", ")}, …` : lines.join(", ");
  const words = `Edited ${place.shown}: ${lines.length} ${lines.length === 1 ? "place, line" : "places, lines"} ${at}.`;
  const partial = ctx.state().touched.get(place.target)?.partial === true ? { partial: true } : {};
  const touched = [{ path: place.target, hash: hashOf(bytes), how: "written" as const, ...partial }];
  return done(words, { changes, touched, details: { path: place.shown, replacements: lines.length } });
}
