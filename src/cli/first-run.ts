import { createInterface } from "node:readline/promises";
import type { Wired } from "./wire.ts";

/** Where the tour would take place: on a copy, or on the folder itself where it is trusted. */
const menu = (trusted: boolean) => `
  1  ${trusted ? "a tour of this folder, without a key; it writes one file, and only if you say yes" : "a tour on a copy of some notes, without a key"}
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
export async function firstRun({ model, trust }: Pick<Wired, "model" | "trust">, version: string): Promise<number> {
  const trusted = (await trust.look()).state === "trusted";
  process.stdout.write(`No key is set for ${model}.\n${menu(trusted)}`);
  const answer = await choice();
  const tour = () => import("./demo.ts");
  if (answer === "1") return trusted ? (await tour()).tourHere(version) : (await tour()).demo(version);
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
