import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Group, timedProgram } from "./measure.ts";
import { responder } from "./responder.ts";

/** The built program, as a person starts it. */
export const AGENT = resolve(import.meta.dirname, "../bin/agent.js");
const BARE_SDK = resolve(import.meta.dirname, "bare-sdk.ts");

/** A project folder with the program's own folders beside it, and the environment that leads there. */
export function placeIn(base: string): { folder: string; env: Record<string, string> } {
  const folder = join(base, "project");
  for (const dir of [folder, join(base, "home")]) mkdirSync(dir, { recursive: true });
  return {
    folder,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      HOME: join(base, "home"),
      UNDERSTUDY_CONFIG: join(base, "config"),
      XDG_STATE_HOME: join(base, "state"),
    },
  };
}

/** The program without a screen. */
export async function programRows(base: string): Promise<Group> {
  const { folder, env } = placeIn(base);
  const server = await responder();
  const talk = { cwd: folder, env: { ...env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "bench" } };
  return {
    rows: [
      {
        name: "--version",
        floorName: "node -e 0",
        n: 11,
        run: () => timedProgram([AGENT, "--version"], { cwd: folder, env }),
        floor: () => timedProgram(["-e", "0"], { cwd: folder, env }),
      },
      {
        name: "-p hi",
        floorName: "bare SDK",
        run: () => timedProgram([AGENT, "-p", "hi"], talk),
        floor: () => timedProgram([BARE_SDK], talk),
      },
    ],
    close: () => server.close(),
  };
}
