/** What Grep looks for, for either engine. */
export interface Query {
  pattern: string;
  ignoreCase: boolean;
  multiline: boolean;
  /** Lines of context. */
  before: number;
  after: number;
  /** One match a file is enough: only names are wanted. */
  firstOnly: boolean;
  /** Every match is needed, but none is shown. */
  countOnly: boolean;
  type?: string;
  /** A name pattern that spares work; what is meant exactly is filtered afterwards. */
  prefilter?: string;
  /** Masks the keys in a line that is shown. */
  mask?: ((line: string) => string) | undefined;
}

export interface LineHit {
  /** From 1. */
  n: number;
  isMatch: boolean;
  /** Already cut to a bearable length. */
  text: string;
}
export interface FileHits {
  /** Relative to where the search was done. */
  file: string;
  lines: LineHit[];
  binary: boolean;
}
export interface Found {
  files: FileHits[];
  /** Why it ended early. */
  stopped?: string;
}

/** Letters of a line that are shown, and of them those before the match. */
const LINE_LETTERS = 400;
const BEFORE = 120;

/** A line as it is shown: masked whole, and where it is long cut around its match, both cuts marked. */
export function cutLine(line: string, start: number, width: number, mask?: Query["mask"]): string {
  const masked = mask?.(line) ?? line;
  if (masked !== line) return cutLine(masked, (mask?.(line.slice(0, start)) ?? "").length, width);
  if (line.length <= LINE_LETTERS) return line;
  const from = Math.max(0, Math.min(start - BEFORE, line.length - LINE_LETTERS));
  const to = Math.min(line.length, Math.max(from + LINE_LETTERS, Math.min(start + width, from + 2 * LINE_LETTERS)));
  const head = from > 0 ? `[${from.toLocaleString("en")} characters]…` : "";
  const tail = to < line.length ? `…[${(line.length - to).toLocaleString("en")} characters]` : "";
  return head + line.slice(from, to) + tail;
}

/** Order of results: folder by folder, names by their letters' codes. */
export function sortByPath<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  // Sorts below every letter of a name, as the end of a folder's name has to.
  const keyed = items.map((item) => ({ item, key: pathOf(item).replaceAll("/", "\0") }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item);
}
