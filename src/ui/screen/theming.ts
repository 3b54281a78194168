import { colourDepthOf } from "../term/caps.ts";
import type { TerminalWord } from "../term/background.ts";
import { defaultPalette, lightBackground, type LiveTheme, liveTheme, makeTheme } from "../theme.ts";
import { findTheme, ownThemeNames } from "../theme/file.ts";
import { type Palette, THEME_NAMES } from "../theme/palettes.ts";

/** What `/theme` may do. */
export interface ThemeControl {
  names(): readonly string[];
  /** What was chosen, and what it comes to. */
  now(): { chosen: string; used: string };
  /** Takes another one for what is painted from now on; what is wrong with it or its file. */
  use(name: string): readonly string[];
  /** Keeps it for later sessions; gives the file. Throws with words for the person. */
  save?(name: string): Promise<string>;
}

/** The screen's colours (N-2). */
export interface Theming extends ThemeControl {
  theme: LiveTheme;
  /** The terminal answered. */
  tell(word: TerminalWord): void;
  /** Of the setting, at the start. */
  problems: readonly string[];
}

/** @param chosen the setting: `auto`, or a theme's name. */
export function createTheming(
  env: Readonly<Record<string, string | undefined>>,
  chosen: string,
  configDir: string,
  save?: (name: string) => Promise<string>,
): Theming {
  const depth = colourDepthOf(env);
  let light = lightBackground(env);
  let name = "auto";
  const theme = liveTheme(makeTheme({ depth, palette: defaultPalette(light) }));
  const take = (palette: Palette) => theme.use(makeTheme({ depth, palette }));
  const use = (next: string): readonly string[] => {
    const { palette, problems } =
      next === "auto" ? { palette: defaultPalette(light), problems: [] } : findTheme(next, configDir);
    if (palette === undefined) return problems;
    name = next;
    take(palette);
    return problems;
  };
  return {
    theme,
    problems: chosen === "auto" ? [] : use(chosen),
    names: () => ["auto", ...THEME_NAMES, ...ownThemeNames(configDir)],
    now: () => ({ chosen: name, used: theme.name }),
    use,
    ...(save === undefined ? {} : { save }),
    tell(word) {
      if (word.light === undefined || word.light === light) return;
      ({ light } = word);
      if (name === "auto") take(defaultPalette(light));
    },
  };
}
