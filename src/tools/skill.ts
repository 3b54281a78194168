import { z } from "zod";
import { done, failed, quiet } from "./outcome.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  name: z.string(),
  args: z.string().optional().describe("What it is to work on"),
});
type Input = z.infer<typeof Input>;

/** Loads a skill's instructions (C6): they come as a note, since nothing in a result is to be followed. */
export const skillTool = defineTool<Input>({
  name: "Skill",
  description: `Loads a skill that a note lists, or skill-creator (makes a skill out of what the person wants done the same way each time). Use it before you start on what the skill is for.
Example: {"name":"skill-creator","args":"release notes"}`,
  input: Input,
  subject: (input) => input.name,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  run: (input, ctx) => quiet(() => Promise.resolve(load(input, ctx))),
});

function load({ name, args = "" }: Input, ctx: ToolContext): Outcome {
  const loaded = ctx.skills?.load(name, args);
  if (loaded === undefined) {
    const names = ctx.skills?.names() ?? [];
    return failed(`There is no skill ${JSON.stringify(name)} here. There are: ${names.join(", ") || "none"}`);
  }
  if (typeof loaded === "string") return failed(loaded);
  const { items, firstItem } = ctx.state();
  const same = items
    .slice(firstItem)
    .some((item) => item.kind === "note" && item.told?.kind === "skill" && item.text === loaded.text);
  if (same) return done(`The instructions of ${name} stand in a note above already.`);
  return done(`Loaded ${name}: its instructions are in the note behind these results.`, { skill: loaded });
}
