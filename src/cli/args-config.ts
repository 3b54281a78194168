import type { Command } from "commander";
import type { ConfigOptions } from "./config.ts";

export type ConfigInvocation = { verb: "config"; options: ConfigOptions };

/** Adds `agent config`. */
export function addConfig(program: Command, choose: (i: ConfigInvocation) => void): void {
  const config = program
    .command("config")
    .description("settings: show them with the files that they stand in, set one, edit the file")
    .action(() => choose({ verb: "config", options: { act: "list", json: false } }));
  config
    .command("list")
    .description("list what is set, the strongest file first")
    .option("--json", "a line of JSON for each", false)
    .action(({ json }: { json: boolean }) => choose({ verb: "config", options: { act: "list", json } }));
  config
    .command("get <key>")
    .description("show a setting, such as limits.tokens; 1 where no file sets it")
    .option("--json", "a line of JSON for each file", false)
    .action((key: string, { json }: { json: boolean }) =>
      choose({ verb: "config", options: { act: "get", key, json } }),
    );
  config
    .command("set <key> <value>")
    .description("set one in your settings; the value is JSON, or a word")
    .option("--here", "for this folder alone", false)
    .action((key: string, value: string, { here }: { here: boolean }) =>
      choose({ verb: "config", options: { act: "set", key, value, here } }),
    );
  config
    .command("unset <key>")
    .description("take one out of your settings")
    .option("--here", "out of those for this folder", false)
    .action((key: string, { here }: { here: boolean }) =>
      choose({ verb: "config", options: { act: "set", key, here } }),
    );
  config
    .command("edit")
    .description("open your settings in $VISUAL or $EDITOR, and check them")
    .option("--here", "those for this folder", false)
    .action(({ here }: { here: boolean }) => choose({ verb: "config", options: { act: "edit", here } }));
}
