import { type Command, InvalidArgumentError, Option } from "commander";
import type { ReplayOptions } from "./replay.ts";
import type { TraceOptions } from "./trace.ts";

/** What looks at the log of a session (E5, E6). */
export type TraceInvocation = { verb: "trace"; options: TraceOptions } | { verb: "replay"; options: ReplayOptions };

/** Adds `agent trace` and `agent replay`. */
export function addTrace(program: Command, choose: (i: TraceInvocation) => void): void {
  program
    .command("trace <id>")
    .description("show a session's turns: contexts, decisions and why, results, tokens, costs, times")
    .option("--json", "a line of JSON for each step", false)
    .option("--verify", "prove from the log: chain whole, high risk asked, no write undecided or in plan mode", false)
    .option("--otlp <address>", "send it as OpenTelemetry spans to a collector, or print them (-)")
    .option("--content", "for --otlp: with what was said, called and answered", false)
    .option("--stable", "without what differs between two runs: times, ids, folders", false)
    .action((id: string, o: Omit<TraceOptions, "id">) => choose({ verb: "trace", options: { ...o, id } }));
  program
    .command("replay <id>")
    .description("play a session on the screen, or (--check) again with its tools run for real in a copy")
    .option("--speed <n>", "times the pace of reading, or max", speed, 1)
    .option("--step", "a key for each step", false)
    .option("--from <event>", "show what was before this event at once", event)
    .addOption(
      new Option("--check", "compare with what comes when the tools run again")
        .default(false)
        .conflicts(["step", "from"]),
    )
    .option("--folder <dir>", "for --check: the folder as it was when the session began")
    .action((id: string, o: Omit<ReplayOptions, "id">) => choose({ verb: "replay", options: { ...o, id } }));
}

function speed(value: string): number {
  const n = value === "max" ? Infinity : Number(value);
  if (!(n > 0)) throw new InvalidArgumentError("it must be a number above 0, or max.");
  return n;
}

function event(value: string): number {
  const n = Number(value);
  if (!Number.isSafeInteger(n) || n < 1) throw new InvalidArgumentError("it must be the number of an event.");
  return n;
}
