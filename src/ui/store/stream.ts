/** A piece of Markdown that is finished: printed once, never drawn again. */
export interface Block {
  /** Exactly what came; all blocks of a text joined are the text. */
  raw: string;
  /** What to render: `raw`, with the fence or table head that it belongs to put around it. */
  source: string;
  /** Goes on with the block before it: no blank row between them. */
  cont: boolean;
}

/** Markdown as it streams in. Immutable. */
export interface Stream {
  /** Complete lines of the open block. */
  readonly lines: readonly string[];
  /** The line that is being written. */
  readonly rest: string;
  readonly size: number;
  readonly fence?: { mark: string; opener: string; inner: boolean } | undefined;
  /** Part of the open block was handed out already. */
  readonly cont: boolean;
  /** A blank line ended the open block, if what follows does not go on with it. */
  readonly blank: boolean;
  readonly list: boolean;
  /** First two lines of a table, repeated over its later pieces. */
  readonly head?: string | undefined;
}

export const NO_STREAM: Stream = { lines: [], rest: "", size: 0, cont: false, blank: false, list: false };

/** Rows of an open code block that stay in the tail before they are handed out. */
const FENCE_LINES = 8;
/** A block that grows beyond this is handed out by lines. */
const MAX_BLOCK = 4096;
const FENCE = /^( *)(`{3,}|~{3,})([^`]*)$/;
const LIST = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const ATX = /^ {0,3}#{1,6}(?:\s|$)/;

/** Takes in what arrived; hands out the blocks that are finished by it. Cheap while no line ends. */
export function feedStream(stream: Stream, delta: string): { stream: Stream; blocks: Block[] } {
  const rest = stream.rest + delta;
  if (!delta.includes("\n")) return { stream: { ...stream, rest }, blocks: [] };
  const lines = rest.split("\n");
  const last = lines.pop() ?? "";
  const blocks: Block[] = [];
  let next: Stream = { ...stream, rest: "" };
  for (const line of lines) next = takeLine(next, `${line}\n`, blocks);
  return { stream: { ...next, rest: last }, blocks };
}

/** The text is over: what is left is the last block. */
export function endStream(stream: Stream): Block[] {
  const blocks: Block[] = [];
  let last = stream;
  if (stream.rest !== "") last = takeLine({ ...stream, rest: "" }, stream.rest, blocks);
  give(last, blocks);
  return blocks;
}

/** Hands out the first `length` characters of the open block; the rest of it stays open. */
export function handOut(s: Stream, length: number): { stream: Stream; block: Block } {
  const whole = s.lines.join("") + s.rest;
  const raw = whole.slice(0, length);
  const lines = whole.slice(length).split(/(?<=\n)/);
  const rest = lines.at(-1)?.endsWith("\n") === false ? (lines.pop() ?? "") : "";
  const size = lines.reduce((sum, text) => sum + text.length, 0);
  return {
    block: { raw, source: sourceOf(s, raw), cont: s.cont },
    stream: { ...s, lines: lines.filter((text) => text !== ""), rest, size, cont: true },
  };
}

/** The open block as it stands, to be drawn as the tail. */
export function openSource(stream: Stream): string {
  return sourceOf(stream, stream.lines.join("") + (stream.fence === undefined ? calm(stream.rest) : stream.rest));
}

/** The line that is being written without what is half open at its end: it would be shown as signs for a moment, then as what it means (T-3). */
function calm(rest: string): string {
  if (/^\s*(?:`+|~+)[^`~\s]*$/.test(rest)) return "";
  const links = rest.replace(/^(\s*[-*+] )\[[ xX]?\]?$/, "$1").replace(/!?\[([^[\]]*)(?:\](?:\([^()\s]*)?)?$/, "$1");
  return (links.match(/`/g)?.length ?? 0) % 2 === 1 ? `${links}\`` : links;
}

function takeLine(s: Stream, line: string, out: Block[]): Stream {
  if (s.fence !== undefined) return inFence(s, s.fence, line, out);
  const bare = line.replace(/\n$/, "");
  if (bare.trim() === "") return grown({ ...add(s, line), blank: s.lines.length > 0 || s.cont }, out);
  const goesOn = s.list && (/^\s{2,}\S/.test(bare) || LIST.test(bare));
  let next = s.blank && !goesOn ? fresh(s, out) : s;
  const fence = FENCE.exec(bare);
  if (fence !== null) return openFence(next, fence, line, out);
  if (ATX.test(bare) && !next.list) {
    next = fresh(next, out);
    return fresh(add(next, line), out);
  }
  if (next.lines.length === 0 && !next.cont) next = { ...next, list: LIST.test(bare) };
  next = { ...add(next, line), blank: false };
  if (next.lines.length === 2 && !next.cont && /^[\s|:-]*-[\s|:-]*$/.test(bare) && bare.includes("|")) {
    next = { ...next, head: next.lines.join("") };
  }
  return grown(next, out);
}

function openFence(s: Stream, fence: RegExpExecArray, line: string, out: Block[]): Stream {
  const [, indent = "", mark = ""] = fence;
  const inner = s.list && indent.length >= 2;
  const start = inner ? s : fresh(s, out);
  return { ...add(start, line), blank: false, fence: { mark, opener: line, inner } };
}

function inFence(s: Stream, fence: NonNullable<Stream["fence"]>, line: string, out: Block[]): Stream {
  const next = add(s, line);
  const closes = line.trim().startsWith(fence.mark) && line.trim().replaceAll(fence.mark[0] ?? "`", "") === "";
  if (closes && fence.inner) return grown({ ...next, fence: undefined }, out);
  if (closes) return fresh(next, out);
  if (!fence.inner && next.lines.length > FENCE_LINES) return piece(next, out);
  return grown(next, out);
}

function add(s: Stream, line: string): Stream {
  return { ...s, lines: [...s.lines, line], size: s.size + line.length };
}

function grown(s: Stream, out: Block[]): Stream {
  return s.size > MAX_BLOCK ? piece(s, out) : s;
}

/** Hands out the lines so far; the block stays open. */
function piece(s: Stream, out: Block[]): Stream {
  give(s, out);
  return { ...s, lines: [], size: 0, cont: true };
}

/** Hands out the open block and begins a new one. */
function fresh(s: Stream, out: Block[]): Stream {
  give(s, out);
  return { ...NO_STREAM, rest: s.rest };
}

function give(s: Stream, out: Block[]): void {
  const raw = s.lines.join("");
  if (raw !== "") out.push({ raw, source: sourceOf(s, raw), cont: s.cont });
}

function sourceOf(s: Stream, raw: string): string {
  const ended = raw.endsWith("\n") || raw === "" ? raw : `${raw}\n`;
  if (s.fence === undefined || s.fence.inner) return s.cont && s.head !== undefined ? s.head + raw : raw;
  const body = s.cont ? s.fence.opener + ended : ended;
  const closed = s.cont || s.lines.length > 1 ? closesItself(body, s.fence.mark) : false;
  return closed ? body : `${body}${s.fence.mark}\n`;
}

function closesItself(body: string, mark: string): boolean {
  const last = body.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return last.startsWith(mark) && last.replaceAll(mark[0] ?? "`", "") === "" && body.trimEnd().includes("\n");
}
