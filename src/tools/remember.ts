import { z } from "zod";
import { done, failed, quiet } from "./outcome.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  title: z.string(),
  body: z.string().optional().describe("Empty removes the note"),
});
type Input = z.infer<typeof Input>;

const MOST_TITLE = 100;
const MOST_BODY = 2000;

/** Keeps a note for later sessions in this project (C2): in a folder of the program's own, so it asks nothing. */
export const rememberTool = defineTool<Input>({
  name: "Remember",
  description: `Keeps a note for later sessions in this project, or replaces that of the same title. Use it for what the files don't say and a colleague would want to know next time: what the person prefers, what went wrong and why. Not for the task at hand, nor keys.
Example: {"title":"Use pnpm, not npm","body":"The person said so; npm breaks the lock file."}`,
  input: Input,
  subject: (input) => input.title,
  keeps: ({ title, body = "" }) => (body.trim() === "" ? `nothing: it removes "${title}"` : `${title}\n${body}`),
  needs: () => Promise.resolve([]),
  parallel: () => false,
  run: (input, ctx) => quiet(() => Promise.resolve(keep(input, ctx))),
});

function keep(input: Input, { notes, secrets }: ToolContext): Outcome {
  if (notes === undefined) return failed("Notes are switched off here. Tell the person what is worth keeping instead.");
  const title = input.title.replaceAll(/\s+/g, " ").trim();
  const body = (input.body ?? "").trim();
  if (title === "") return failed("title is empty: say in a few words what the note is about.");
  if (title.length > MOST_TITLE) return failed(`title has ${title.length} characters; the most is ${MOST_TITLE}.`);
  if (body.length > MOST_BODY)
    return failed(
      `body has ${body.length} characters; the most is ${MOST_BODY}. Keep what matters, or make several notes.`,
    );
  const mask = (text: string): string => secrets?.mask(text) ?? text;
  if (body === "") {
    if (notes.remove(title)) return done(`Removed: ${title}`, { details: { note: "removed", title } });
    const titles = notes.list().map((note) => note.title);
    return failed(`There is no note with this title. There are: ${titles.slice(0, 30).join("; ") || "none"}`);
  }
  const saved = notes.save(mask(title), mask(body));
  if (typeof saved === "string") return failed(saved);
  const hidden = mask(body) === body && mask(title) === title ? "" : " Keys in it are kept as placeholders.";
  const how = saved.replaced ? "replaced" : "kept";
  return done(`${how === "kept" ? "Kept" : "Replaced"}: ${mask(title)}.${hidden}`, {
    details: { note: how, title: mask(title), name: saved.name },
  });
}
