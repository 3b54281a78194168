/**
 * Two ways to make foreign text safe for a terminal. `visible` is for questions: nothing is lost, what can't be seen is
 * written out, and the exact text can be read back from what is shown. `sanitize` is for output: what could move the
 * cursor, set a mode, reach the clipboard or turn the writing direction is dropped.
 */

/** Everything that a screen would not show as itself: controls, format and bidi marks, invisible letters, odd blanks, halves of pairs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}|\\(?=u\{)/gu;
/** More marks than this on one letter paint over the lines above. */
const MAX_MARKS = 8;

/**
 * Writes what can't be seen as `\u{…}`, characters of `keep` excepted. Reversible: a backslash that begins the text
 * `\u{` is itself written as `\u{5c}`. For the text of a question use the default, which shows tabs too.
 */
export function visible(text: string, keep = "\n"): string {
  const shown = text.replace(UNSEEN, (c) => (keep.includes(c) ? c : escaped(c)));
  return shown.replace(/\p{M}{9,}/gu, (run) => run.replace(/./gsu, escaped));
}

function escaped(c: string): string {
  return `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`;
}

/** True when `visible` would have to escape something, so that no remembered answer is offered (UX P-2). */
export function hasInvisible(text: string): boolean {
  return visible(text) !== text;
}

/** Leaves only the last state of lines that a program repainted with carriage returns; line ends become `\n`. For whole texts, before `sanitize`. */
export function lastStates(text: string): string {
  return text.includes("\r") ? text.split("\n").map(lastState).join("\n") : text;
}

/** By position, not by pattern: a pattern looks at a line of a million letters a million times. */
function lastState(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

/** Keeps printable text, line ends and tabs; with `sgr` also colours and weight (never concealed or blinking text), reset at the end. */
export function sanitize(text: string, options: { sgr?: boolean } = {}): string {
  const stream = new Sanitizer(options);
  return stream.write(text) + stream.end();
}

const NEEDS_CARE =
  /[^\n\t\x20-\x7e\xa0-\xac\xae-\u02ff]/u; /* beyond this range every character is looked at by itself */
/** What `sanitize` leaves away wherever it stands. */
export const DROPPED =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** A control string that goes on longer than this without its end is not shown again when it turns out to have none. */
const MAX_HELD = 4096;

type State = "ground" | "escape" | "csi" | "string" | "string-escape";

/** `sanitize` for a stream cut at any place: sequences and pairs split over chunks are recognised. */
export class Sanitizer {
  #state: State = "ground";
  /** Parameters of a CSI, or the body of a control string. */
  #held = "";
  #bell = false;
  /** First half of a pair at a chunk's end. */
  #half = "";
  #marks = 0;
  #styled = false;
  readonly #sgr: boolean;

  constructor(options: { sgr?: boolean } = {}) {
    this.#sgr = options.sgr === true;
  }

  write(chunk: string): string {
    let text = this.#half + chunk;
    this.#half = "";
    if (this.#state === "ground" && !NEEDS_CARE.test(text)) {
      if (text !== "") this.#marks = 0;
      return text;
    }
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last < 0xdc00) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    let out = "";
    for (const c of text) out += this.#step(c);
    return out;
  }

  /** What was held back at the end of the stream, and a reset of colours if any are on. */
  end(): string {
    let out = this.#half === "" ? "" : this.#step("\ufffd");
    if (this.#state === "string" || this.#state === "string-escape") out += this.#unfinished();
    this.#state = "ground";
    this.#half = "";
    if (this.#styled) out += "\x1b[0m";
    this.#styled = false;
    return out;
  }

  #step(c: string): string {
    const code = c.codePointAt(0) ?? 0;
    if (this.#state !== "string" && this.#state !== "string-escape") {
      if (code === 0x1b) return this.#enter("escape");
      if (code === 0x9b) return this.#enter("csi");
      if (isStringStart(code)) return this.#enterString(code === 0x9d);
    }
    switch (this.#state) {
      case "ground":
        return this.#plain(c, code);
      case "escape":
        return this.#escape(c, code);
      case "csi":
        return this.#csi(c, code);
      case "string":
        return this.#string(c, code);
      case "string-escape":
        return this.#stringEscape(c, code);
    }
  }

  #plain(c: string, code: number): string {
    if (code >= 0xd800 && code < 0xe000) return "\ufffd";
    if (DROPPED.test(c)) return "";
    if (code >= 0x300 && /\p{M}/u.test(c)) return ++this.#marks > MAX_MARKS ? "" : c;
    this.#marks = 0;
    return c;
  }

  #enter(state: State): string {
    this.#state = state;
    this.#held = "";
    return "";
  }

  #enterString(bell: boolean): string {
    this.#bell = bell;
    return this.#enter("string");
  }

  #escape(c: string, code: number): string {
    if (c === "[") return this.#enter("csi");
    if ("]P^_X".includes(c)) return this.#enterString(c === "]");
    if (code >= 0x20 && code <= 0x2f) return "";
    this.#state = "ground";
    return code >= 0x30 && code <= 0x7e ? "" : this.#plain(c, code);
  }

  #csi(c: string, code: number): string {
    if (code >= 0x20 && code <= 0x3f) {
      if (this.#held.length < 256) this.#held += c;
      return "";
    }
    if (c === "\n" || code > 0x7e) {
      this.#state = "ground";
      return this.#plain(c, code);
    }
    if (code < 0x40) return "";
    this.#state = "ground";
    const style = c === "m" && this.#sgr ? safeStyle(this.#held) : undefined;
    if (style === undefined) return "";
    this.#styled = style !== "0" && style !== "";
    return `\x1b[${style}m`;
  }

  #string(c: string, code: number): string {
    if (code === 0x1b) {
      this.#state = "string-escape";
      return "";
    }
    if (code === 0x9c || code === 0x18 || code === 0x1a || (this.#bell && code === 0x07)) return this.#enter("ground");
    if (c === "\n") return this.#unfinished() + "\n";
    if (this.#held.length <= MAX_HELD) this.#held += c;
    return "";
  }

  /** An ESC inside a control string ends it, as on a real terminal; with `\` behind it that is its proper end. */
  #stringEscape(c: string, code: number): string {
    if (c === "\\") return this.#enter("ground");
    this.#enter("escape");
    return code === 0x1b ? "" : this.#step(c);
  }

  /** A control string without an end must not swallow the text behind it: its body is shown as text. */
  #unfinished(): string {
    const body = this.#held.length <= MAX_HELD ? this.#held : "";
    this.#enter("ground");
    let out = "";
    for (const c of body) out += this.#plain(c, c.codePointAt(0) ?? 0);
    return out;
  }
}

function isStringStart(code: number): boolean {
  return code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f;
}

/** The parameters of an SGR that only colour or weigh text; undefined when none is left. 5, 6 (blink) and 8 (conceal) never pass. */
function safeStyle(held: string): string | undefined {
  if (!/^[0-9;:]*$/.test(held)) return undefined;
  const given = held.split(";");
  const kept: string[] = [];
  for (let i = 0; i < given.length; i++) {
    const p = given[i] ?? "";
    if (p === "38" || p === "48" || p === "58") {
      const n = given[i + 1] === "5" ? 3 : given[i + 1] === "2" ? 5 : 0;
      if (n === 0 || i + n > given.length) break;
      kept.push(...given.slice(i, i + n));
      i += n - 1;
    } else if (/^(0*|0*[1-479]|2[1-57-9]|3[0-79]|4[0-79]|5[359]|9[0-7]|10[0-7]|4:[0-5]|[345]8:[\d:]+)$/.test(p)) {
      kept.push(p);
    }
  }
  return kept.length === 0 ? undefined : kept.join(";");
}
