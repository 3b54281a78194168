import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Place, ScriptInput } from "./session.ts";

const root = resolve(import.meta.dirname, "../..");
/** The built program: from its sources each start would strip and compile them anew. */
export const AGENT = join(root, "bin/agent.js");

export interface AgentRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

/** Environment of a program that must not see this machine's own settings. */
export function agentEnv(at: Place, more: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    HOME: at.home,
    UNDERSTUDY_CONFIG: at.config,
    XDG_STATE_HOME: at.state,
    // Compiled once for all tests.
    XDG_CACHE_HOME: join(root, ".test-results"),
    ...more,
  };
}

/** Saves a script beside the project, and gives the name of its model. */
export function scriptFile(at: Place, script: ScriptInput, name = "script.json"): string {
  const file = join(at.config, name);
  writeFileSync(file, JSON.stringify(script));
  return `scripted:${file}`;
}

/** Starts the real program in the place's folder. */
export function startAgent(
  at: Place,
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): { child: ChildProcess; done: Promise<AgentRun> } {
  const child = spawn(process.execPath, [AGENT, ...args], {
    cwd: at.folder,
    env: agentEnv(at, env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (s: string) => (out += s));
  child.stderr.setEncoding("utf8").on("data", (s: string) => (err += s));
  const done = new Promise<AgentRun>((finish) =>
    child.on("close", (code, signal) => finish({ code, signal, out, err })),
  );
  return { child, done };
}

/** Runs the real program to its end. */
export function runAgent(
  at: Place,
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): Promise<AgentRun> {
  return startAgent(at, args, env, input).done;
}
