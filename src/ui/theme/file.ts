import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nearest } from "../../util/nearest.ts";
import { entriesOf, type OwnFile, readOwnFile } from "../own-file.ts";
import { contrast, rgbOf } from "./colour.ts";
import {
  type Attribute,
  type Colour,
  type Look,
  type Looks,
  type Palette,
  paletteOf,
  THEME_NAMES,
} from "./palettes.ts";
import { type Style, STYLES } from "./style.ts";

const ATTRIBUTES: readonly Attribute[] = ["bold", "dim", "italic", "underline", "reverse", "strike"];
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const COLOURS = new Map<string, number>([
  ...NAMES.map((name, n): [string, number] => [name, n]),
  ...NAMES.map((name, n): [string, number] => [`bright-${name}`, n + 8]),
]);
/** What a text should have to be read (WCAG AA). */
const READABLE = 4.5;

/** Where a person's own themes lie, each `NAME.json`. */
export const themesDir = (configDir: string): string => join(configDir, "themes");

/** Names of a person's own themes. */
export function ownThemeNames(configDir: string): string[] {
  const dir = themesDir(configDir);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => /^[\w-]{1,40}\.json$/.test(name))
    .map((name) => name.slice(0, -".json".length))
    .toSorted();
}

/**
 * A theme by its name, built in or the person's own, and what is to be said of its file. A style that can't be understood is as in the
 * theme that the file is made from.
 */
export function findTheme(name: string, configDir: string): { palette?: Palette; problems: readonly string[] } {
  const built = THEME_NAMES.includes(name) ? paletteOf(name) : undefined;
  if (built !== undefined) return { palette: built, problems: [] };
  const file = /^[\w-]{1,40}$/.test(name) ? readOwnFile(join(themesDir(configDir), `${name}.json`)) : undefined;
  if (file !== undefined) return themeOf(name, file);
  const all = [...THEME_NAMES, ...ownThemeNames(configDir)];
  const near = nearest(name, all);
  const hint = near === undefined ? `There are auto, ${all.join(", ")}` : `Did you mean ${near}?`;
  return { problems: [`No theme ${JSON.stringify(name)}. ${hint}`] };
}

/** The theme that a file describes. */
export function themeOf(name: string, file: OwnFile): { palette?: Palette; problems: readonly string[] } {
  if (file.entries.length === 0 && file.problems.length > 0) return { problems: file.problems };
  const base = basePalette(file);
  const background = backgroundOf(file) ?? base.background;
  const looks: Record<Style, Look> = { ...base.looks };
  for (const { key, at, value } of file.entries) {
    if (key === "styles" && value.kind !== "object") file.fail(at, "styles: an object in { } is due");
    else if (key === "styles") addStyles(looks, entriesOf(value), file, background);
    else if (key !== "base" && key !== "background")
      file.fail(at, `${key}: no such key; there are base, background, styles`);
  }
  return { palette: { ...base, name, background, looks: looks satisfies Looks }, problems: file.problems };
}

function basePalette(file: OwnFile): Palette {
  const dark = paletteOf("dark");
  if (dark === undefined) throw new Error("no palette");
  const entry = file.entries.find((e) => e.key === "base");
  if (entry === undefined) return dark;
  const { value, at } = entry;
  const found =
    value.kind === "value" && THEME_NAMES.includes(String(value.value)) ? paletteOf(String(value.value)) : undefined;
  if (found === undefined) file.fail(at, `base: no such theme; there are ${THEME_NAMES.join(", ")}`);
  return found ?? dark;
}

function backgroundOf(file: OwnFile): `#${string}` | undefined {
  const entry = file.entries.find((e) => e.key === "background");
  if (entry === undefined) return undefined;
  const text = entry.value.kind === "value" ? hex(String(entry.value.value)) : undefined;
  if (text === undefined) file.fail(entry.at, "background: a colour as #rrggbb is due");
  return text;
}

function addStyles(looks: Record<Style, Look>, entries: OwnFile["entries"], file: OwnFile, background: Colour): void {
  for (const { key, at, value } of entries) {
    const style = STYLES.find((s) => s === key);
    if (style === undefined) {
      const near = nearest(key, STYLES);
      file.fail(
        at,
        `styles.${key}: no such style; ${near === undefined ? `there are ${STYLES.join(", ")}` : `did you mean ${near}?`}`,
      );
      continue;
    }
    if (value.kind !== "value" || (typeof value.value !== "string" && typeof value.value !== "number")) {
      file.fail(at, `styles.${key}: words are due, such as "bold #89b4fa"`);
      continue;
    }
    const look = lookOf(String(value.value), (words) => file.fail(at, `styles.${key}: ${words}`));
    if (look === undefined) continue;
    looks[style] = look;
    warnFaint(look, background, (words) => file.fail(at, `styles.${key}: ${words}`));
  }
}

/** `bold #89b4fa`: attributes, and one colour as #rrggbb, a number of 0 to 255, or a name; `plain`: neither. */
function lookOf(text: string, fail: (words: string) => void): Look | undefined {
  let colour: Colour | undefined;
  const attributes: Attribute[] = [];
  for (const word of text.split(/\s+/).filter((w) => w !== "" && w !== "plain")) {
    const attribute = ATTRIBUTES.find((a) => a === word);
    const found = attribute === undefined ? colourOf(word) : undefined;
    if (attribute !== undefined) attributes.push(attribute);
    else if (found !== undefined && colour === undefined) colour = found;
    else {
      const all = [...ATTRIBUTES, ...COLOURS.keys()];
      const near = nearest(word, all);
      const hint =
        near === undefined ? `a colour is #rrggbb, 0 to 255, or a name such as bright-blue` : `did you mean ${near}?`;
      fail(
        found === undefined
          ? `${JSON.stringify(word)} is neither colour nor attribute; ${hint}`
          : "two colours; one is due",
      );
      return undefined;
    }
  }
  return { colour, attributes };
}

function colourOf(word: string): Colour | undefined {
  if (/^\d{1,3}$/.test(word) && Number(word) < 256) return Number(word);
  return COLOURS.get(word) ?? hex(word);
}

function hex(word: string): `#${string}` | undefined {
  return /^#[\da-f]{6}$/i.test(word) ? `#${word.slice(1).toLowerCase()}` : undefined;
}

function warnFaint({ colour }: Look, background: Colour, fail: (words: string) => void): void {
  // The sixteen are the terminal's own: nobody knows how they look.
  if (colour === undefined || (typeof colour === "number" && colour < 16)) return;
  const ratio = contrast(rgbOf(colour), rgbOf(background));
  if (ratio < READABLE) fail(`hard to read: its contrast is ${ratio.toFixed(1)}, less than ${READABLE}; it is used`);
}
