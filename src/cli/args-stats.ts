import type { Command } from "commander";
import { positive } from "./args-numbers.ts";
import type { StatsOptions } from "./stats.ts";

export type StatsInvocation = { verb: "stats"; options: StatsOptions };

/** Adds `agent stats`. */
export function addStats(program: Command, choose: (i: StatsInvocation) => void): void {
  program
    .command("stats")
    .description("what all sessions used: a bar for each day, by model and by folder")
    .option("--days <n>", "of so many days, today with them; default 30", positive)
    .option("--json", "one JSON object", false)
    .action(({ days = 30, json }: { days?: number; json: boolean }) =>
      choose({ verb: "stats", options: { days, json } }),
    );
}
