import { colourDepthOf, type ColourDepth } from "./term/caps.ts";
import type { Style } from "./theme/style.ts";
import { nearest256 } from "./theme/colour.ts";
import { type Attribute, type Colour, type Look, type Palette, paletteOf, PALETTES } from "./theme/palettes.ts";

export type { Style } from "./theme/style.ts";

export interface Theme {
  /** Of the theme, or of the one that stands in for it with few colours. */
  readonly name: string;
  readonly depth: ColourDepth;
  readonly light: boolean;
  paint(style: Style | undefined, text: string): string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** COLORFGBG of a light terminal ends in 7 or 15; without a word the background is dark (N-2). */
export function lightBackground(env: Env): boolean {
  const background = env["COLORFGBG"]?.split(";").at(-1);
  return background === "7" || background === "15";
}

/** The dark or the light theme. */
export function defaultPalette(light: boolean): Palette {
  const found = paletteOf(light ? "light" : "dark") ?? PALETTES[0];
  if (found === undefined) throw new Error("no palette");
  return found;
}

/** Styles to SGR for what the terminal can show. */
export function makeTheme({ depth, palette }: { depth: ColourDepth; palette: Palette }): Theme {
  const used = depth === 16 && palette.ansi !== undefined ? (paletteOf(palette.ansi) ?? palette) : palette;
  const codes = new Map(
    Object.entries(used.looks).map(([style, look]) => [style, sgrOf(depth === 0 ? withoutColour(look) : look, depth)]),
  );
  // Without colour what is faint by its colour is faint by its weight.
  if (depth === 0) for (const style of ["dim", "comment"]) codes.set(style, String(SGR.dim));
  return {
    name: depth === 0 ? "mono" : used.name,
    depth,
    light: used.light,
    paint(style, text) {
      const code = style === undefined ? "" : (codes.get(style) ?? "");
      return code === "" || text === "" ? text : `\x1b[${code}m${text}\x1b[0m`;
    },
  };
}

const SGR: Readonly<Record<Attribute, number>> = { bold: 1, dim: 2, italic: 3, underline: 4, reverse: 7, strike: 9 };

function withoutColour({ attributes }: Look): Look {
  return { attributes };
}

function sgrOf({ colour, attributes = [] }: Look, depth: ColourDepth): string {
  return [
    ...attributes.map((name) => String(SGR[name])),
    ...(colour === undefined ? [] : [colourSgr(colour, depth)]),
  ].join(";");
}

function colourSgr(colour: Colour, depth: ColourDepth): string {
  if (typeof colour === "number")
    return colour < 8 ? `${30 + colour}` : colour < 16 ? `${82 + colour}` : `38;5;${colour}`;
  if (depth !== 16_777_216) return `38;5;${nearest256(colour)}`;
  return `38;2;${[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).join(";")}`;
}

/** The theme that an environment asks for. */
export function themeFor(env: Env): Theme {
  return makeTheme({ depth: colourDepthOf(env), palette: defaultPalette(lightBackground(env)) });
}

/** A theme that can be exchanged while the screen is up; what was painted stays as it was. */
export interface LiveTheme extends Theme {
  use(theme: Theme): void;
}

/** See `LiveTheme`. */
export function liveTheme(first: Theme): LiveTheme {
  let now = first;
  return {
    get name() {
      return now.name;
    },
    get depth() {
      return now.depth;
    },
    get light() {
      return now.light;
    },
    paint: (style, text) => now.paint(style, text),
    use: (theme) => void (now = theme),
  };
}

/** No escapes at all: for tests and the line front-end. */
export const plainTheme: Theme = { name: "mono", depth: 0, light: false, paint: (_style, text) => text };
