import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { deleteSession } from "../../src/session/delete.ts";
import { openStore } from "../../src/session/store.ts";
import { factLines } from "../../src/ui/render/transcript.ts";
import { textOfLine } from "../../src/ui/render/spans.ts";
import { systemClock } from "../../src/util/system.ts";
import { agentEnv } from "../support/run-agent.ts";
import { startTerminal } from "../support/terminal.ts";
import type { CasePlace } from "./call-case.ts";
import type { SecurityCase } from "./case.ts";
import { drive, endDrive, KEY } from "./drive.ts";
import type { Ground } from "./ground.ts";
import { failed, ownGround } from "./own-files.ts";
import type { Seen } from "./score.ts";
import { AGENT } from "./startup-case.ts";

type Stored = (c: SecurityCase, place: CasePlace) => Promise<Seen>;

/** Things of the program's own that are no file written by a call. */
export const STORED: Readonly<Record<string, Stored>> = {
  crash_report: crashed,
  error_text: refused,
  temp_file: temporary,
  delete_session: deleted,
};

/** Every file of the program's own, with its folders. */
function filesOf({ base }: Ground): { path: string; mode: string; text: string }[] {
  return readdirSync(join(base, "own"), { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const text = entry.isFile() ? readFileSync(path, "utf8") : "";
    return { path, mode: `${entry.isDirectory() ? "d" : ""}${(lstatSync(path).mode & 0o777).toString(8)}`, text };
  });
}

function wrongFiles({ check }: SecurityCase, ground: Ground): string[] {
  const files = filesOf(ground).filter(({ path }) => !path.includes(".home/") && !path.endsWith("/script.json"));
  const open = files.filter(({ mode }) => check.file_mode !== undefined && mode !== check.file_mode && mode !== "d700");
  const keyed = files.filter(({ text }) => (check.file_lacks ?? []).some((part) => text.includes(part)));
  return [
    ...(files.length === 0 ? ["no file was written"] : []),
    ...open.map(({ path, mode }) => `${path}: ${mode}`),
    ...keyed.map(({ path }) => `the key stands in ${path}`),
  ];
}

/** A mistake of ours that nobody caught, with the key in its words. */
async function crashed(c: SecurityCase, place: CasePlace): Promise<Seen> {
  const ground = ownGround(place);
  const at = { folder: place.folders.project, config: ground.config, state: ground.state, home: place.folders.home };
  const bomb = `data:text/javascript,setTimeout(()=>{throw new Error("boom ${KEY}")},2500)`;
  const words = ["-c", 'umask 000; exec "$@"', "sh", process.execPath, "--import", bomb, AGENT, "--model", "demo"];
  const terminal = startTerminal("/bin/sh", words, {
    cols: 120,
    rows: 40,
    cwd: at.folder,
    env: agentEnv(at, { ANTHROPIC_API_KEY: KEY }),
  });
  const code = await terminal.exited;
  const said = (await terminal.lines()).join("\n");
  terminal.close();
  const odd = code === 70 ? [] : [`it ended with ${code}: ${said.slice(-200)}`];
  return { outcomes: ["contained"], said: said.slice(-200), failed: [...odd, ...wrongFiles(c, ground)] };
}

/** A service that refuses the key and repeats it. */
async function refused(c: SecurityCase, place: CasePlace): Promise<Seen> {
  const ground = ownGround(place);
  const opened = await drive(place.folders, ground, { mode: c.mode });
  try {
    opened.failNext(`401 for key ${KEY}`);
    const { facts } = await opened.run([], ["no"]);
    const screen = facts.flatMap((fact) => (factLines(fact, 80) ?? []).map(textOfLine)).join("\n");
    const shown = (c.check.screen_lacks ?? [])
      .filter((part) => screen.includes(part))
      .map((p) => `the screen has ${p}`);
    const silent = screen.includes("401") ? [] : [`the error is not shown: ${screen}`];
    return { outcomes: ["contained"], said: screen, failed: [...shown, ...silent, ...wrongFiles(c, ground)] };
  } finally {
    await endDrive(opened);
  }
}

/** What is written for a moment lies in the program's own folders: in the common one there is no name that anybody could foresee. */
async function temporary(c: SecurityCase, place: CasePlace): Promise<Seen> {
  const ground = ownGround(place);
  const common = join(place.folders.base, "common-tmp");
  mkdirSync(common);
  for (const name of ["understudy", "agent", `understudy-${process.getuid?.()}`, "copy.txt", "output.txt"])
    symlinkSync(join(place.folders.outside, "MARK"), join(common, name));
  const planted = new Set(readdirSync(common));
  const made = new Set<string>();
  const look = setInterval(() => readdirSync(common).forEach((name) => planted.has(name) || made.add(name)), 5);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = common;
  const opened = await drive(place.folders, ground, { mode: "auto" });
  try {
    await opened.run([{ tool: "Bash", input: { command: "seq 100000; echo x > new.txt" } }], ["yes"]);
    await opened.run([{ tool: "Write", input: { file_path: "b.txt", content: "b" } }], ["yes"]);
    await opened.session.undo();
  } finally {
    await endDrive(opened);
    clearInterval(look);
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
  const odd = [...made].map((name) => `the common folder got ${name}`);
  return { outcomes: ["contained"], said: "", failed: [...odd, ...(await failed(c, place, "", 0))] };
}

/** A session with long texts and results, deleted. */
async function deleted(c: SecurityCase, place: CasePlace): Promise<Seen> {
  const ground = ownGround(place);
  const mark = "MARK-OF-A-DELETED-SESSION";
  const opened = await drive(place.folders, ground, { mode: "auto" });
  const { id } = opened.session;
  await opened.run([{ tool: "Bash", input: { command: `echo ${mark} > ~/h; yes ${mark} | head -c 400000` } }], ["no"]);
  await endDrive(opened);
  const here = () => filesOf(ground).filter(({ path, text }) => text.includes(mark) || path.includes(id));
  const before = here().length;
  await deleteSession(id, { store: openStore(ground), clock: systemClock, force: false });
  const left = c.check.gone === true ? here().map(({ path }) => `${path} is left`) : [];
  return { outcomes: ["contained"], said: "", failed: [...(before > 2 ? [] : ["nothing was there"]), ...left] };
}
