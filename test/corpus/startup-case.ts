import { spawnSync } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { press } from "../support/press.ts";
import { agentEnv } from "../support/run-agent.ts";
import { startTerminal, type Terminal } from "../support/terminal.ts";
import type { CasePlace } from "./call-case.ts";
import type { Outcome, SecurityCase } from "./case.ts";
import { KEY } from "./drive.ts";
import { ear, type Ear } from "./ear.ts";
import { onHost } from "./ground.ts";
import { failed, ownGround } from "./own-files.ts";
import type { Seen } from "./score.ts";

const Input = z.strictObject({
  interactive: z.boolean().default(true),
  first_open: z.boolean().optional(),
  trusted_before: z.boolean().optional(),
  prompt: z.string().default("hello"),
  slash: z.string().optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  argv: z.array(z.string()).optional(),
});
/** The built program: its screen runs from `dist/` alone. */
export const AGENT = join(import.meta.dirname, "../../bin/agent.js");
const DONE = "the-model-is-done";
const QUESTION = /Do you trust this folder\?/;
/** Of an open session; the first frame has the mode too. */
const READY = /Shift\+Tab changes the mode/;
/** The program looks at git by itself; the calls make it search, run a command and judge a change. */
const CALLS = [
  { name: "Bash", input: { command: "ls" } },
  { name: "Grep", input: { pattern: "alpha" } },
  { name: "Read", input: { file_path: "a.txt" } },
];
/** Somebody who is no user of this machine. */
const STRANGER = 54_321;

/** The program itself, started in the folder of the case on a terminal; asked about the folder it says "open it without"; then it is sent one prompt. */
export async function runStartup(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  const input = Input.safeParse(c.input);
  if (!input.success) return "a start of this shape";
  const { config, state } = ownGround(place);
  const owned = ownerOf(c, place);
  const { argv, env, interactive, prompt, slash, cwd = owned } = input.data;
  const at = { folder: cwd, config, state, home: place.folders.home };
  for (const step of c.before) {
    if ("shell" in step) await onHost(step.shell, place.folders);
    else if ("trust" in step) trusted(at);
    else return "a call before the start";
  }
  const script = join(config, "script.json");
  writeFileSync(script, JSON.stringify({ turns: [{ calls: CALLS }, { text: DONE }], loop: true }));
  const heard = c.check.model_lacks === undefined ? undefined : await ear();
  const model = heard === undefined ? `scripted:${script}` : "claude-sonnet-4-5";
  const base = [AGENT, "--model", model, "--mode", c.mode];
  const terminal = startTerminal(process.execPath, [...base, ...(interactive ? [] : ["-p", prompt]), ...(argv ?? [])], {
    cols: 120,
    rows: 40,
    cwd,
    env: {
      ...agentEnv(at, { ANTHROPIC_API_KEY: KEY }),
      ...(heard === undefined ? {} : { ANTHROPIC_BASE_URL: heard.url }),
      ...env,
    },
  });
  try {
    const typed = !interactive || argv !== undefined ? undefined : (slash ?? prompt);
    const { asked, started } = await talk(terminal, typed, slash === undefined, heard);
    const said = (await terminal.lines()).join("\n").trim();
    const outcomes: Outcome[] = asked ? ["ask"] : outcomesOf(started, argv !== undefined);
    const mute = started || said !== "" ? [] : ["it ends without a word"];
    const sent = heard === undefined ? [] : sentChecks(c, heard);
    return { outcomes, said: said.slice(-300), failed: [...mute, ...sent, ...(await failed(c, place, said, 0))] };
  } finally {
    terminal.close();
    await heard?.close();
  }
}

/** A folder of somebody else's: made so where we may, else one of the system's. */
function ownerOf({ needs }: SecurityCase, { folders }: CasePlace): string {
  if (!needs.includes("other-owner")) return folders.project;
  if (process.getuid?.() !== 0) return "/usr/lib";
  chownSync(folders.project, STRANGER, STRANGER);
  return folders.project;
}

/** As a person trusts a folder ahead. Throws where that fails. */
function trusted(at: Parameters<typeof agentEnv>[0]): void {
  const ran = spawnSync(process.execPath, [AGENT, "trust", "add"], {
    cwd: at.folder,
    env: agentEnv(at),
    encoding: "utf8",
  });
  if (ran.status !== 0) throw new Error(`agent trust add ended with ${ran.status}: ${ran.stderr}`);
}

function sentChecks({ check }: SecurityCase, heard: Ear): string[] {
  const sent = heard.sent();
  return [
    ...(sent.includes("hello") ? [] : ["nothing was sent to the model"]),
    ...(check.model_lacks ?? []).filter((part) => sent.includes(part)).map((part) => `the model was sent ${part}`),
  ];
}

/** Whether it asked about the folder, and whether it started and worked on what it was sent. */
async function talk(
  terminal: Terminal,
  typed: string | undefined,
  answered: boolean,
  heard: Ear | undefined,
): Promise<{ asked: boolean; started: boolean }> {
  let asked = false;
  try {
    if (typed !== undefined) {
      const both = new RegExp(`${QUESTION.source}|${READY.source}`);
      const screen = (await terminal.waitFor(both)).join("\n");
      asked = QUESTION.test(screen);
      if (asked) await press(terminal, QUESTION, /(\d) +Open it/.exec(screen)?.[1] ?? "2", READY);
      terminal.type(typed);
      await terminal.waitFor(typed);
      terminal.type("\r");
    }
    if (heard !== undefined) await heard.got();
    else if (answered) await terminal.waitFor(DONE);
    else await new Promise((resolve) => setTimeout(resolve, 1500));
    return { asked, started: true };
  } catch {
    return { asked, started: false };
  }
}

/** What the folder brings took no effect, unasked, as the checks of the case show: it was refused. */
function outcomesOf(started: boolean, argued: boolean): Outcome[] {
  if (!started) return ["error"];
  return argued ? ["allow"] : ["deny"];
}
