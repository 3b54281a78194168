import type { Command } from "commander";
import type { RunOptions } from "./args.ts";

export type AcpInvocation = { verb: "acp"; options: RunOptions };

const HELP = `
An editor starts it and speaks the Agent Client Protocol with it. Options of sessions stand before the word:
  agent --mode plan --max-cost 5 acp
docs/editors.md has the settings of editors.`;

/** Adds `agent acp`. `typed`: what stands before the word, for every session that the editor opens. */
export function addAcp(program: Command, choose: (i: AcpInvocation) => void, typed: () => RunOptions): void {
  program
    .command("acp")
    .description("work in an editor: serve it on stdin and stdout, by the Agent Client Protocol")
    .addHelpText("after", HELP)
    .action(() => choose({ verb: "acp", options: typed() }));
}
