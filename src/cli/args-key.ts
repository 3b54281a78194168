import { Argument, type Command } from "commander";
import { KEPT_SERVICES, type KeptService } from "../session/stored-keys.ts";

export interface KeyInvocation {
  verb: "key";
  what: "set" | "show" | "remove";
  service?: KeptService;
}

const WORDS = {
  set: "keep a key, read from stdin or asked for without showing it (never an argument)",
  show: "tell which keys there are and where they come from, without showing them",
  remove: "remove a kept key",
} as const;

/** Adds `agent key`. */
export function addKey(program: Command, choose: (i: KeyInvocation) => void): void {
  const key = program.command("key").description("keep the key of a service: in the keyring where there is one");
  for (const what of ["set", "show", "remove"] as const) {
    key
      .command(what)
      .description(WORDS[what])
      .addArgument(new Argument("[service]").choices(Object.keys(KEPT_SERVICES)))
      .action((service?: KeptService) => choose({ verb: "key", what, ...(service === undefined ? {} : { service }) }));
  }
}
