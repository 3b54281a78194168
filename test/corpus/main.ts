import { parseArgs } from "node:util";
import { chosen, readCorpus, startsProgram, type Line } from "./case.ts";
import { runCorpus } from "./pool.ts";
import { missed, report } from "./score.ts";

const USAGE = "npm run corpus -- FILE... [--area AREA] [--id ID]";

/**
 * Runs corpus files: a line for each case that is not right, a table by area. Exit code: 0, 1 for a miss, 2 for a wrong call or a program that can't be built or loaded.
 * `build`: makes `dist/`, from which some reports start the program.
 */
export async function main(args: readonly string[], build: () => Promise<unknown>): Promise<number> {
  let lines: Line[];
  try {
    const options = { area: { type: "string" }, id: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length === 0) throw new Error("name a file");
    lines = chosen(
      positionals.flatMap((file) => readCorpus(file)),
      values,
    );
    if (lines.length === 0) throw new Error("no case is chosen");
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return 2;
  }
  try {
    if (lines.some(startsProgram)) await build();
    const results = await runCorpus(lines);
    console.log(report(results));
    return missed(results) ? 1 : 0;
  } catch (error) {
    // No case's fault: nothing is told about any of them.
    console.error(`the program can't be run: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}
