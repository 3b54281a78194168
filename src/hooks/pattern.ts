/** A matcher that can't be read, in words for the person. */
export class PatternError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = "PatternError";
  }
}

/** True when the pattern fits somewhere in the text. */
export type Pattern = (text: string) => boolean;

type Test = (c: string) => boolean;
/** A state: a sign to read, a place to be at, or ways to go on without reading. */
type State = { test: Test; to: number } | { at: "start" | "end"; to: number } | { ways: number[] };

const MOST_STATES = 5000;
const MOST_REPEATS = 100;

/**
 * Compiles a regular expression that is run on all its ways at once, never trying one after another: no pattern takes more than its states
 * times the text. So what needs trying is refused: back references and looks around.
 * @throws PatternError.
 */
export function compile(source: string): Pattern {
  const parser = new Parser(Array.from(source));
  const { states, start, end } = parser.machine();
  return (text) => run(states, start, end, Array.from(text));
}

function run(states: readonly State[], start: number, end: number, text: readonly string[]): boolean {
  let now = new Set<number>();
  for (let i = 0; i <= text.length; i++) {
    const here = { first: i === 0, last: i === text.length };
    const open = [...now, start];
    now = new Set();
    const seen = new Set<number>();
    for (let n = open.pop(); n !== undefined; n = open.pop()) {
      if (seen.has(n)) continue;
      seen.add(n);
      if (n === end) return true;
      const state = states[n];
      if (state === undefined) continue;
      if ("ways" in state) open.push(...state.ways);
      else if ("at" in state) {
        if (state.at === "start" ? here.first : here.last) open.push(state.to);
      } else if (!here.last && state.test(text[i] ?? "")) now.add(state.to);
    }
  }
  return false;
}

/** A part of the machine; its end is a state that goes nowhere yet. */
interface Part {
  start: number;
  end: number;
}

class Parser {
  readonly #text: readonly string[];
  readonly #states: State[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  machine(): { states: readonly State[]; start: number; end: number } {
    const whole = this.#choice();
    if (this.#at < this.#text.length) throw new PatternError(`a ${this.#text[this.#at]} that nothing opened`);
    return { states: this.#states, ...whole };
  }

  #state(state: State): number {
    if (this.#states.length >= MOST_STATES) throw new PatternError("too large: repeat less");
    return this.#states.push(state) - 1;
  }

  #hole(): number {
    return this.#state({ ways: [] });
  }

  #link(from: number, to: number): void {
    const state = this.#states[from];
    if (state !== undefined && "ways" in state) state.ways.push(to);
  }

  #choice(): Part {
    if (++this.#depth > 50) throw new PatternError("brackets too deep");
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    this.#depth--;
    const end = this.#hole();
    for (const part of parts) this.#link(part.end, end);
    return { start: this.#state({ ways: parts.map((p) => p.start) }), end };
  }

  #sequence(): Part {
    const start = this.#hole();
    let end = start;
    while (this.#at < this.#text.length && !"|)".includes(this.#text[this.#at] ?? "")) {
      const part = this.#repeated();
      this.#link(end, part.start);
      end = part.end;
    }
    return { start, end };
  }

  #repeated(): Part {
    const from = this.#at;
    const part = this.#atom();
    const times = this.#times();
    if (times === undefined) return part;
    // A lazy one fits the same texts.
    this.#take("?");
    const to = this.#at;
    if (this.#times() !== undefined) throw new PatternError("a repetition of a repetition; set it in ( )");
    const whole = this.#copies(part, from, times);
    this.#at = to;
    return whole;
  }

  /** `[least, most]`; undefined: no sign of repetition. */
  #times(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    const [whole, least, comma, most] =
      /^\{(\d+)(,?)(\d*)\}/.exec(this.#text.slice(this.#at, this.#at + 12).join("")) ?? [];
    if (whole === undefined || least === undefined) return undefined;
    this.#at += whole.length;
    const times = [Number(least), comma === "" ? Number(least) : most === "" ? Infinity : Number(most)] as const;
    if (times[0] > MOST_REPEATS || (times[1] !== Infinity && times[1] > MOST_REPEATS) || times[1] < times[0])
      throw new PatternError(`${whole}: at most ${MOST_REPEATS} times`);
    return times;
  }

  /** The atom is read anew for each copy. */
  #copies(first: Part, from: number, [least, most]: readonly [number, number]): Part {
    const copy = (): Part => {
      this.#at = from;
      return this.#atom();
    };
    const start = this.#hole();
    let end = start;
    const count = most === Infinity ? Math.max(least, 1) : most;
    let last: Part | undefined;
    const out = this.#hole();
    for (let n = 0; n < count; n++) {
      last = n === 0 ? first : copy();
      if (n >= least) this.#link(end, out);
      this.#link(end, last.start);
      end = last.end;
    }
    if (most === Infinity && last !== undefined) this.#link(last.end, last.start);
    this.#link(end, out);
    return { start, end: out };
  }

  #atom(): Part {
    const c = this.#text[this.#at++];
    if (c === "(") return this.#group();
    if (c === "^") return this.#place("start");
    if (c === "$") return this.#place("end");
    if (c === "[") return this.#sign(this.#set());
    if (c === ".") return this.#sign(() => true);
    if (c === "\\") return this.#sign(this.#escape());
    if (c === undefined || "*+?".includes(c)) throw new PatternError(`nothing to repeat before ${c ?? "the end"}`);
    return this.#sign((x) => x === c);
  }

  #group(): Part {
    if (this.#take("?") && !this.#take(":")) throw new PatternError("(?…) is not known here, but for (?:…)");
    const part = this.#choice();
    if (!this.#take(")")) throw new PatternError("a ( is not closed");
    return part;
  }

  #place(at: "start" | "end"): Part {
    const end = this.#hole();
    return { start: this.#state({ at, to: end }), end };
  }

  #sign(test: Test): Part {
    const end = this.#hole();
    return { start: this.#state({ test, to: end }), end };
  }

  #set(): Test {
    const not = this.#take("^");
    const tests: Test[] = [];
    for (let first = true; first || !this.#take("]"); first = false) {
      const c = this.#text[this.#at++];
      if (c === undefined) throw new PatternError("a [ is not closed");
      if (first && c === "]") return () => not;
      if (c === "\\") tests.push(this.#escape());
      else if (this.#text[this.#at] === "-" && ![undefined, "]"].includes(this.#text[this.#at + 1])) {
        const to = this.#text[this.#at + 1] ?? "";
        this.#at += 2;
        tests.push((x) => x >= c && x <= to);
      } else tests.push((x) => x === c);
    }
    return (x) => tests.some((test) => test(x)) !== not;
  }

  #escape(): Test {
    const c = this.#text[this.#at++] ?? "";
    const known = CLASSES[c.toLowerCase()];
    if (known !== undefined) return (x) => known.test(x) === (c === c.toLowerCase());
    if (c === "" || /[A-Za-z0-9]/.test(c)) throw new PatternError(`\\${c} is not known here`);
    return (x) => x === c;
  }

  #take(c: string): boolean {
    if (this.#text[this.#at] !== c) return false;
    this.#at++;
    return true;
  }
}

const CLASSES: Readonly<Record<string, RegExp>> = { d: /[0-9]/, w: /\w/, s: /\s/ };
