import type { Format } from "../print/format.ts";
import { linesOf } from "../print/lines.ts";
import { say } from "../print/print.ts";
import { questionLines } from "../session/questions.ts";
import { StreamInput } from "../print/stream-input.ts";
import { jsonLine } from "../util/json-line.ts";
import type { Stdio } from "./stdio.ts";

/**
 * Messages and answers out of stdin, a line of JSON each. Questions are lines of stdout where that is a stream too; elsewhere nobody can be
 * asked for permission, and what the model asks is told on stderr.
 */
export function streamInput(stdin: NodeJS.ReadStream, format: Format, out: Stdio): StreamInput {
  const stream = format === "stream-json";
  const write = (line: object) => void out.out(`${jsonLine(line)}\n`);
  const input = new StreamInput({
    bad({ n, problem, text }) {
      if (stream) write({ type: "input.error", version: 1, line: n, problem, text });
      const where = n === 0 ? "" : `line ${n} of `;
      say(out, `${where}standard input is not used: ${problem}${text === "" ? "" : `: ${text}`}`);
    },
    question: stream ? write : undefined,
    waits: (question) => questionLines(question).forEach((line) => say(out, line)),
  });
  void input.read(linesOf(stdin as AsyncIterable<Uint8Array>));
  return input;
}
