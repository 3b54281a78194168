import { type Style, STYLES } from "./style.ts";

/** A colour by its number (0–15: the terminal's own sixteen, 16–255: the cube and the greys that every terminal has) or as `#rrggbb`. */
export type Colour = number | `#${string}`;
export type Attribute = "bold" | "dim" | "italic" | "underline" | "reverse" | "strike";
/** How a style looks. Without a colour it has the terminal's own. */
export interface Look {
  colour?: Colour | undefined;
  attributes?: readonly Attribute[] | undefined;
}
export type Looks = Readonly<Record<Style, Look>>;

/** A theme by its name. */
export interface Palette {
  name: string;
  light: boolean;
  /** What it is made for: contrast is measured against it. */
  background: `#${string}`;
  looks: Looks;
  /** Stands in where the terminal has sixteen colours. */
  ansi?: string | undefined;
}

/** Weights and lines, which stay where there is no colour (N-3): what a colour tells is never told by it alone. */
const ATTRIBUTES: Readonly<Partial<Record<Style, readonly Attribute[]>>> = {
  dim: ["dim"],
  bold: ["bold"],
  italic: ["italic"],
  strike: ["strike"],
  heading: ["bold"],
  person: ["bold"],
  error: ["bold"],
  addedWord: ["bold", "underline"],
  removedWord: ["bold", "underline"],
  quote: ["italic"],
  link: ["underline"],
  selected: ["bold"],
  selection: ["reverse"],
  plan: ["bold"],
  ask: ["bold"],
  auto: ["bold"],
  bypass: ["bold"],
  comment: ["dim"],
};

/** The few colours that a palette is made of; every style has one of them, or none. */
interface Tones {
  faint?: Colour;
  accent: Colour;
  good: Colour;
  bad: Colour;
  alarm: Colour;
  warning: Colour;
  code: Colour;
  keyword: Colour;
  number: Colour;
}

const TONE_OF: Readonly<Partial<Record<Style, keyof Tones>>> = {
  dim: "faint",
  comment: "faint",
  heading: "accent",
  accent: "accent",
  link: "accent",
  selected: "accent",
  plan: "accent",
  name: "accent",
  ok: "good",
  added: "good",
  addedWord: "good",
  ask: "good",
  string: "good",
  error: "bad",
  removed: "bad",
  removedWord: "bad",
  bypass: "alarm",
  warning: "warning",
  auto: "warning",
  code: "code",
  type: "code",
  keyword: "keyword",
  number: "number",
};

function looksOf(tones: Partial<Tones>): Looks {
  const look = (style: Style): Look => {
    const tone = TONE_OF[style];
    const colour = tone === undefined ? undefined : tones[tone];
    // A colour of its own is faint enough: dimmed besides it could not be read.
    const attributes = colour === undefined ? ATTRIBUTES[style] : ATTRIBUTES[style]?.filter((a) => a !== "dim");
    return { colour, attributes };
  };
  return Object.fromEntries(STYLES.map((style) => [style, look(style)])) as unknown as Looks;
}

const DARK = "#1e1e1e";
const LIGHT = "#ffffff";

/**
 * The themes that are there (N-2). `dark` and `light` use fixed numbers of the 256; the ansi ones the terminal's own sixteen, which is what
 * somebody wants who has set those; the daltonized ones tell what is good from what is bad by blue and orange.
 */
export const PALETTES: readonly Palette[] = [
  {
    name: "dark",
    light: false,
    background: DARK,
    ansi: "dark-ansi",
    looks: looksOf({
      faint: 246,
      accent: 117,
      good: 114,
      bad: 210,
      alarm: 209,
      warning: 221,
      code: 180,
      keyword: 176,
      number: 215,
    }),
  },
  {
    name: "light",
    light: true,
    background: LIGHT,
    ansi: "light-ansi",
    looks: looksOf({
      faint: 241,
      accent: 25,
      good: 22,
      bad: 124,
      alarm: 160,
      warning: 94,
      code: 94,
      keyword: 90,
      number: 94,
    }),
  },
  {
    name: "dark-ansi",
    light: false,
    background: "#000000",
    looks: looksOf({ accent: 14, good: 10, bad: 9, alarm: 9, warning: 11, code: 11, keyword: 13, number: 11 }),
  },
  {
    name: "light-ansi",
    light: true,
    background: LIGHT,
    // The usual green, yellow and cyan can't be read on white.
    looks: looksOf({ accent: 4, good: 4, bad: 1, alarm: 1, warning: 5, code: 5, keyword: 5, number: 5 }),
  },
  {
    name: "dark-daltonized",
    light: false,
    background: DARK,
    ansi: "dark-ansi-daltonized",
    looks: looksOf({
      faint: 246,
      accent: 152,
      good: 75,
      bad: 215,
      alarm: 208,
      warning: 229,
      code: 223,
      keyword: 183,
      number: 223,
    }),
  },
  {
    name: "light-daltonized",
    light: true,
    background: LIGHT,
    ansi: "light-ansi",
    looks: looksOf({
      faint: 241,
      accent: 24,
      good: 26,
      bad: 130,
      alarm: 130,
      warning: 94,
      code: 58,
      keyword: 54,
      number: 58,
    }),
  },
  { name: "mono", light: false, background: DARK, looks: looksOf({}) },
];

/** What `dark-daltonized` comes to with sixteen colours; no choice of its own. */
const HIDDEN: readonly Palette[] = [
  {
    name: "dark-ansi-daltonized",
    light: false,
    background: "#000000",
    looks: looksOf({ accent: 15, good: 14, bad: 11, alarm: 11, warning: 11, code: 15, keyword: 13, number: 15 }),
  },
];

export const THEME_NAMES: readonly string[] = PALETTES.map((palette) => palette.name);

/** A palette of that name; undefined: there is none. */
export function paletteOf(name: string): Palette | undefined {
  return [...PALETTES, ...HIDDEN].find((palette) => palette.name === name);
}
