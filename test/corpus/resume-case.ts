import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { outcomeOf, type CasePlace, watchMemory } from "./call-case.ts";
import type { Outcome, SecurityCase } from "./case.ts";
import { drive, type Drive, endDrive, logFile } from "./drive.ts";
import { failed, ownGround, tryOpen } from "./own-files.ts";
import type { Seen } from "./score.ts";

const Resume = z.strictObject({
  tamper: z.string().optional(),
  session_id: z.string().optional(),
  record: z.unknown().optional(),
  raw: z.string().optional(),
  target: z.string().optional(),
  mode: z.string().optional(),
  bytes: z.number().optional(),
  runs: z.literal(2).optional(),
  then: z.strictObject({ tool: z.string(), input: z.unknown() }).optional(),
});
type Resume = z.infer<typeof Resume>;

/** A stored session that somebody changed, opened again. */
export async function runResume(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  const input = Resume.safeParse(c.input);
  if (!input.success) return "a stored session changed in this way";
  const change = TAMPER[input.data.tamper ?? "concurrent"];
  if (change === undefined) return `a stored session changed by ${input.data.tamper}`;
  const ground = ownGround(place);
  const first = await drive(place.folders, ground, { mode: c.mode });
  await first.run([{ tool: "Read", input: { file_path: "a.txt" } }], ["no"]);
  const { id } = first.session;
  const shared = input.data.tamper === "concurrent";
  if (!shared) await endDrive(first);
  change(input.data, logFile(ground, id), ground.state);
  const memory = watchMemory();
  const opened = await tryOpen(place, ground, { mode: c.mode, resume: input.data.session_id ?? id });
  try {
    const seen =
      typeof opened === "string"
        ? { outcomes: ["error"] as Outcome[], said: opened, failed: opened === "" ? ["no message"] : [] }
        : await goOn(opened, input.data);
    return { ...seen, failed: [...seen.failed, ...(await failed(c, place, seen.said, memory.end()))] };
  } finally {
    if (typeof opened !== "string") await endDrive(opened);
    if (shared) await endDrive(first);
  }
}

/** Ways to change a stored session; `state`: where its folder lies. */
const TAMPER: Readonly<Record<string, (input: Resume, log: string, state: string) => void>> = {
  concurrent: () => undefined,
  append: ({ record }, log) => appendFileSync(log, `${JSON.stringify(record)}\n`),
  append_raw: ({ raw = "" }, log) => appendFileSync(log, `${raw}\n`),
  truncate_last_line: (_, log) => truncateSync(log, lstatSync(log).size - 20),
  duplicate_tool_id: (_, log) => {
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    appendFileSync(log, `${lines.find((line) => line.includes('"call.finished"')) ?? ""}\n`);
  },
  grow: ({ bytes = 0 }, log) => truncateSync(log, bytes),
  chmod: ({ mode = "0" }, log) => chmodSync(log, Number.parseInt(mode, 8)),
  symlink_file: ({ target = "" }, log) => {
    rmSync(log);
    symlinkSync(target, log);
  },
  symlink_dir: ({ target = "" }, _, state) => linkFolder(join(state, "sessions"), target),
};

function linkFolder(dir: string, target: string): void {
  renameSync(dir, `${dir}.before`);
  symlinkSync(target, dir);
}

/** The session opened: what of the change counts in it? What a stranger wrote is refused, and that must be told. */
async function goOn(driven: Drive, { then }: Resume): Promise<Seen> {
  const { session } = driven;
  const said = session.notices.join("; ");
  const foreign = session.state().foreign;
  const quiet = session.notices.length === 0 ? ["nothing tells the person"] : [];
  const waits = !foreign || session.unfinished() === undefined ? [] : ["an unfinished call is taken up"];
  const done = await driven.run(then === undefined ? [] : [then], ["no"]);
  const results = driven.sent().match(/"tool_use_id":"toolu_1"/g)?.length ?? 0;
  const twice = results > 1 ? [`${results} results of one call are sent`] : [];
  const outcomes: Outcome[] =
    then === undefined ? (foreign ? ["allow", "deny"] : ["allow"]) : outcomeOf(done, session.state().mode, []).outcomes;
  return { outcomes, said, failed: [...quiet, ...waits, ...twice] };
}
