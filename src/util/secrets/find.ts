import { isStandIn, KINDS, type KeyKind } from "./kinds.ts";
import { BEGIN, block, blockAt, blockBefore, END, mayBegin } from "./pem.ts";

/** Part of a text, `to` behind its last letter. */
export interface Span {
  from: number;
  to: number;
}

/** Tokens are shorter than this. */
const MOST_LETTERS = 1100;
/** Letters that stand in tokens and addresses: a token is a run of them. */
const RUN = /[A-Za-z0-9_\-+/=.:~]*$/;

export interface Found {
  /** In order, apart from each other. */
  spans: Span[];
  /** From here on what follows the text decides whether it is a key; its length where nothing does. */
  open: number;
}

/** Looks for keys in texts. `literals`: values that are keys whatever their form. Time is linear in the text. */
export class Finder {
  readonly #literals: readonly string[];
  readonly #starts: RegExp;
  readonly #any: RegExp;
  /** Proper beginnings of literals and markers, which count anywhere. */
  readonly #beginnings: ReadonlySet<string>;
  readonly #longest: number;

  constructor(literals: readonly string[] = []) {
    this.#literals = literals.toSorted((a, b) => b.length - a.length);
    const starts = [...this.#literals, ...KINDS.flatMap((kind) => kind.starts), BEGIN, END];
    const ordered = starts.toSorted((a, b) => b.length - a.length);
    this.#starts = new RegExp(ordered.map(escaped).join("|"), "g");
    this.#any = new RegExp(this.#starts.source);
    this.#beginnings = beginnings([...this.#literals, BEGIN, END]);
    this.#longest = Math.max(...starts.map((start) => start.length));
  }

  /** Whether anything in it looks like the beginning or end of a key: without that there is none. */
  mayHold(text: string): boolean {
    return this.#any.test(text);
  }

  /** Where in a text that holds none the last letters could become a key with what follows; its length where they can't. */
  open(text: string): number {
    return this.#unfinished(text);
  }

  find(text: string): Found {
    const spans: Span[] = [];
    let open = text.length;
    let end = 0;
    const starts = new RegExp(this.#starts);
    for (let hit = starts.exec(text); hit !== null; hit = starts.exec(text)) {
      const at = hit.index;
      const [start] = hit;
      if (this.#literals.includes(start)) {
        add(spans, { from: at, to: at + start.length });
        end = at + start.length;
        continue;
      }
      const begun = start === BEGIN ? blockAt(text, at) : undefined;
      if (begun !== undefined) {
        const found = block(text, begun);
        for (const span of found.spans) add(spans, span);
        if (found.open) open = Math.min(open, at);
        starts.lastIndex = Math.max(starts.lastIndex, found.end);
        continue;
      }
      if (start === END) for (const span of blockBefore(text, at)) add(spans, span);
      const span = tokenAt(text, at, start, end);
      if (span === undefined) {
        // A shorter beginning may lie within this one (`sk-` in `sk-or-v1-`).
        starts.lastIndex = at + 1;
        continue;
      }
      add(spans, span);
      starts.lastIndex = end = span.to;
    }
    return { spans: spans.toSorted((a, b) => a.from - b.from), open: Math.min(open, this.#unfinished(text)) };
  }

  /** Where a token or literal begins that the end of the text cuts, or could. */
  #unfinished(text: string): number {
    const base = Math.max(0, text.length - MOST_LETTERS - 100);
    const tail = text.slice(base);
    const run = tail.length - (RUN.exec(tail.slice(-MOST_LETTERS))?.[0].length ?? 0);
    const starts = new RegExp(this.#starts);
    for (let hit = starts.exec(tail); hit !== null; hit = starts.exec(tail)) {
      starts.lastIndex = hit.index + 1;
      if (this.#mayGrow(tail, hit.index, hit[0], run)) return base + hit.index;
    }
    for (let length = Math.min(this.#longest, tail.length); length > 0; length--) {
      const end = tail.slice(-length);
      const apart = !/[A-Za-z0-9]/.test(tail[tail.length - length - 1] ?? "");
      if (this.#beginnings.has(end) || (apart && TOKEN_BEGINNINGS.has(end))) return text.length - length;
    }
    return text.length;
  }

  #mayGrow(tail: string, at: number, start: string, run: number): boolean {
    if (start === BEGIN) return mayBegin(tail.slice(at));
    if (start === END || this.#literals.includes(start)) return false;
    return kindsOf(start).some(({ rest, starts }) => {
      if (rest === undefined) return at >= run;
      const label = starts.find((one) => tail.startsWith(one, at)) ?? start;
      return rest.test(tail.slice(at + label.replace(/=$/, "").length));
    });
  }
}

function beginnings(starts: readonly string[]): ReadonlySet<string> {
  return new Set(starts.flatMap((start) => Array.from(start, (_, n) => start.slice(0, n))).filter((one) => one !== ""));
}

const TOKEN_BEGINNINGS = beginnings(KINDS.flatMap((kind) => kind.starts));
const BY_START = new Map<string, KeyKind[]>();
for (const kind of KINDS) for (const start of kind.starts) BY_START.set(start, [...(BY_START.get(start) ?? []), kind]);

/** By what was found first: most starts are never met, so nothing is made ready for them. */
const begunBy = new Map<string, readonly KeyKind[]>();

/** `sk-ant-` is looked for first, and a key by `sk-` alone may begin so too. */
function kindsOf(start: string): readonly KeyKind[] {
  const known = begunBy.get(start);
  if (known !== undefined) return known;
  const found = [...BY_START].flatMap(([one, kinds]) => (start.startsWith(one) ? kinds : []));
  begunBy.set(start, found);
  return found;
}

/** `end`: where the key before it ends, behind which the next one may follow at once. */
function tokenAt(text: string, at: number, start: string, end: number): Span | undefined {
  const before = at === end ? "" : (text[at - 1] ?? "");
  if (/[A-Za-z0-9]/.test(before)) return undefined;
  for (const { form, plain } of kindsOf(start)) {
    if (plain && /[+/_-]/.test(before)) continue;
    form.lastIndex = at;
    const match = form.exec(text);
    if (match === null) continue;
    const value = match[1] ?? match[0];
    const to = at + match[0].length;
    if (!isStandIn(value)) return { from: to - value.length, to };
  }
  return undefined;
}

/** Looks back only as far as it could lie over another: there may be very many. */
function add(spans: Span[], span: Span): void {
  for (let n = spans.length - 1; n >= 0; n--) {
    const one = spans[n];
    if (one === undefined || one.to <= span.from) break;
    if (one.from < span.to) return;
  }
  spans.push(span);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
