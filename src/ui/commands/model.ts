import { Effort } from "../../events/event.ts";
import { KNOWN_MODELS, SERVICES } from "../../model/known.ts";
import { line } from "../render/spans.ts";
import type { Command, CommandContext } from "./command.ts";
import { tell } from "./tell.ts";

/** Another model (M2): by its name, by a part of a known one's, or chosen from a list. */
export const modelCommand: Command = {
  name: "model",
  args: "[NAME]",
  text: "The model that answers",
  options: () => KNOWN_MODELS,
  run: async (args, context) => {
    const model = await meant(args, context);
    if (model === undefined) return;
    tell(context, await context.session.setModel(model));
  },
};

/** How long the model thinks (M2). */
export const effortCommand: Command = {
  name: "effort",
  args: "[low|medium|high|default]",
  text: "How long the model thinks",
  run: async (args, context) => {
    const { session } = context;
    const found = Effort.safeParse(args);
    if (args === "")
      return tell(
        context,
        `Effort is ${session.effort() ?? "as the model likes"}. /effort low, medium or high changes it; /effort default is what settings say.`,
      );
    if (!found.success && args !== "default")
      return tell(context, `No effort ${args}. There are ${Effort.options.join(", ")} and default.`, "error");
    tell(context, await session.setEffort(found.data));
  },
};

/** Known models whose names hold all these words; only the one that ends in them as they stand, where there is one: `opus 5`. */
export function modelsLike(words: string): readonly string[] {
  const parts = words
    .toLowerCase()
    .split(/[\s.-]+/)
    .filter((part) => part !== "");
  const whole = KNOWN_MODELS.filter((name) => parts.length > 1 && name.endsWith(`-${parts.join("-")}`));
  if (whole.length === 1) return whole;
  return KNOWN_MODELS.filter((name) => parts.every((part) => name.split("-").some((piece) => piece.startsWith(part))));
}

async function meant(args: string, context: CommandContext): Promise<string | undefined> {
  const whole = KNOWN_MODELS.includes(args) || SERVICES.some((service) => args.startsWith(`${service}:`));
  const like = whole ? [] : modelsLike(args);
  if (args !== "" && like.length === 0) return args;
  if (args !== "" && like.length === 1) return like[0];
  const now = context.session.state().model;
  return context.choose({
    title: args === "" ? `The model is ${now}` : `Which ${args}?`,
    body: () => [
      line("Any other by its name: /model NAME, also openai:, bedrock: and vertex: (docs/models.md).", "dim"),
    ],
    choices: like.map((name) => ({ id: name, label: name, ...(name === now ? { more: "now" } : {}) })),
  });
}
