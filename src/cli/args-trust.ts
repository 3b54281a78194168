import type { Command } from "commander";
import type { TrustOptions } from "./trust.ts";

export type TrustInvocation = { verb: "trust"; options: TrustOptions };

/** What a person grants by typing it, and by nothing else. */
export interface TrustFlags {
  /** What would be asked is allowed (P8). */
  bypass: boolean;
  /** What the folder brings is used in this run (H5). */
  trustFolder: boolean;
}

/** Adds `agent trust`, `--trust-folder` and `--bypass`. */
export function addTrust(program: Command, choose: (i: TrustInvocation) => void): void {
  program
    .option("--trust-folder", "use the hooks, servers, skills and memory that the folder brings, for this run")
    .option("--bypass", "ask nothing but what a rule or a hook asks; what is denied stays denied");
  const trust = program
    .command("trust")
    .description("show what this folder brings and whether it is trusted")
    .action(() => choose({ verb: "trust", options: { act: "show", json: false } }));
  const folder = (path: string | undefined) => (path === undefined ? {} : { folder: path });
  trust
    .command("show [folder]")
    .description("show all that a folder brings, what of it is other than when it was trusted, and whether it is")
    .option("--json", "one JSON object", false)
    .action((path: string | undefined, { json }: { json: boolean }) =>
      choose({ verb: "trust", options: { act: "show", json, ...folder(path) } }),
    );
  trust
    .command("list")
    .description("list the folders that you said something of")
    .option("--json", "a line of JSON for each", false)
    .action(({ json }: { json: boolean }) => choose({ verb: "trust", options: { act: "list", json } }));
  trust
    .command("add [folder]")
    .description("trust a folder as it is now")
    .action((path: string | undefined) =>
      choose({ verb: "trust", options: { act: "add", json: false, ...folder(path) } }),
    );
  trust
    .command("remove [folder]")
    .description("forget what you said of a folder: the next start asks")
    .action((path: string | undefined) =>
      choose({ verb: "trust", options: { act: "remove", json: false, ...folder(path) } }),
    );
}

/** What was typed of them. */
export function trustFlags(o: Record<string, unknown>): TrustFlags {
  return { bypass: o["bypass"] === true, trustFolder: o["trustFolder"] === true };
}
