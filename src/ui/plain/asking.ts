import type { Answer, Asker, Question } from "../../permissions/asker.ts";
import { pickAnswer } from "../../tools/answer.ts";
import type { PersonQuestion } from "../../tools/tool.ts";
import type { Clock } from "../../util/deps.ts";
import { ARMING_MS } from "../input/arming.ts";
import type { TypedLine } from "./lines.ts";
import { personRows, questionRows, readAnswer } from "./question.ts";
import type { Voice } from "./voice.ts";

type Open =
  | { kind: "permission"; question: Question; at: number; answer(answer: Answer): void }
  | { kind: "person"; question: PersonQuestion; at: number; answer(answer: string | undefined): void };

export interface AskingParts {
  clock: Pick<Clock, "now">;
  voice: Voice;
}

/** Questions of the line front-end, one after another: each is written once, a line answers the first. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #open: Open[] = [];

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  readonly asker: Asker = {
    ask: (question, signal) =>
      this.#ask<Answer>(signal, { kind: "no" }, (at, answer) => ({ kind: "permission", question, at, answer })),
    askPerson: (question, signal) =>
      this.#ask<string | undefined>(signal, undefined, (at, answer) => ({ kind: "person", question, at, answer })),
  };

  get waits(): boolean {
    return this.#open.length > 0;
  }

  #ask<A>(signal: AbortSignal, aborted: A, make: (at: number, answer: (a: A) => void) => Open): Promise<A> {
    return new Promise((resolve) => {
      const done = (answer: A) => {
        const at = this.#open.indexOf(open);
        if (at >= 0) this.#open.splice(at, 1);
        resolve(answer);
        if (at === 0) this.#show();
      };
      const open = make(this.#parts.clock.now(), done);
      this.#open.push(open);
      signal.addEventListener("abort", () => done(aborted), { once: true });
      if (signal.aborted) return done(aborted);
      if (this.#open.length === 1) this.#show();
    });
  }

  #show(): void {
    const open = this.#open[0];
    if (open === undefined) return;
    const { clock, voice } = this.#parts;
    open.at = clock.now();
    const { width } = voice;
    voice.rows(open.kind === "permission" ? questionRows(open.question, width) : personRows(open.question, width));
    voice.bell();
    voice.write("answer: ");
  }

  /** A line that was typed before the question could be read, or came in a heap, answers nothing (P-4). */
  answer(typed: TypedLine): void {
    const open = this.#open[0];
    if (open === undefined) return;
    const soon = !typed.alone || typed.at - open.at < ARMING_MS;
    const again = (why: string) => this.#parts.voice.write(`${why}\nanswer: `);
    if (soon) return again("not answered, type it again");
    if (open.kind === "person") {
      const read = pickAnswer(open.question, typed.text);
      return "answer" in read ? open.answer(read.answer) : again(read.problem);
    }
    const answer = readAnswer(open.question, typed.text);
    return answer === undefined ? again("not answered, type one of the numbers") : open.answer(answer);
  }
}
