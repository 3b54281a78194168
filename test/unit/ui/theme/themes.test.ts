import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { colourDepthOf } from "../../../../src/ui/term/caps.ts";
import { makeTheme, themeFor } from "../../../../src/ui/theme.ts";
import { contrast, luminance, nearest256, type Rgb, rgbOf } from "../../../../src/ui/theme/colour.ts";
import { findTheme, ownThemeNames } from "../../../../src/ui/theme/file.ts";
import { PALETTES, paletteOf, THEME_NAMES } from "../../../../src/ui/theme/palettes.ts";
import { STYLES } from "../../../../src/ui/theme/style.ts";
import { createTheming } from "../../../../src/ui/screen/theming.ts";
import { readReply } from "../../../../src/ui/term/background.ts";
import { scratch } from "../../../support/scratch.ts";

const TERM = "xterm-256color";
/** What two colours look like to somebody without red or green cones (Machado 2009, severity 1), as a distance in linear light. */
const SIGHT = {
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
};
function apart(a: Rgb, b: Rgb, m: readonly number[]): number {
  const seen = (rgb: Rgb) =>
    [0, 1, 2].map((row) => rgb.reduce((sum, c, col) => sum + (m[row * 3 + col] ?? 0) * c, 0)) as unknown as Rgb;
  const [x, y] = [seen(a), seen(b)];
  return Math.hypot(...x.map((c, i) => c - (y[i] ?? 0)));
}

describe("themes", () => {
  it("UX-N-2: seven by name, each with every style", () => {
    expect(THEME_NAMES).toEqual("dark light dark-ansi light-ansi dark-daltonized light-daltonized mono".split(" "));
    for (const { looks } of PALETTES) expect(Object.keys(looks)).toEqual([...STYLES]);
  });
  it.each(PALETTES.map((palette) => [palette.name, palette] as const))(
    "UX-N-2: every colour of %s has a contrast of at least 4.5 on its background",
    (_, { looks, background, light }) => {
      const low = STYLES.flatMap((style) => {
        const { colour } = looks[style];
        if (colour === undefined) return [];
        const ratio = contrast(rgbOf(colour), rgbOf(background));
        return ratio < 4.5 ? [`${style} ${String(colour)} ${ratio.toFixed(2)}`] : [];
      });
      expect(low).toEqual([]);
      expect(luminance(rgbOf(background)) > 0.179).toBe(light);
    },
  );
  it("UX-N-2: the ratio is WCAG's", () => {
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5);
    expect(contrast(rgbOf("#767676"), [255, 255, 255])).toBeCloseTo(4.54, 2);
  });
  it.each(["dark-daltonized", "light-daltonized"])(
    "UX-N-2: in %s what is good and what is bad stay apart without red or green cones",
    (name) => {
      const usual = paletteOf(name.replace("-daltonized", ""));
      const palette = paletteOf(name);
      for (const matrix of Object.values(SIGHT)) {
        for (const [good, bad] of [
          ["added", "removed"],
          ["ok", "error"],
        ] as const) {
          const far = (p: typeof palette) =>
            apart(rgbOf(p?.looks[good].colour ?? 0), rgbOf(p?.looks[bad].colour ?? 0), matrix);
          expect(far(palette)).toBeGreaterThan(110);
          expect(far(palette)).toBeGreaterThan(far(usual));
        }
      }
    },
  );
  it("UX-N-2: no two styles that mean the opposite differ by colour alone where their words don't tell", () => {
    const weight = (style: (typeof STYLES)[number]) => paletteOf("mono")?.looks[style].attributes?.join() ?? "";
    expect(weight("selected")).not.toBe("");
    expect(weight("error")).not.toBe(weight("ok"));
    expect(weight("bypass")).not.toBe("");
  });
  it("UX-N-3: what a depth can't show is not sent; mono has no colour at any", () => {
    const sgr = (name: string, depth: 0 | 16 | 256 | 16_777_216) => {
      const palette = paletteOf(name);
      if (palette === undefined) throw new Error(name);
      const theme = makeTheme({ depth, palette });
      return STYLES.map((style) => theme.paint(style, "x")).join("");
    };
    for (const name of THEME_NAMES) {
      expect(sgr(name, 0)).not.toMatch(/\x1b\[[\d;]*?(?:3[0-8]|9[0-7]|4[0-8])[;m]/);
      expect(sgr(name, 16)).not.toMatch(/[34]8;/);
      expect(sgr(name, 256)).not.toMatch(/[34]8;2;/);
    }
    expect(sgr("mono", 256)).not.toMatch(/\x1b\[[\d;]*3[0-8]/);
    expect(sgr("dark", 256)).toContain("38;5;114");
  });
  it("UX-N-3: the order NO_COLOR, FORCE_COLOR, CLICOLOR, COLORTERM, what tmux shows", () => {
    const tmux = { TMUX: "/tmp/t", TERM: "tmux-256color" };
    expect(colourDepthOf({ ...tmux, COLORTERM: "truecolor" })).toBe(16_777_216);
    expect(colourDepthOf({ ...tmux, CLICOLOR: "0", COLORTERM: "truecolor" })).toBe(0);
    expect(colourDepthOf(tmux)).toBe(256);
    expect(colourDepthOf({ TMUX: "/tmp/t", TERM: "screen" })).toBe(16);
    expect(colourDepthOf({ TERM: "xterm-direct" })).toBe(16_777_216);
    expect(themeFor({ TERM, NO_COLOR: "1" }).paint("added", "x")).toBe("x");
  });
  it("the nearest of the 256 stands for a colour of 24 bits", () => {
    expect([nearest256("#87d7ff"), nearest256("#ffffff"), nearest256("#080808")]).toEqual([117, 231, 232]);
  });
});

describe("the background", () => {
  it("UX-N-2: is told by the terminal in any number of digits", () => {
    expect(readReply("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")).toEqual({ light: true });
    expect(readReply("\x1b]11;rgb:1e/1e/1e\x07")).toEqual({ light: false });
    expect(readReply("\x1b]11;rgba:fdfd/f6f6/e3e3/ffff\x07")).toEqual({ light: true });
    expect(readReply("\x1b[?1u")).toEqual({ allKeys: true });
    expect(readReply("\x1b[>4;1m")).toEqual({ allKeys: true });
    expect(readReply("\x1b[>4;0m")).toEqual({});
    expect(readReply("\x1b[?62;22c")).toEqual({ done: true });
    expect(readReply("\x1b]10;rgb:0/0/0\x07")).toBeUndefined();
  });
  it("UX-N-2: decides between dark and light, COLORFGBG until then; a theme that was named stays", () => {
    const auto = createTheming({ TERM, COLORFGBG: "0;15" }, "auto", "/nowhere");
    expect(auto.now()).toEqual({ chosen: "auto", used: "light" });
    auto.tell({ light: false });
    expect(auto.now()).toEqual({ chosen: "auto", used: "dark" });
    expect(auto.theme.paint("ok", "x")).toBe("\x1b[38;5;114mx\x1b[0m");
    auto.tell({ light: true });
    expect(auto.now().used).toBe("light");
    expect(auto.use("dark-ansi")).toEqual([]);
    auto.tell({ light: false });
    expect(auto.now()).toEqual({ chosen: "dark-ansi", used: "dark-ansi" });
    expect(auto.use("draak").join()).toContain("No theme");
    expect(auto.now().chosen).toBe("dark-ansi");
  });
});

describe("a theme of the person's own", () => {
  const write = (text: string) => {
    const dir = scratch();
    const file = join(dir, "themes", "mine.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return { dir, file };
  };
  it("UX-N-2: changes some styles of a base; 24 bits where the terminal has them", () => {
    const { dir } = write(
      '{ // mine\n "base": "light", "styles": { "accent": "bold #005f87", "removed": 1, "dim": "plain" } }',
    );
    const { palette, problems } = findTheme("mine", dir);
    expect(problems).toEqual([]);
    if (palette === undefined) throw new Error("none");
    const theme = (depth: 256 | 16_777_216) => makeTheme({ depth, palette });
    expect(theme(16_777_216).paint("accent", "x")).toBe("\x1b[1;38;2;0;95;135mx\x1b[0m");
    expect(theme(256).paint("accent", "x")).toBe("\x1b[1;38;5;24mx\x1b[0m");
    expect(theme(256).paint("removed", "x")).toBe("\x1b[31mx\x1b[0m");
    expect(theme(256).paint("dim", "x")).toBe("x");
    expect(theme(256).paint("error", "x")).toBe("\x1b[1;38;5;124mx\x1b[0m");
    expect(ownThemeNames(dir)).toEqual(["mine"]);
    expect(createTheming({ TERM }, "mine", dir).names()).toContain("mine");
  });
  it("UX-N-2: what is wrong is told with file, line and key; the rest counts", () => {
    const { dir, file } = write(
      '{\n "base": "drak",\n "styles": {\n  "acent": "red",\n  "ok": "gren",\n  "error": "red blue",\n  "link": [1],\n  "string": "#333333",\n  "name": "bright-cyan"\n },\n "more": 1\n}',
    );
    const { palette, problems } = findTheme("mine", dir);
    expect(palette?.looks.name.colour).toBe(14);
    expect(palette?.looks.ok).toEqual(paletteOf("dark")?.looks.ok);
    expect(problems.map((p) => p.replace(`${file}:`, ""))).toEqual([
      expect.stringMatching(/^2: base: no such theme/),
      expect.stringMatching(/^4: styles\.acent: .*accent\?/),
      expect.stringMatching(/^5: styles\.ok: "gren" is neither .*green\?/),
      expect.stringMatching(/^6: styles\.error: two colours/),
      expect.stringMatching(/^7: styles\.link: words are due/),
      expect.stringMatching(/^8: styles\.string: hard to read: its contrast is 1\.\d/),
      expect.stringMatching(/^11: more: no such key/),
    ]);
  });
  it("a file that is no JSON is told by its line, and nothing is taken", () => {
    const { dir, file } = write('{\n "base": \n}');
    expect(findTheme("mine", dir)).toEqual({ problems: [expect.stringContaining(`${file}:3: `)] });
    expect(findTheme("../../etc/passwd", dir).problems.join()).toContain("No theme");
  });
});
