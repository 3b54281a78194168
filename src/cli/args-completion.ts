import { Argument, type Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];
export type CompletionInvocation = { verb: "completion"; shell: ShellName; program: Command };

/** Adds `agent completion`. */
export function addCompletion(program: Command, choose: (i: CompletionInvocation) => void): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .description("print a script that completes commands and flags in your shell")
    .action((shell: ShellName) => choose({ verb: "completion", shell, program }));
}
