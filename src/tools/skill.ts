import { z } from "zod";
import { done, failed, quiet } from "./outcome.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  name: z.string().describe("As listed"),
  args: z.string().optional().describe("What it is to work on"),
});
type Input = z.infer<typeof Input>;

/** Loads a skill's instructions (C6): they come as a note, since nothing in a result is to be followed. */
export const skillTool = defineTool<Input>({
  name: "Skill",
  description: `Loads the instructions of a skill that a note lists. Call it before you start on what the skill is for; then follow them.
Example: {"name":"skill-creator","args":"a skill that writes release notes"}`,
  input: Input,
  subject: (input) => input.name,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  run: (input, ctx) => quiet(() => Promise.resolve(load(input, ctx))),
});

function load({ name, args = "" }: Input, { skills, state }: ToolContext): Outcome {
  const loaded = skills?.load(name, args);
  if (loaded === undefined) {
    const names = skills?.names() ?? [];
    return failed(`There is no skill ${JSON.stringify(name)} here. There are: ${names.join(", ") || "none"}`);
  }
  if (typeof loaded === "string") return failed(loaded);
  const { items, firstItem } = state();
  const same = items
    .slice(firstItem)
    .some((item) => item.kind === "note" && item.told?.kind === "skill" && item.text === loaded.text);
  if (same) return done(`The instructions of ${name} stand in a note above already.`);
  return done(`Loaded ${name}: its instructions are in the note behind these results.`, { skill: loaded });
}
