import { createInterface } from "node:readline/promises";
import type { Wired } from "./wire.ts";

const WHERE_TO_SET = `Set ANTHROPIC_API_KEY to your key, for example in your shell's start-up file:
  export ANTHROPIC_API_KEY=…
A local server that speaks the Messages API needs ANTHROPIC_BASE_URL instead (and ANTHROPIC_API_KEY when it wants one).
Then run agent again. agent --model demo shows the tour at any time.
`;

/** A terminal without a key (M3): the tour, how to set a key, or leave. Gives the exit code. */
export async function firstRun(wired: Wired, version: string): Promise<number> {
  process.stdout.write(
    `${wired.missing() ?? ""}

  1  a tour on a copy of some notes, without a key
  2  how to set a key
  3  quit
`,
  );
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = (await lines.question("1, 2 or 3: ")).trim();
    lines.close();
    if (answer === "1") return await (await import("./demo.ts")).demo(version);
    if (answer === "2") process.stdout.write(WHERE_TO_SET);
    return answer === "2" || answer === "3" || answer === "" ? 0 : 2;
  } finally {
    lines.close();
  }
}
