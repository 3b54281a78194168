import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { agentEnv } from "../support/run-agent.ts";
import { startTerminal, type Terminal } from "../support/terminal.ts";
import type { CasePlace } from "./call-case.ts";
import type { Outcome, SecurityCase } from "./case.ts";
import { KEY } from "./drive.ts";
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
const AGENT = join(import.meta.dirname, "../../bin/agent.js");
const DONE = "the-model-is-done";
/** The program looks at git by itself; the calls make it search, run a command and judge a change. */
const CALLS = [
  { name: "Bash", input: { command: "ls" } },
  { name: "Grep", input: { pattern: "alpha" } },
  { name: "Read", input: { file_path: "a.txt" } },
];

/** The program itself, started in the folder of the case on a terminal, sent one prompt. */
export async function runStartup(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  const input = Input.safeParse(c.input);
  if (!input.success) return "a start of this shape";
  if (Object.keys(c.check).length === 0) return "the program asks nothing about a folder at its start yet";
  if (c.check.model_lacks !== undefined) return "what a start sends to the model is not seen by this runner";
  for (const step of c.before) {
    if (!("shell" in step)) return "trust is given by nothing yet";
    await onHost(step.shell, place.folders);
  }
  const { config, state } = ownGround(place);
  const script = join(config, "script.json");
  writeFileSync(script, JSON.stringify({ turns: [{ calls: CALLS }, { text: DONE }], loop: true }));
  const { argv, env, interactive, prompt, slash, cwd = place.folders.project } = input.data;
  const at = { folder: cwd, config, state, home: place.folders.home };
  const base = [AGENT, "--model", `scripted:${script}`, "--mode", c.mode];
  const args = [...base, ...(interactive ? [] : ["-p", prompt]), ...(argv ?? [])];
  const terminal = startTerminal(process.execPath, args, {
    cols: 120,
    rows: 40,
    cwd,
    env: { ...agentEnv(at, { ANTHROPIC_API_KEY: KEY }), ...env },
  });
  try {
    const typed = !interactive || argv !== undefined ? undefined : (slash ?? prompt);
    const started = await talk(terminal, typed, slash === undefined);
    const said = (await terminal.lines()).join("\n").trim();
    const outcomes = outcomesOf(started, said, argv !== undefined);
    const mute = started || said !== "" ? [] : ["it ends without a word"];
    return { outcomes, said: said.slice(-300), failed: [...mute, ...(await failed(c, place, said, 0))] };
  } finally {
    terminal.close();
  }
}

/** Whether it started and worked on what it was sent. */
async function talk(terminal: Terminal, typed: string | undefined, answered: boolean): Promise<boolean> {
  try {
    if (typed !== undefined) {
      await terminal.waitFor(/(ask|auto|plan) mode/);
      terminal.type(typed);
      await terminal.waitFor(typed);
      terminal.type("\r");
    }
    if (answered) await terminal.waitFor(DONE);
    else await new Promise((resolve) => setTimeout(resolve, 1500));
    return true;
  } catch {
    return false;
  }
}

/** What the folder brings took no effect, unasked, as the checks of the case show: it was refused. */
function outcomesOf(started: boolean, said: string, argued: boolean): Outcome[] {
  if (/\btrust\b.*\?/i.test(said)) return ["ask"];
  if (!started) return ["error"];
  return argued ? ["allow"] : ["deny"];
}
