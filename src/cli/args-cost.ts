import type { Command } from "commander";
import type { CostOptions } from "./cost.ts";

export type CostInvocation = { verb: "cost"; options: CostOptions };

/** Adds `agent cost`. */
export function addCost(program: Command, choose: (i: CostInvocation) => void): void {
  program
    .command("cost [id]")
    .description("show what a session used: tokens and money by model and tool; without an id, this folder's newest")
    .option("--turns", "a row for each request", false)
    .option("--json", "one JSON object, with every request", false)
    .action((id: string | undefined, o: Omit<CostOptions, "id">) =>
      choose({ verb: "cost", options: { ...o, ...(id === undefined ? {} : { id }) } }),
    );
}
