/** What a piece of text means; the theme says how it looks. Meaning is never told by colour alone (N-2). */
export type Style =
  | "dim"
  | "bold"
  | "italic"
  | "strike"
  | "heading"
  | "accent"
  | "person"
  | "ok"
  | "error"
  | "warning"
  | "added"
  | "removed"
  | "addedWord"
  | "removedWord"
  | "code"
  | "quote"
  | "link"
  | "selected"
  | "plan"
  | "ask"
  | "auto"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name"
  | "type";

/** Colours that the terminal can show: 0 none, 16 by their names, 256 by number. */
export type Depth = 0 | 16 | 256;
export interface Theme {
  readonly depth: Depth;
  readonly light: boolean;
  paint(style: Style | undefined, text: string): string;
}

type Env = Readonly<Record<string, string | undefined>>;
/** SGR parameters: without colour, then dark and light in 256 colours, then 16 colours for both. */
interface Look {
  plain?: string;
  dark?: string;
  light?: string;
  ansi?: string;
}

const LOOKS: Readonly<Record<Style, Look>> = {
  dim: { plain: "2" },
  bold: { plain: "1" },
  italic: { plain: "3" },
  strike: { plain: "9" },
  heading: { plain: "1", dark: "38;5;117", light: "38;5;25", ansi: "36" },
  accent: { dark: "38;5;117", light: "38;5;25", ansi: "36" },
  person: { plain: "1" },
  ok: { dark: "38;5;114", light: "38;5;28", ansi: "32" },
  error: { plain: "1", dark: "38;5;210", light: "38;5;124", ansi: "31" },
  warning: { dark: "38;5;221", light: "38;5;94", ansi: "33" },
  added: { dark: "38;5;114", light: "38;5;28", ansi: "32" },
  removed: { dark: "38;5;210", light: "38;5;124", ansi: "31" },
  addedWord: { plain: "1;4", dark: "38;5;114", light: "38;5;28", ansi: "32" },
  removedWord: { plain: "1;4", dark: "38;5;210", light: "38;5;124", ansi: "31" },
  code: { dark: "38;5;180", light: "38;5;94", ansi: "33" },
  quote: { plain: "3" },
  link: { plain: "4", dark: "38;5;117", light: "38;5;25", ansi: "36" },
  selected: { plain: "1", dark: "38;5;117", light: "38;5;25", ansi: "36" },
  plan: { plain: "1", dark: "38;5;117", light: "38;5;25", ansi: "36" },
  ask: { plain: "1", dark: "38;5;114", light: "38;5;28", ansi: "32" },
  auto: { plain: "1", dark: "38;5;221", light: "38;5;94", ansi: "33" },
  keyword: { dark: "38;5;176", light: "38;5;90", ansi: "35" },
  string: { dark: "38;5;114", light: "38;5;28", ansi: "32" },
  number: { dark: "38;5;215", light: "38;5;94", ansi: "33" },
  comment: { plain: "2" },
  name: { dark: "38;5;117", light: "38;5;25", ansi: "36" },
  type: { dark: "38;5;180", light: "38;5;94", ansi: "33" },
};

/** NO_COLOR, then FORCE_COLOR, CLICOLOR, COLORTERM and TERM, in that order (N-3). An empty NO_COLOR says nothing. */
export function colourDepth(env: Env): Depth {
  if ((env["NO_COLOR"] ?? "") !== "") return 0;
  const force = env["FORCE_COLOR"];
  if (force === "0" || force === "false") return 0;
  if (force === "1" || force === "true" || force === "") return 16;
  if (force === "2" || force === "3") return 256;
  if (env["CLICOLOR"] === "0") return 0;
  const term = env["TERM"] ?? "";
  if (term === "dumb") return 0;
  if ((env["COLORTERM"] ?? "") !== "" || term.includes("256") || term.includes("kitty")) return 256;
  return 16;
}

/** COLORFGBG of a light terminal ends in 7 or 15; without a word the background is dark (N-2). */
export function lightBackground(env: Env): boolean {
  const background = env["COLORFGBG"]?.split(";").at(-1);
  return background === "7" || background === "15";
}

/** Styles to SGR for what the terminal can show. */
export function makeTheme(options: { depth: Depth; light: boolean }): Theme {
  const codes = new Map(Object.entries(LOOKS).map(([style, look]) => [style, sgr(look, options)]));
  return {
    ...options,
    paint(style, text) {
      const code = style === undefined ? "" : (codes.get(style) ?? "");
      return code === "" || text === "" ? text : `\x1b[${code}m${text}\x1b[0m`;
    },
  };
}

function sgr(look: Look, { depth, light }: { depth: Depth; light: boolean }): string {
  const colour = depth === 0 ? undefined : depth === 16 ? look.ansi : light ? look.light : look.dark;
  return [look.plain, colour].filter((code) => code !== undefined).join(";");
}

/** No escapes at all: for tests and the line front-end. */
export const plainTheme: Theme = { depth: 0, light: false, paint: (_style, text) => text };
