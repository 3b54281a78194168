import { type Command, Option } from "commander";
import { EXPORT_FORMATS, type ExportFormat } from "../session/export.ts";

/** What looks after the sessions that there are (E2). */
export type SessionsInvocation =
  | { verb: "sessions"; options: ListOptions }
  | { verb: "rename"; id: string; name: string }
  | { verb: "delete"; id: string; yes: boolean; force: boolean }
  | { verb: "export"; options: ExportOptions };

export interface ListOptions {
  /** Words to search for, in sessions of every folder; "" lists. */
  query: string;
  all: boolean;
  json: boolean;
  reindex: boolean;
}

export interface ExportOptions {
  id: string;
  /** Written new; without it stdout. */
  file?: string;
  format?: ExportFormat;
}

type Choose = (i: SessionsInvocation) => void;

/** Adds `agent sessions` with what it can do to one of them. */
export function addSessions(program: Command, choose: Choose): void {
  const sessions = program
    .command("sessions [query...]")
    .description("list the sessions of this folder, or search all of them; rename or delete one")
    .option("--all", "of every folder", false)
    .option("--json", "a line of JSON for each", false)
    .option("--reindex", "make the search index anew from the logs", false)
    .action((words: string[], o: Omit<ListOptions, "query">) =>
      choose({ verb: "sessions", options: { ...o, query: words.join(" ") } }),
    );
  sessions
    .command("rename <id> <name...>")
    .description("name a session, for --resume; no two have the same name")
    .action((id: string, words: string[]) => choose({ verb: "rename", id, name: words.join(" ") }));
  sessions
    .command("delete <id>")
    .description("delete a session for good; what it landed stays, and can be undone")
    .option("-y, --yes", "without asking", false)
    .option("--force", "also with changes that wait for a review", false)
    .action((id: string, o: { yes: boolean; force: boolean }) => choose({ verb: "delete", id, ...o }));
}

/** Adds `agent export`. */
export function addExport(program: Command, choose: Choose): void {
  program
    .command("export <id> [file]")
    .description("write a session's conversation to a new file, or print it")
    .addOption(new Option("--format <format>", "md, json (its facts, a line each) or html").choices(EXPORT_FORMATS))
    .action((id: string, file: string | undefined, o: { format?: ExportFormat }) =>
      choose({ verb: "export", options: { id, ...o, ...(file === undefined ? {} : { file }) } }),
    );
}
