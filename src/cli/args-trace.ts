import type { Command } from "commander";
import type { TraceOptions } from "./trace.ts";

/** What looks at the log of a session (E5, E6). */
export type TraceInvocation = { verb: "trace"; options: TraceOptions };

/** Adds `agent trace`. */
export function addTrace(program: Command, choose: (i: TraceInvocation) => void): void {
  program
    .command("trace <id>")
    .description("show a session's turns: contexts, decisions and why, results, tokens, costs, times")
    .option("--json", "a line of JSON for each step", false)
    .option("--verify", "prove from the log: chain whole, high risk asked, no write undecided or in plan mode", false)
    .option("--stable", "without what differs between two runs: times, ids, folders", false)
    .action((id: string, o: Omit<TraceOptions, "id">) => choose({ verb: "trace", options: { ...o, id } }));
}
