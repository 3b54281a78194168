import { colourDepthOf } from "./term/caps.ts";

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
  | "bypass"
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
  bypass: { plain: "1", dark: "38;5;203", light: "38;5;160", ansi: "31" },
  keyword: { dark: "38;5;176", light: "38;5;90", ansi: "35" },
  string: { dark: "38;5;114", light: "38;5;28", ansi: "32" },
  number: { dark: "38;5;215", light: "38;5;94", ansi: "33" },
  comment: { plain: "2" },
  name: { dark: "38;5;117", light: "38;5;25", ansi: "36" },
  type: { dark: "38;5;180", light: "38;5;94", ansi: "33" },
};

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

/** The theme that an environment asks for. */
export function themeFor(env: Env): Theme {
  const depth = colourDepthOf(env);
  return makeTheme({ depth: depth === 0 || depth === 16 ? depth : 256, light: lightBackground(env) });
}

/** No escapes at all: for tests and the line front-end. */
export const plainTheme: Theme = { depth: 0, light: false, paint: (_style, text) => text };
