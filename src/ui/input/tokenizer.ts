import { graphemes } from "../term/graphemes.ts";
import { charKey, controlKey, type InputEvent, type Key } from "./key.ts";
import { escape } from "./scan.ts";

/** Milliseconds until a lone Esc is the key, an unfinished sequence is given up, a silent paste is over. */
export const ESC_MS = 30;
const SEQUENCE_MS = 100;
const STRING_MS = 500;
export const PASTE_SILENCE_MS = 1000;
/** Reads of one unbracketed paste follow each other as fast as this. */
const RUN_MS = 10;
/** An unbracketed run of this many characters in one read is a paste whatever it holds. */
const LONG_RUN = 256;
const PASTE_END = "\x1b[201~";
/** Text and line ends alone. */
const PLAIN = /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$/;
/** Ctrl-C in each encoding: works even inside a paste that never ends. */
const INTERRUPTS = new Set(["\x03", "\x1b[99;5u", "\x1b[27;5;99~"]);

export interface Tokenizer {
  /** Turns what one read brought into events. `at`: the clock's milliseconds. */
  feed(bytes: Uint8Array, at: number): InputEvent[];
  /** When `flush` has something to do, in the clock's milliseconds. */
  due(): number | undefined;
  /** Gives up waiting for what is due: a lone Esc is the key, a silent paste is over. */
  flush(at: number): InputEvent[];
}

interface State {
  decoder: InstanceType<typeof TextDecoder>;
  chunk: number;
  /** Start of a sequence whose end has not come. */
  pending: string;
  pendingAt: number;
  lastAt: number;
  /** Nothing but the pending start came with its read. */
  pendingAlone: boolean;
  /** The last read ended inside a character. */
  partial: boolean;
  lastTextAt: number;
  paste: { parts: string[]; tail: string; lastAt: number } | undefined;
  /** A paste without brackets, of which more may come. */
  run: string[] | undefined;
}

/** Bytes of a terminal to keys, pastes, replies and focus reports. Holds no timer: call `flush` when `due`. */
export function createTokenizer(): Tokenizer {
  const state: State = {
    decoder: new TextDecoder("utf-8", { ignoreBOM: true }),
    chunk: 0,
    pending: "",
    pendingAt: 0,
    lastAt: 0,
    pendingAlone: false,
    partial: false,
    lastTextAt: -Infinity,
    paste: undefined,
    run: undefined,
  };
  return {
    feed: (bytes, at) => feed(state, bytes, at),
    due: () => due(state),
    flush: (at) => {
      const when = due(state);
      return when === undefined || at < when ? [] : giveUp(state);
    },
  };
}

function due(s: State): number | undefined {
  if (s.paste !== undefined) return s.lastAt + PASTE_SILENCE_MS;
  if (s.run !== undefined) return s.lastAt + RUN_MS + 1;
  if (s.pending === "") return undefined;
  if (s.pending === "\x1b" || s.pending === "\x1b\x1b") return s.lastAt + ESC_MS;
  return s.lastAt + (/^\x1b[\]P_]./s.test(s.pending) ? STRING_MS : SEQUENCE_MS);
}

function feed(s: State, bytes: Uint8Array, at: number): InputEvent[] {
  const when = due(s);
  const out = when !== undefined && at >= when ? giveUp(s) : [];
  const before = out.length;
  s.chunk++;
  s.lastAt = at;
  let text = s.decoder.decode(bytes, { stream: true });
  if (s.paste !== undefined) text = feedPaste(s, text, at, out);
  if (s.run !== undefined && text !== "" && PLAIN.test(text)) {
    s.run.push(text);
    s.lastTextAt = at;
    return out;
  }
  const resumed = s.pending !== "";
  const partial = endsInside(bytes);
  const alone = (!resumed || s.pendingAlone) && !partial && !s.partial;
  s.partial = partial;
  if (text !== "") parse(s, s.pending + text, resumed ? s.pendingAt : at, at, out);
  // Only the end tells whether a key came alone.
  const held = s.pending !== "" || s.paste !== undefined || s.run !== undefined;
  const only = out.length === before + 1 && !held && alone;
  s.pendingAlone = s.pending !== "" && out.length === before && alone;
  return only ? out.map((e, i) => (i >= before && e.kind === "key" ? { ...e, alone: true } : e)) : out;
}

/** True when a character's last bytes are still to come. */
function endsInside(bytes: Uint8Array): boolean {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);
    if (byte < 0x80) return false;
  }
  return false;
}

/** Text inside a bracketed paste; returns what follows its end. Linear: the end is looked for once in every character. */
function feedPaste(s: State, text: string, at: number, out: InputEvent[]): string {
  const { paste } = s;
  if (paste === undefined) return text;
  if (INTERRUPTS.has(text)) {
    out.push(...endPaste(s));
    return text;
  }
  paste.lastAt = at;
  const joined = paste.tail + text;
  const end = joined.indexOf(PASTE_END);
  if (end >= 0) {
    paste.parts.push(joined.slice(0, end));
    paste.tail = "";
    out.push(...endPaste(s));
    s.lastTextAt = at;
    return joined.slice(end + PASTE_END.length);
  }
  let keep = Math.min(PASTE_END.length - 1, joined.length);
  while (keep > 0 && !PASTE_END.startsWith(joined.slice(joined.length - keep))) keep--;
  paste.parts.push(joined.slice(0, joined.length - keep));
  paste.tail = joined.slice(joined.length - keep);
  return "";
}

function endRun(s: State): InputEvent[] {
  const { run } = s;
  s.run = undefined;
  return run === undefined ? [] : [pasted(s, run.join(""), s.lastTextAt)];
}

function endPaste(s: State): InputEvent[] {
  const { paste } = s;
  s.paste = undefined;
  if (paste === undefined) return [];
  return [pasted(s, paste.parts.join("") + paste.tail, paste.lastAt)];
}

function pasted(s: State, text: string, at: number): InputEvent {
  return { kind: "paste", text: text.replace(/\r\n?/g, "\n"), chunk: s.chunk, at };
}

function keyEvent(s: State, key: Key, at: number): InputEvent {
  return { kind: "key", key, chunk: s.chunk, at, alone: false };
}

function giveUp(s: State): InputEvent[] {
  if (s.paste !== undefined) return endPaste(s);
  if (s.run !== undefined) return endRun(s);
  const { pending, pendingAt: at } = s;
  s.pending = "";
  const keys: Key[] = [];
  if (pending === "\x1b") keys.push(controlKey(0x1b));
  else if (pending === "\x1b\x1b") keys.push(controlKey(0x1b), controlKey(0x1b));
  else if (/^\x1b[[O\]P_]$/.test(pending)) keys.push(charKey(pending.slice(1), false, true));
  const alone = s.pendingAlone && keys.length === 1;
  return keys.map((key) => ({ kind: "key", key, chunk: s.chunk, at, alone }));
}

function parse(s: State, input: string, firstAt: number, at: number, out: InputEvent[]): void {
  s.pending = "";
  let text = input;
  let i = 0;
  while (i < text.length) {
    const when = i === 0 && text === input ? firstAt : at;
    if (text.charCodeAt(i) !== 0x1b) {
      const run = plainRun(text, i);
      emitRun(s, text.slice(i, run), when, out);
      i = run;
      continue;
    }
    out.push(...endRun(s));
    const scan = escape(text, i);
    if (scan === "more") {
      s.pending = text.slice(i);
      s.pendingAt = when;
      return;
    }
    const { meaning, length } = scan;
    const raw = text.slice(i, i + length);
    i += length;
    if (meaning.kind === "key") out.push({ ...keyEvent(s, meaning.key, when), ...(when === at ? {} : { until: at }) });
    else if (meaning.kind === "reply") out.push({ kind: "reply", text: raw, at: when });
    else if (meaning.kind === "focus") out.push({ kind: "focus", on: meaning.on, at: when });
    else if (meaning.kind === "paste-start") {
      s.paste = { parts: [], tail: "", lastAt: when };
      text = feedPaste(s, text.slice(i), at, out);
      i = 0;
    }
  }
}

/** End of the text and controls from `from` up to the next Esc. */
function plainRun(text: string, from: number): number {
  const next = text.indexOf("\x1b", from);
  return next < 0 ? text.length : next;
}

/**
 * Text without escapes. Where a terminal has no bracketed paste, a pasted text looks like typing: three lines in one
 * read, or an Enter between texts, is taken for a paste, so that it never sends itself (IN-3). What follows at once belongs to it.
 */
function emitRun(s: State, run: string, at: number, out: InputEvent[]): void {
  const recent = at - s.lastTextAt <= 10;
  const hasText = /[^\x00-\x1f\x7f]/.test(run);
  if (hasText) s.lastTextAt = at;
  out.push(...endRun(s));
  if (PLAIN.test(run) && hasText && looksPasted(run, recent)) {
    s.run = [run];
    return;
  }
  const joined = run.replaceAll("\r\n", "\r");
  for (const { segment } of graphemes(joined)) {
    const code = segment.charCodeAt(0);
    const control = code < 0x20 || code === 0x7f;
    out.push(keyEvent(s, control ? controlKey(code) : charKey(segment), at));
  }
}

function looksPasted(run: string, recent: boolean): boolean {
  if (run.length >= LONG_RUN) return true;
  const lines = run.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.length >= 3 || /[^\r\n]\r\n?[^\r\n]/.test(run) || (recent && /^\r\n?[^\r\n]/.test(run));
}
