import { realpathSync } from "node:fs";
import { listSessions } from "../events/sessions.ts";
import { programDirs } from "../session/environment.ts";
import { pastCalls } from "../session/policy-past.ts";
import { findCall, whyOf } from "../session/policy-why.ts";
import { openStore } from "../session/store.ts";
import { gateWords, whyLines } from "../ui/commands/permissions-rows.ts";
import { exactRow } from "../ui/render/clean.ts";
import { textOfLine } from "../ui/render/spans.ts";
import { truncateStyled } from "../ui/term/width.ts";
import { jsonLine } from "../util/json-line.ts";
import { sanitize } from "../util/visible.ts";
import { outWidth } from "./out-width.ts";
import { readLog } from "./read-log.ts";
import { UsageError } from "./usage-error.ts";

export interface WhyOptions {
  /** Number or id; the last call without. */
  call?: string;
  session?: string;
  list: boolean;
  json: boolean;
}

/** `agent why [CALL]`: out of the log alone, without opening it. Gives the exit code. */
export async function printWhy({ call, session, list, json }: WhyOptions): Promise<number> {
  const store = openStore(programDirs(process.env));
  const id = session ?? listSessions(store.sessions, realpathSync(process.cwd()))[0]?.id;
  if (id === undefined)
    throw new UsageError("there is no session in this folder; --session names one of another (agent sessions --all)");
  const calls = pastCalls((await readLog(store, id)).events);
  if (list) {
    const whys = calls.filter((c) => c.gates.length > 0).map(whyOf);
    const lines = json
      ? whys.map((why) => jsonLine({ type: "why", version: 1, session_id: id, ...why }))
      : whys.map(listRow);
    return print(lines);
  }
  const found = findCall(calls, call);
  if (found === undefined)
    throw new UsageError(
      call === undefined
        ? `nothing was called in session ${id}`
        : `session ${id} has no call ${call}; agent why --list --session ${id} lists them`,
    );
  const why = whyOf(found);
  return print(
    json ? [jsonLine({ type: "why", version: 1, session_id: id, ...why })] : whyLines(why, outWidth()).map(textOfLine),
  );
}

function listRow({ n, tool, subject, gates }: ReturnType<typeof whyOf>): string {
  const words = gates.map(gateWords).join("; ");
  const text = `${String(n).padStart(4)}  ${tool} ${exactRow(subject)}  ${words}`;
  return truncateStyled(sanitize(text), outWidth());
}

function print(lines: readonly string[]): number {
  process.stdout.write(lines.map((text) => `${text.trimEnd()}\n`).join(""));
  return 0;
}
