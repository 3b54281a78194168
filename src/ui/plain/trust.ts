import type { Readable, Writable } from "node:stream";
import { trustLines } from "../../session/trust-words.ts";
import type { TrustLook } from "../../session/trust.ts";
import type { Clock } from "../../util/deps.ts";
import { ARMING_MS } from "../input/arming.ts";
import { trustChoices, trustHead, type TrustAnswer } from "../prompt/trust.ts";
import { line, paint, wrap } from "../render/spans.ts";
import { plainTheme } from "../theme.ts";
import { readLines } from "./lines.ts";

export interface PlainTrustOptions {
  stdin: Readable;
  stdout: Writable & { columns?: number };
  clock: Clock;
}

/** The same question in the line front-end: everything is shown, a number answers (N-4). The end of the input leaves. */
export function askTrustPlain(look: TrustLook, { stdin, stdout, clock }: PlainTrustOptions): Promise<TrustAnswer> {
  const width = Math.max(20, (stdout.columns ?? 80) - 1);
  const say = (text: string) => {
    for (const row of paint(wrap(line(text), { width, rest: line("    ") }), plainTheme))
      stdout.write(`${row.trimEnd()}\n`);
  };
  const [title, path, words] = trustHead(look);
  for (const text of [title, path, words]) if (text !== "") say(text);
  for (const text of trustLines(look).slice(1)) say(text);
  const choices = trustChoices(look);
  choices.forEach(({ label, more }, at) => say(`${at + 1} ${label}${more === undefined ? "" : `: ${more}`}`));
  stdout.write("answer: ");
  const shownAt = clock.now();
  return new Promise((resolve) => {
    const again = (why: string) => void stdout.write(`${why}\nanswer: `);
    const done = (answer: TrustAnswer) => {
      stop();
      process.off("SIGINT", leave);
      resolve(answer);
    };
    const leave = () => done("leave");
    const stop = readLines(
      stdin,
      clock,
      (typed) => {
        // Typed ahead, or pasted in a heap.
        if (!typed.alone || typed.at - shownAt < ARMING_MS) return again("not answered, type it again");
        const choice = /^[1-9]$/.test(typed.text.trim()) ? choices[Number(typed.text.trim()) - 1] : undefined;
        return choice === undefined ? again("not answered, type one of the numbers") : done(choice.id);
      },
      leave,
    );
    process.on("SIGINT", leave);
  });
}
