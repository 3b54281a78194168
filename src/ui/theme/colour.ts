import type { Colour } from "./palettes.ts";

export type Rgb = readonly [red: number, green: number, blue: number];

/** xterm's own sixteen. A terminal may show them otherwise, as its owner likes. */
const SIXTEEN = (
  "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 " + "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
).split(" ");

/** Red, green and blue, 0 to 255. */
export function rgbOf(colour: Colour): Rgb {
  if (typeof colour === "number" && colour >= 232) return grey(8 + (colour - 232) * 10);
  if (typeof colour === "number" && colour >= 16) return cube(colour - 16);
  const hex = typeof colour === "number" ? (SIXTEEN[colour] ?? "000000") : colour.slice(1);
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return [r, g, b];
}

const grey = (level: number): Rgb => [level, level, level];
const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
const cube = (n: number): Rgb => [level(Math.floor(n / 36)), level(Math.floor(n / 6) % 6), level(n % 6)];

/** The nearest of the 240 fixed colours, for terminals without 24 bits. */
export function nearest256(colour: `#${string}`): number {
  const [r, g, b] = rgbOf(colour);
  let best = 16;
  let least = Infinity;
  for (let n = 16; n < 256; n++) {
    const [x, y, z] = rgbOf(n);
    const distance = (r - x) ** 2 + (g - y) ** 2 + (b - z) ** 2;
    if (distance < least) [best, least] = [n, distance];
  }
  return best;
}

/** A channel without its gamma, 0 to 1. */
function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance (WCAG), 0 to 1. */
export function luminance([r, g, b]: Rgb): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Contrast of two colours (WCAG), 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
