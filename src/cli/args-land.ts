import { type Command, Option } from "commander";

/** What is done with what a rehearsal left (W6). */
export type PendingInvocation =
  | { verb: "review"; id: string; json: boolean }
  | { verb: "land"; id: string; how: LandOptions; json: boolean };

/** `only`: all else stays pending. */
export interface LandOptions {
  only: readonly string[];
  /** Dropped: paths, or `path#N` for a hunk. */
  without: readonly string[];
  /** Conflicts, or `path#N` for a hunk of one, in which the rehearsed version lands over the folder's. */
  take: readonly string[];
  /** Conflicts of which what fits lands. */
  fitting: readonly string[];
  /** Conflicts of which both versions go into a new file. */
  beside: readonly string[];
  withRegenerable: boolean;
  drop: boolean;
}

/** Adds `agent review` and `agent land`. */
export function addPending(program: Command, choose: (i: PendingInvocation) => void): void {
  program
    .command("review <id>")
    .description("show what a session that rehearsed has pending, as diffs")
    .option("--json", "one JSON object", false)
    .action((id: string, o: { json: boolean }) => choose({ verb: "review", id, json: o.json }));
  program
    .command("land <id>")
    .description("land what a session has pending, as one step that can be undone")
    .option("--only <path...>", "these files and folders; the rest stays pending")
    .option("--without <part...>", "drop these files and folders, or PATH#N: the N-th hunk of a file in agent review")
    .option("--take <part...>", "in conflict: land the rehearsed version of these over yours, or of PATH#N alone")
    .option("--fitting <path...>", "in conflict: land what fits; what both sides changed stays pending")
    .option("--beside <path...>", "in conflict: yours stays, both versions go into a new file beside it")
    .option("--with-regenerable", "with its regenerable output, such as node_modules", false)
    .addOption(new Option("--regenerable", "the same").default(false).hideHelp())
    .option("--drop", "land nothing: drop all that is pending", false)
    .option("--json", "one JSON object, with every path", false)
    .action((id: string, o: LandWords) => choose({ verb: "land", id, how: landOptions(o), json: o.json }));
}

type LandLists = "only" | "without" | "take" | "fitting" | "beside";
type LandWords = Partial<Record<LandLists, string[]>> & {
  regenerable: boolean;
  withRegenerable: boolean;
  drop: boolean;
  json: boolean;
};

function landOptions({ only = [], without = [], take = [], fitting = [], beside = [], ...o }: LandWords): LandOptions {
  return { only, without, take, fitting, beside, withRegenerable: o.regenerable || o.withRegenerable, drop: o.drop };
}
