// A terminal's screen as an SVG: rows of text runs with their colours and weights. No fonts or scripts from outside.

const CELL = { width: 8.4, height: 18, font: 14, rise: 13.5 };
const PAD = { x: 18, top: 44, bottom: 16 };
const COLOURS = { back: "#15181e", bar: "#1f242d", text: "#d5d9e0", edge: "#2c333f" };
const LIGHT = { back: "#ffffff", bar: "#eceff4", text: "#2e3440", edge: "#d8dee9" };
const SIXTEEN =
  "#3b4252 #e06c75 #8fc379 #e5c07b #6fb3e8 #c792d6 #63c5cf #d5d9e0 #5c6370 #f08a92 #a9dc93 #f2d48f #8fc8f5 #d9ade4 #86dbe3 #ffffff".split(
    " ",
  );
const FONTS = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";

/** The visible rows of an xterm buffer as runs of equal looks: `{ x, text, cells, look }`; blank ends are left out. */
export function rowsOf(terminal) {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, y) => runsOf(buffer.getLine(buffer.baseY + y), terminal.cols));
}

function runsOf(line, cols) {
  const runs = [];
  for (let x = 0; line !== undefined && x < cols; x++) {
    const cell = line.getCell(x);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = lookOf(cell);
    const text = cell.getChars() || " ";
    const last = runs.at(-1);
    // Wide signs get a run of their own: no two fonts agree on their width.
    if (last !== undefined && same(last.look, look) && cell.getWidth() === 1 && last.cells === last.text.length) {
      last.text += text;
      last.cells += 1;
    } else runs.push({ x, text, cells: cell.getWidth(), look });
  }
  return runs.filter((run) => run.text.trim() !== "" || run.look.back !== undefined || run.look.underline);
}

function lookOf(cell) {
  const fore = colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
  const back = colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  const turned = cell.isInverse() !== 0;
  return {
    fore: turned ? (back ?? COLOURS.back) : fore,
    back: turned ? (fore ?? COLOURS.text) : back,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    strike: cell.isStrikethrough() !== 0,
  };
}

function same(a, b) {
  return Object.keys(a).every((key) => a[key] === b[key]);
}

/** A colour of the palette (16 of ours, then the cube and the greys that every terminal has) or of 24 bits; undefined: the default. */
function colour(isDefault, isRgb, value) {
  if (isDefault) return undefined;
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  if (value < 16) return SIXTEEN[value];
  const hex = (...parts) => `#${parts.map((p) => p.toString(16).padStart(2, "0")).join("")}`;
  if (value >= 232) return hex(...Array(3).fill(8 + (value - 232) * 10));
  const n = value - 16;
  return hex(...[Math.floor(n / 36), Math.floor(n / 6) % 6, n % 6].map((step) => (step === 0 ? 0 : 55 + step * 40)));
}

/** The picture: a window with a title, and the rows of `rowsOf` in it. `caret`: `{ x, y }` in cells, drawn as a bar. `theme`: "light" for white paper. */
export function svg(rows, { cols, title, label, caret, theme }) {
  const colours = theme === "light" ? LIGHT : COLOURS;
  return inWindow(inside({ rows, caret }, colours), rows.length, { cols, title, label, colours });
}

/**
 * One that moves: scenes of `{ rows, caret, seconds }`, one after the other, over and over. Where a reader wants no motion, or knows none,
 * it is the longest scene.
 */
export function film(scenes, { cols, title, label }) {
  const whole = scenes.reduce((sum, { seconds }) => sum + seconds, 0);
  const longest = scenes.reduce((best, { seconds }, n) => (seconds > scenes[best].seconds ? n : best), 0);
  let from = 0;
  const rules = scenes.map(({ seconds }, n) => {
    const [begin, end] = [from / whole, (from + seconds) / whole].map((part) => `${number(part * 100)}%`);
    from += seconds;
    const hidden = n === 0 ? "" : "0%{visibility:hidden}";
    return `@keyframes s${n}{${hidden}${begin}{visibility:visible}${end}{visibility:${n === scenes.length - 1 ? "visible" : "hidden"}}}.s${n}{animation-name:s${n}}`;
  });
  const style = [
    `.s{visibility:hidden}.s${longest}{visibility:visible}`,
    `@media (prefers-reduced-motion:no-preference){.s{animation:${number(whole)}s step-end infinite}${rules.join("")}}`,
  ].join("");
  const groups = scenes.flatMap((scene, n) => [`<g class="s s${n}">`, ...inside(scene, COLOURS), "</g>"]);
  const rows = Math.max(...scenes.map((scene) => scene.rows.length));
  return inWindow([`<style>${style}</style>`, ...groups], rows, { cols, title, label, colours: COLOURS });
}

function inside({ rows, caret }, colours) {
  return [
    ...(caret === undefined ? [] : [box(caret.x, caret.y, 0.16, colours.text)]),
    ...rows.flatMap((runs, y) => runs.flatMap((run) => drawn(run, y))),
  ];
}

function inWindow(body, rows, { cols, title, label, colours }) {
  const width = Math.ceil(cols * CELL.width + 2 * PAD.x);
  const height = PAD.top + rows * CELL.height + PAD.bottom;
  const lights = ["#e06c75", "#e5c07b", "#8fc379"].map(
    (fill, i) => `<circle cx="${20 + i * 18}" cy="15" r="5.5" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(label)}">`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${colours.back}" stroke="${colours.edge}"/>`,
    `<path d="M1 30V10a9 9 0 0 1 9-9H${width - 10}a9 9 0 0 1 9 9V30z" fill="${colours.bar}"/>`,
    ...lights,
    `<g font-family="${FONTS}" font-size="${CELL.font}" fill="${colours.text}" xml:space="preserve">`,
    `<text x="${width / 2}" y="20" text-anchor="middle" font-size="12" opacity=".7">${escape(title)}</text>`,
    ...body,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function box(x, y, cells, fill) {
  const [left, top] = [number(PAD.x + x * CELL.width), PAD.top + y * CELL.height - CELL.rise + 9.5];
  return `<rect x="${left}" y="${number(top)}" width="${number(cells * CELL.width)}" height="${CELL.height}" fill="${fill}"/>`;
}

function drawn({ x, text, cells, look }, y) {
  const back = look.back === undefined ? [] : [box(x, y, cells, look.back)];
  const trimmed = text.trimEnd();
  if (trimmed === "") return back;
  const lead = trimmed.length - trimmed.trimStart().length;
  const style = [
    look.fore === undefined ? "" : ` fill="${look.fore}"`,
    look.bold ? ' font-weight="700"' : "",
    look.italic ? ' font-style="italic"' : "",
    look.dim ? ' opacity=".62"' : "",
    look.underline || look.strike ? ` text-decoration="${look.underline ? "underline" : "line-through"}"` : "",
  ].join("");
  // Browsers fold blanks that follow each other, whatever is said about them; these stay.
  const words = trimmed.trimStart().replaceAll(/ {2,}/g, (blanks) => "\u00a0".repeat(blanks.length));
  // The length is told, so that every font keeps the columns.
  const length = number((cells - (text.length - words.length)) * CELL.width);
  const left = number(PAD.x + (x + lead) * CELL.width);
  const fit = words.length > 1 ? ` textLength="${length}" lengthAdjust="spacingAndGlyphs"` : "";
  return [
    ...back,
    `<text x="${left}" y="${number(PAD.top + y * CELL.height + 9)}"${fit}${style}>${escape(words)}</text>`,
  ];
}

function number(n) {
  return String(Math.round(n * 100) / 100);
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
