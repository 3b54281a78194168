import { Argument, type Command } from "commander";
import { AGENT_NAMES, type AgentName } from "../session/import/names.ts";

export interface ImportOptions {
  /** None: all. */
  agents: readonly AgentName[];
  dryRun: boolean;
  json: boolean;
}

export type ImportInvocation = { verb: "import"; options: ImportOptions };

/** Adds `agent import`. */
export function addImport(program: Command, choose: (i: ImportInvocation) => void): void {
  program
    .command("import")
    .description("take over what other agents left: shows it, and asks before it writes into your settings")
    .addArgument(new Argument("[agent...]", "which (default: all)").choices(AGENT_NAMES))
    .option("--dry-run", "only show; so it is without a terminal, always", false)
    .option("--json", "a line of JSON for each thing; writes nothing", false)
    .action((agents: AgentName[], { dryRun, json }: { dryRun: boolean; json: boolean }) =>
      choose({ verb: "import", options: { agents, dryRun, json } }),
    );
}
