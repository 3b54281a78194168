import type { Collected } from "./collect.ts";
import { ROWS, type RowText } from "./rows.ts";
import type { Spread } from "./stats.ts";

export const OWN = "understudy";
/** Rows where more is better. */
const MORE = new Set(["kept", "prefix", "prefixLeast"]);
/** Of no use without the others beside it: no best. */
const PLAIN = new Set(["tools"]);

export interface Run {
  /** YYYY-MM-DD. */
  date: string;
  node: string;
  kernel: string;
  cores: number;
  /** Of the machine at the beginning and at the end: what else it did. */
  load: readonly [number, number];
  seconds: number;
  versions: Readonly<Record<string, string>>;
  /** By name of the program, in the order of the columns. */
  collected: ReadonlyMap<string, Collected>;
}

/** The results as a page of Markdown; names nothing of the machine but its size. */
export function report(run: Run): string {
  const { collected, versions } = run;
  const floors = [...collected.keys()].filter((name) => name.startsWith("floor"));
  const peers = [...collected.keys()].filter((name) => name !== OWN && !floors.includes(name));
  return [
    "# Results",
    "",
    "Written by `npm run bench:peers`; what each row is and how it is measured says [README](README.md#peers).",
    "",
    `${run.date}, Node ${run.node}, Linux ${run.kernel}, ${run.cores} cores, ${Math.round(run.seconds / 60)} minutes. Load ${run.load.map((one) => one.toFixed(1)).join(" at the start, ")} at the end: ${busy(run)}`,
    "",
    `Versions: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
    "",
    "## Ours, the best peer, the floor",
    "",
    ...table(
      ["row", "ours", "best peer", ...floors, "reach", "reached"],
      ROWS.map((row) => summary(row, collected, peers, floors)),
    ),
    "",
    "## Every program",
    "",
    "Medians; in brackets the least and the most.",
    "",
    ...table(
      ["row", OWN, ...peers, ...floors],
      ROWS.map((row) => [
        row.title,
        ...[OWN, ...peers, ...floors].map((name) => cell(row, collected.get(name)?.figures[row.id])),
      ]),
    ),
    "",
    "## Not measured",
    "",
    ...missing(collected),
    "",
  ].join("\n");
}

function busy({ load, cores }: Run): string {
  return Math.max(...load) > cores * 1.5
    ? "**the machine was busy with other work**, so that milliseconds are too high for all; compare columns, and read `reached` with the floor beside it."
    : "the machine had little else to do.";
}

function summary(
  row: RowText,
  collected: ReadonlyMap<string, Collected>,
  peers: readonly string[],
  floors: readonly string[],
): string[] {
  const figure = (name: string) => collected.get(name)?.figures[row.id]?.median;
  const [own, best] = [figure(OWN), PLAIN.has(row.id) ? undefined : bestOf(row, peers, figure)];
  const reach = reachOf(row, figure);
  return [
    row.title,
    number(row, own),
    best === undefined ? "–" : `${best.name} ${number(row, best.value)}`,
    ...floors.map((name) => number(row, figure(name))),
    reach === undefined ? "–" : `≤ ${number(row, reach)}`,
    reach === undefined || own === undefined ? "–" : own <= reach ? "yes" : `no: ${(own / reach).toFixed(2)} ×`,
  ];
}

export function bestOf(
  row: RowText,
  names: readonly string[],
  figure: (name: string) => number | undefined,
): { name: string; value: number } | undefined {
  const all = names.flatMap((name) => {
    const value = figure(name);
    return value === undefined ? [] : [{ name, value }];
  });
  return all.toSorted((a, b) => (MORE.has(row.id) ? b.value - a.value : a.value - b.value))[0];
}

/** What is to be reached, as a number of this run. */
export function reachOf(row: RowText, figure: (name: string) => number | undefined): number | undefined {
  if (row.reach === undefined) return undefined;
  if ("most" in row.reach) return row.reach.most;
  const floor = figure(row.reach.of);
  return floor === undefined ? undefined : floor * row.reach.times;
}

function cell(row: RowText, spread: Spread | undefined): string {
  if (spread === undefined) return "–";
  const { median, least, most } = spread;
  const [low, high] = [number(row, least), number(row, most)];
  return low === high ? low : `${number(row, median)} (${low}–${high})`;
}

function number({ digits }: RowText, value: number | undefined): string {
  return value === undefined
    ? "–"
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

function missing(collected: ReadonlyMap<string, Collected>): string[] {
  const lines = [...collected].flatMap(([name, { missing: why }]) =>
    Object.entries(why).map(([group, reason]) => `- ${name}, ${group}: ${clean(reason)}`),
  );
  return lines.length === 0 ? ["Everything was measured."] : lines;
}

/** One line without a path of this machine. */
export function clean(text: string): string {
  const line = text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[^\s\x21-\x7e…–’“”]/g, "")
    .trim();
  return line
    .replaceAll(/(?<![\w.])\/[\w.@+-]+(?:\/[\w.@+-]+)+/g, "…")
    .replaceAll("|", "/")
    .slice(0, 160);
}
