import type { ThemeControl } from "../screen/theming.ts";
import { line } from "../render/spans.ts";
import type { Command } from "./command.ts";
import { read, tell } from "./tell.ts";

/** The screen's colours: by name, or chosen from a list (N-2). */
export const themeCommand: Command = {
  name: "theme",
  args: "[name]",
  text: "Colours of the screen",
  always: true,
  run: async (args, context) => {
    const { theme } = context;
    if (theme === undefined) return tell(context, "Lines have no colours.");
    const { chosen, used } = theme.now();
    const name =
      args !== ""
        ? args
        : await context.choose({
            title: `The theme is ${chosen === used ? used : `${chosen}, that is ${used}`}`,
            body: () => [
              line(
                "What you choose is kept in your settings. A theme of your own: themes/NAME.json beside them.",
                "dim",
              ),
            ],
            choices: theme.names().map((id) => ({ id, label: id, ...(id === chosen ? { more: "now" } : {}) })),
          });
    if (name === undefined) return;
    const problems = theme.use(name);
    for (const problem of problems) tell(context, problem, "warning");
    if (theme.now().chosen === name) tell(context, await saved(theme, name));
  },
};

async function saved(theme: ThemeControl, name: string): Promise<string> {
  const here = `From here on ${name}. What stands above stays as it was painted.`;
  try {
    return theme.save === undefined ? here : `${here} Kept in ${await theme.save(name)}.`;
  } catch (error) {
    return `${here} It counts for this session alone: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Every key as it is now (N-5). */
export const keysCommand: Command = {
  name: "keys",
  text: "Every key, by what it is for",
  always: true,
  run: (_args, context) => read(context, "keys", (width) => context.keys?.(width) ?? context.help(width)),
};
