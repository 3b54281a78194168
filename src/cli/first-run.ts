import { createInterface } from "node:readline/promises";
import type { Wired } from "./wire.ts";

const MENU = `
  1  a tour on a copy of some notes, without a key
  2  how to set a key
  3  quit
`;

const WHERE_TO_SET = `
Set ANTHROPIC_API_KEY to your key, for example in your shell's start-up file:

  export ANTHROPIC_API_KEY=…

For a local server that speaks the Messages API set ANTHROPIC_BASE_URL instead. Models of other services: --model openai:NAME (with
OPENAI_API_KEY, or OPENAI_BASE_URL for a local server), bedrock:NAME, vertex:NAME.
Then start again in a folder of yours. The tour is there at any time: --model demo
`;

/** A terminal without a key (M3): the tour, how to set a key, or leave; anything else is asked again. Gives the exit code. */
export async function firstRun({ model }: Pick<Wired, "model">, version: string): Promise<number> {
  process.stdout.write(`No key is set for ${model}.\n${MENU}`);
  const answer = await choice();
  if (answer === "1") return (await import("./demo.ts")).demo(version);
  if (answer === "2") process.stdout.write(WHERE_TO_SET);
  return 0;
}

/** undefined when the person left: an empty line, Ctrl-C, Ctrl-D. */
async function choice(): Promise<"1" | "2" | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  try {
    for (;;) {
      const answer = await Promise.race([lines.question("1, 2 or 3: "), closed]);
      const word = answer?.trim();
      if (word === "1" || word === "2") return word;
      if (word === undefined || word === "" || word === "3") return undefined;
    }
  } finally {
    lines.close();
  }
}
