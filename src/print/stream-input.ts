import type { Answer, Asker, Question } from "../permissions/asker.ts";
import { pickAnswer } from "../tools/answer.ts";
import type { PersonQuestion } from "../tools/tool.ts";
import { type Answered, type Given, readLine, type Said } from "./input-line.ts";
import type { Line } from "./lines.ts";
import { answerOf, permissionLine, personLine } from "./question-line.ts";

export interface InputParts {
  /** A line that could not be used. */
  bad(line: { n: number; problem: string; text: string }): void;
  /** A question is open from now on; undefined: permission can't be asked for here. */
  question?: ((line: object) => void) | undefined;
  /** A question of the model's waits, where it can't be written as a line. */
  waits?(question: PersonQuestion): void;
}

/** What stood in a line, with its number; 0: not in a line of its own. */
export type Item = (Said | Answered) & { n: number; size: number };
export type AnswerItem = Extract<Item, { kind: "answer" }>;

type Open =
  | { kind: "permission"; question: Question; answer(answer: Answer): void }
  | { kind: "person"; question: PersonQuestion; answer(answer: string | undefined): void };

/** Bytes of lines that wait; more is read once there is room. */
const ROOM = 10 << 20;
const ENDED: Answer = { kind: "nobody", reason: "standard input has ended" };

/**
 * Messages and answers out of a stream of lines (`--input-format stream-json`). Messages wait for their turn, in order; an answer to the
 * model may come ahead of its question, a yes or no to a permission question only while that one is open: it is to what was shown.
 */
export class StreamInput implements Asker {
  readonly #parts: InputParts;
  readonly #items: Item[] = [];
  readonly #open = new Map<string, Open>();
  #size = 0;
  #ended = false;
  #asked = 0;
  #wake: (() => void)[] = [];
  /** A line could not be used. */
  failed = false;
  /** What a steering line and an interrupt do while a message runs. */
  running: { steer(said: Said): void; interrupt(): void } | undefined;

  constructor(parts: InputParts) {
    this.#parts = parts;
  }

  /** Reads to the end. Never throws: a stream that breaks has ended. */
  async read(lines: AsyncIterable<Line>): Promise<void> {
    try {
      for await (const line of lines) {
        const given = "text" in line ? readLine(line.text) : line;
        const text = "text" in line ? line.text : "";
        if ("problem" in given) this.#bad(line.n, given.problem, text);
        else this.#take(given, line.n, text);
        while (this.#size > ROOM && this.#open.size === 0) await this.#change();
      }
    } catch {
      // What came is all there is.
    }
    this.#ended = true;
    for (const open of this.#open.values()) close(open);
    this.#changed();
  }

  /** Puts messages ahead of all others. */
  first(content: readonly Said["content"][]): void {
    this.#items.unshift(
      ...content.map((one): Item => ({ kind: "message", content: one, steer: false, n: 0, size: 0 })),
    );
    this.#changed();
  }

  /** What comes next; undefined at the end, or when `signal` is aborted. */
  async next(signal: AbortSignal): Promise<Item | undefined> {
    const wake = () => this.#changed();
    signal.addEventListener("abort", wake, { once: true });
    try {
      while (this.#items.length === 0 && !this.#ended && !signal.aborted) await this.#change();
      return signal.aborted ? undefined : this.#shift(0);
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  /** Answers to questions that were open before, in their order; undefined, once it is told, where there are too few. */
  async answersTo(
    first: AnswerItem,
    questions: readonly PersonQuestion[],
    signal: AbortSignal,
  ): Promise<string[] | undefined> {
    const texts: string[] = [];
    for (let given: AnswerItem | undefined = first; given !== undefined; given = await this.#nextAnswer(signal)) {
      const question = questions[texts.length];
      const read = question === undefined ? undefined : pickAnswer(question, given.text ?? "");
      if (read === undefined || "problem" in read) {
        this.unused(given, read === undefined ? "it answers no question that is open" : read.problem);
        return undefined;
      }
      texts.push(read.answer);
      if (texts.length === questions.length) return texts;
    }
    this.#bad(0, `${questions.length} questions are open, ${texts.length} answered`, "");
    return undefined;
  }

  async #nextAnswer(signal: AbortSignal): Promise<AnswerItem | undefined> {
    while (this.#items.length === 0 && !this.#ended && !signal.aborted) await this.#change();
    const [item] = this.#items;
    if (item?.kind !== "answer" || signal.aborted) return undefined;
    this.#shift(0);
    return item;
  }

  /** Tells of what could not be used. */
  unused(given: AnswerItem, problem: string): void {
    this.#bad(given.n, problem, given.text ?? "");
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { question: tell } = this.#parts;
    if (tell === undefined) return Promise.resolve({ kind: "nobody", reason: "nobody is here to answer" });
    return this.#wait<Answer>(question.id, signal, { kind: "no" }, (answer) => ({
      open: { kind: "permission", question, answer },
      tell: () => tell(permissionLine(question)),
    }));
  }

  async askPerson(question: PersonQuestion, signal: AbortSignal): Promise<string | undefined> {
    const id = `question-${++this.#asked}`;
    for (let at = this.#ahead(question); at >= 0; at = this.#ahead(question)) {
      const given = this.#shift(at);
      const read = pickAnswer(question, given?.kind === "answer" ? (given.text ?? "") : "");
      if ("answer" in read) return read.answer;
      if (given?.kind === "answer") this.unused(given, read.problem);
    }
    return this.#wait<string | undefined>(id, signal, undefined, (answer) => ({
      open: { kind: "person", question, answer },
      tell: () => (this.#parts.question ?? (() => this.#parts.waits?.(question)))(personLine(id, question)),
    }));
  }

  /** An answer that came before its question: never a yes to what nobody had seen. */
  #ahead({ consent }: PersonQuestion): number {
    return consent === true ? -1 : this.#items.findIndex((item) => item.kind === "answer");
  }

  #wait<A>(
    id: string,
    signal: AbortSignal,
    aborted: A,
    make: (answer: (a: A) => void) => { open: Open; tell: () => void },
  ): Promise<A> {
    return new Promise((resolve) => {
      const done = (answer: A) => {
        this.#open.delete(id);
        signal.removeEventListener("abort", stop);
        this.#changed();
        resolve(answer);
      };
      const stop = () => done(aborted);
      const { open, tell } = make(done);
      if (signal.aborted) return done(aborted);
      signal.addEventListener("abort", stop, { once: true });
      this.#open.set(id, open);
      tell();
      if (this.#ended) close(open);
      else this.#changed();
    });
  }

  #take(given: Given, n: number, text: string): void {
    if (given.kind === "interrupt") return this.running?.interrupt();
    if (given.kind === "message" && given.steer && this.running !== undefined) return this.running.steer(given);
    const asked = [...this.#open.values()].some(({ kind }) => kind === "person");
    if (given.kind === "answer" && (given.question_id !== undefined || asked)) return this.#answer(given, n, text);
    this.#items.push({ ...given, n, size: text.length });
    this.#size += text.length;
    this.#changed();
  }

  #oldest(): Open | undefined {
    return [...this.#open.values()].find((open) => open.kind === "person" && open.question.consent !== true);
  }

  #answer(given: Answered, n: number, text: string): void {
    const open = given.question_id === undefined ? this.#oldest() : this.#open.get(given.question_id);
    if (open === undefined && given.question_id === undefined)
      return this.#bad(n, "what is open is answered with its question_id alone", text);
    if (open === undefined) return this.#bad(n, `no question ${given.question_id ?? ""} is open`, text);
    if (open.kind === "person") {
      const read =
        given.text === undefined
          ? { problem: "this question is answered by text" }
          : pickAnswer(open.question, given.text);
      return "answer" in read ? open.answer(read.answer) : this.#bad(n, read.problem, text);
    }
    const answer = answerOf(given, open.question);
    return "problem" in answer ? this.#bad(n, answer.problem, text) : open.answer(answer);
  }

  #shift(at: number): Item | undefined {
    const [item] = this.#items.splice(at, 1);
    this.#size -= item?.size ?? 0;
    this.#changed();
    return item;
  }

  #bad(n: number, problem: string, text: string): void {
    this.failed = true;
    this.#parts.bad({ n, problem, text: text.slice(0, 200) });
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }
  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Nobody will answer any more. */
function close(open: Open): void {
  if (open.kind === "permission") open.answer(ENDED);
  else open.answer(undefined);
}
