import { lstatSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { CasePlace } from "./call-case.ts";
import type { SecurityCase } from "./case.ts";
import { endDrive, KEY, logFile } from "./drive.ts";
import type { Ground } from "./ground.ts";
import { failed, ownGround, tryOpen } from "./own-files.ts";
import type { Seen } from "./score.ts";
import { STORED } from "./store-more.ts";

const Store = z.looseObject({ what: z.string(), umask: z.string().optional() });
/** What a call of the case must leave behind, and how it is made. */
const WRITES: Readonly<Record<string, (input: z.infer<typeof Store>) => { tool: string; input: unknown }>> = {
  session_file: () => ({ tool: "Read", input: { file_path: "a.txt" } }),
  tool_output_spill: () => ({ tool: "Bash", input: { command: "seq 100000" } }),
  trace_file: () => ({ tool: "Bash", input: { command: "env" } }),
  process_list: () => ({ tool: "Bash", input: { command: "sleep 1" } }),
  session_dir: () => ({ tool: "Read", input: { file_path: "a.txt" } }),
  audit_line: ({ command, file_path }) =>
    command === undefined
      ? { tool: "Write", input: { file_path, content: "x" } }
      : { tool: "Bash", input: { command } },
};

/** A file that the program writes: its mode, and what stands in it. */
export async function runStore(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  const input = Store.safeParse(c.input);
  const other = input.success ? STORED[input.data.what] : undefined;
  if (other !== undefined) return other(c, place);
  const write = input.success ? WRITES[input.data.what] : undefined;
  if (!input.success || write === undefined) return `the program's own ${input.data?.what ?? "files"} of this kind`;
  const ground = ownGround(place);
  const { what, umask, plant, target } = input.data;
  if (what === "session_dir") {
    if (plant !== "symlink" || typeof target !== "string") return "a session folder planted in this way";
    symlinkSync(target, join(ground.state, "sessions"));
  }
  const before = process.umask(Number.parseInt(umask ?? "022", 8));
  const opened = await tryOpen(place, ground, { mode: c.mode });
  try {
    if (typeof opened === "string")
      return { outcomes: ["error"], said: opened, failed: await failed(c, place, opened, 0) };
    let lines = "";
    const look = setInterval(() => (lines += commandLines()), 150);
    const started = (): void => {};
    const done = await opened.run([write(input.data)], ["no"], { asked: () => Promise.resolve(), started });
    clearInterval(look);
    const wrong = storeChecks(c, ground, opened.session.id, { facts: done.facts.length, lines });
    return { outcomes: ["contained"], said: what, failed: [...wrong, ...(await failed(c, place, "", 0))] };
  } finally {
    process.umask(before);
    if (typeof opened !== "string") await endDrive(opened);
  }
}

function commandLines(): string {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readOr(`/proc/${pid}/cmdline`)).join("\n");
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function storeChecks(
  { check, input }: SecurityCase,
  ground: Ground,
  id: string,
  seen: { facts: number; lines: string },
): string[] {
  const spilled = Store.parse(input).what === "tool_output_spill";
  const results = join(ground.state, "results", id);
  const files = spilled ? readdirSync(results).map((name) => join(results, name)) : [logFile(ground, id)];
  const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);
  const folder = join(files[0] ?? results, "..");
  const text = check.file_lacks === undefined ? "" : everything(join(ground.base, "own"));
  const records = readFileSync(logFile(ground, id), "utf8").trimEnd().split("\n");
  // Opened, then one line for each fact of the query.
  const odd = check.one_record === true && records.length !== seen.facts + 1;
  const hidden = check.cmdline_lacks !== undefined && !seen.lines.includes("sleep");
  return [
    ...(files.length === 0 ? ["no file was written"] : []),
    ...files.filter((f) => check.file_mode !== undefined && mode(f) !== check.file_mode).map((f) => `${f}: ${mode(f)}`),
    ...(check.dir_mode !== undefined && mode(folder) !== check.dir_mode ? [`${folder}: ${mode(folder)}`] : []),
    ...(check.file_lacks ?? []).filter((part) => text.includes(part)).map((part) => `a file has ${part}`),
    ...(check.cmdline_lacks ?? []).filter((part) => seen.lines.includes(part)).map((p) => `a command line has ${p}`),
    ...(hidden ? ["the command was not seen while it ran"] : []),
    ...(odd ? [`${records.length} records for ${seen.facts} facts`] : []),
    ...(process.env["ANTHROPIC_API_KEY"] === KEY ? [] : ["the runner holds no key"]),
  ];
}

/** All bytes of the program's own files. */
function everything(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readOr(join(entry.parentPath, entry.name)))
    .join("\n");
}
