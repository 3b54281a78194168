import { writeFileSync } from "node:fs";
import { privateFolder } from "../events/private.ts";
import { denyAll } from "../permissions/asker.ts";
import { scriptedModel } from "../model/scripted.ts";
import type { Env } from "../session/environment.ts";
import { userSettingsFile } from "../session/rules-files.ts";
import type { SettingsFile } from "../session/settings-schema.ts";
import { setUp } from "../session/setup.ts";
import { builtinTools } from "../tools/builtin.ts";
import type { Clock } from "../util/deps.ts";

/** Node that runs this program, for tests that the machine's own may be too old for: in the environment of a suite's commands. */
const NODE = "UNDERSTUDY_NODE";

/** Where the commands of a suite's author run. */
export interface ShellPlace {
  folder: string;
  dirs: { config: string; state: string };
  env: Env;
  version: string;
  clock: Clock;
}

export type RunCommand = (line: string, timeoutMs: number) => Promise<{ exit: number | null; output: string }>;

const NOBODY = "scripted:nobody";

/**
 * Makes the folders of such a session. Its settings are the same for every variant: a variant's hooks and rules are the agent's, not the
 * graders'. `shows`: files and folders beside the project that the commands may read.
 */
export function makeShellDirs({ config, state }: ShellPlace["dirs"], shows: readonly string[]): void {
  for (const dir of [config, state]) privateFolder(dir);
  const settings: SettingsFile = { bash: { show: [...shows, process.execPath] } };
  writeFileSync(userSettingsFile(config), `${JSON.stringify(settings)}\n`, { mode: 0o600 });
}

/**
 * Commands of a suite (setup, graders) in this folder: as typed by a person in a session of their own, so in the copy, without network, and
 * what they change lands. Throws where a command could not be run.
 */
export async function withShell<T>(place: ShellPlace, use: (run: RunCommand) => Promise<T>): Promise<T> {
  const model = scriptedModel({ turns: [] }, { id: NOBODY });
  const setup = setUp({
    folder: place.folder,
    addDirs: [],
    env: place.env,
    dirs: place.dirs,
    flags: { model: NOBODY, mode: "auto" },
    rehearse: false,
    tools: builtinTools,
    version: place.version,
    clock: place.clock,
    ownModel: (id) => (id === NOBODY ? model : undefined),
    demoWordMs: 0,
  });
  const session = await setup.open(denyAll("nobody is here to answer"));
  try {
    return await use(async (line, timeoutMs) => {
      const run = session.shell(`export ${NODE}=${quoted(process.execPath)}\n${line}`, AbortSignal.timeout(timeoutMs));
      for (;;) {
        const step = await run.next();
        if (step.done === true) return { exit: step.value.exit, output: step.value.output };
      }
    });
  } finally {
    await session.close();
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
