import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Asker } from "../../src/permissions/asker.ts";
import type { Place } from "./open-at.ts";
import { scratch } from "./scratch.ts";

export { collect, openAt, TOOL_SETTINGS } from "./open-at.ts";
export type { Place, ScriptInput, SessionInput } from "./open-at.ts";

/** A scratch folder to work in, with the program's own folders beside it. */
export function place(name = "session"): Place {
  const base = scratch(name);
  const made = {
    folder: join(base, "project"),
    config: join(base, "config"),
    state: join(base, "state"),
    home: join(base, "home"),
  };
  for (const dir of Object.values(made)) mkdirSync(dir, { recursive: true });
  return made;
}

/** An asker that gives these answers in turn, then says no; it remembers what it was asked. */
export function answers(
  ...list: (Awaited<ReturnType<Asker["ask"]>> | "yes" | "no")[]
): Asker & { asked: Parameters<Asker["ask"]>[0][] } {
  const asked: Parameters<Asker["ask"]>[0][] = [];
  return {
    asked,
    ask(question) {
      asked.push(question);
      const next = list.shift() ?? "no";
      return Promise.resolve(next === "yes" ? { kind: "yes" } : next === "no" ? { kind: "no" } : next);
    },
    askPerson: () => Promise.resolve(undefined),
  };
}
