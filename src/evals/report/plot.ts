import { escaped } from "../../session/export-html.ts";
import type { Interval } from "../numbers/interval.ts";
import { bare, percent, percents, pointRange, points } from "../numbers/words.ts";

/** A row of a plot: where the value lies, and its interval. */
export interface PlotRow {
  name: string;
  value: number;
  interval?: Interval;
  /** In the second colour. */
  other?: boolean;
}

const ROW = 26;
const WIDTH = 720;
const LABEL = 210;
const END = 130;
const TOP = 8;

/** Shares from 0 to 1 with their intervals, one under another. */
export function sharePlot(rows: readonly PlotRow[], what: string): string {
  return rowsPlot(rows, { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1], tick: percent }, what, (row) =>
    row.interval === undefined ? percent(row.value) : percents(row.interval),
  );
}

/** Differences around 0; `margin`: a line at what is still no worse. */
export function differencePlot(rows: readonly PlotRow[], what: string, margin?: number): string {
  const ends = rows.flatMap(({ value, interval }) => [
    value,
    ...(interval === undefined ? [] : [interval.low, interval.high]),
  ]);
  const reach = Math.min(1, Math.max(0.1, margin ?? 0, ...ends.map(Math.abs)));
  const ticks = [-reach, -reach / 2, 0, reach / 2, reach];
  return rowsPlot(
    rows,
    { from: -reach, to: reach, ticks, tick: points, ...(margin === undefined ? {} : { line: -margin }) },
    what,
    (row) => (row.interval === undefined ? points(row.value) : pointRange(row.interval).replace(" points", "")),
  );
}

interface Scale {
  from: number;
  to: number;
  ticks: readonly number[];
  tick: (value: number) => string;
  /** A line of its own. */
  line?: number;
}

function rowsPlot(rows: readonly PlotRow[], scale: Scale, what: string, words: (row: PlotRow) => string): string {
  const height = TOP + rows.length * ROW + 24;
  const x = (value: number): number => LABEL + ((value - scale.from) / (scale.to - scale.from)) * (WIDTH - LABEL - END);
  const bottom = TOP + rows.length * ROW;
  const grid = scale.ticks.map(
    (tick) =>
      `<line class="${tick === 0 ? "axis" : "grid"}" x1="${at(x(tick))}" x2="${at(x(tick))}" y1="${TOP}" y2="${bottom}"/><text class="soft" x="${at(x(tick))}" y="${bottom + 16}" text-anchor="middle">${escaped(scale.tick(tick))}</text>`,
  );
  const line =
    scale.line === undefined
      ? ""
      : `<line class="margin" x1="${at(x(scale.line))}" x2="${at(x(scale.line))}" y1="0" y2="${bottom}"><title>margin: ${bare(scale.line)} points</title></line>`;
  const marks = rows.map((row, i) => mark(row, TOP + i * ROW + ROW / 2, x, words(row)));
  return `<div class="wide"><svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${escaped(what)}">${grid.join("")}${line}${marks.join("")}</svg></div>`;
}

function mark(
  { name, value, interval, other }: PlotRow,
  y: number,
  x: (value: number) => number,
  words: string,
): string {
  const colour = other === true ? "two" : "one";
  const label = `<text x="${LABEL - 12}" y="${y + 4}" text-anchor="end">${escaped(cut(name))}</text>`;
  const end = `<text class="soft" x="${WIDTH - END + 12}" y="${y + 4}">${escaped(words)}</text>`;
  const bar =
    interval === undefined
      ? ""
      : `<line class="${colour}" stroke-width="3" stroke-linecap="round" x1="${at(x(interval.low))}" x2="${at(x(interval.high))}" y1="${y}" y2="${y}"/>`;
  return `${label}${bar}<circle class="${colour}" cx="${at(x(value))}" cy="${y}" r="5"/>${end}`;
}

const LONGEST = 30;

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).toWellFormed()}…`;
}

/** One curve of shares over k, with the band of its intervals. */
export interface Curve {
  name: string;
  points: readonly { k: number; value: number; interval: Interval }[];
}

/** Curves over k = 1, 2, …: the first in the first colour, the second in the other. */
export function curvePlot(curves: readonly Curve[], what: string): string {
  const [height, bottom] = [220, 190];
  const most = Math.max(2, ...curves.flatMap((c) => c.points.map((p) => p.k)));
  const x = (k: number): number => 48 + ((k - 1) / (most - 1)) * (WIDTH - 48 - 200);
  const y = (share: number): number => bottom - share * (bottom - 16);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line class="grid" x1="${x(1)}" x2="${x(most)}" y1="${at(y(share))}" y2="${at(y(share))}"/><text class="soft" x="40" y="${at(y(share) + 4)}" text-anchor="end">${percent(share)}</text>`,
  );
  const ks = Array.from(
    { length: most },
    (_, i) => `<text class="soft" x="${at(x(i + 1))}" y="${bottom + 18}" text-anchor="middle">k = ${i + 1}</text>`,
  );
  const drawn = curves.map((curve, i) => curveHtml(curve, i === 0 ? "one" : "two", x, y));
  const last = curves.map((curve) => y(curve.points.at(-1)?.value ?? 0) + 4);
  const names = curves.map((curve, i) => {
    // Where both end at the same place, the second name stands below the first.
    const below = i > 0 && Math.abs((last[i] ?? 0) - (last[0] ?? 0)) < 16 ? 16 : 0;
    return `<text class="${i === 0 ? "one" : "two"} name" x="${at(x(most) + 12)}" y="${at((below > 0 ? (last[0] ?? 0) : (last[i] ?? 0)) + below)}">${escaped(curve.name)}</text>`;
  });
  return `<div class="wide"><svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${escaped(what)}">${grid.join("")}${ks.join("")}${drawn.join("")}${names.join("")}</svg></div>`;
}

function curveHtml(
  { points: of }: Curve,
  colour: string,
  x: (k: number) => number,
  y: (share: number) => number,
): string {
  const path = (pick: (p: Curve["points"][number]) => number, list = of): string =>
    list.map((p) => `${at(x(p.k))},${at(y(pick(p)))}`).join(" ");
  const band = `${path((p) => p.interval.high)} ${path((p) => p.interval.low, of.toReversed())}`;
  const dots = of.map(
    (p) =>
      `<circle class="${colour}" cx="${at(x(p.k))}" cy="${at(y(p.value))}" r="4"><title>${percent(p.value)} (${percents(p.interval)})</title></circle>`,
  );
  return `<polygon class="${colour} band" points="${band}"/><polyline class="${colour} curve" stroke-width="2" points="${path((p) => p.value)}"/>${dots.join("")}`;
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}
