import { execFile } from "node:child_process";
import type { Place } from "./open-at.ts";
import { AGENT, agentEnv } from "./run-agent.ts";

/** A line of bash in the place's folder; `agent` is the program, `node` the one that runs this. */
export function pipeline(at: Place, line: string): Promise<{ code: unknown; out: string; err: string }> {
  const script = `set -o pipefail; agent() { "$NODE" "$AGENT" "$@"; }; ${line}`;
  const env = { ...agentEnv(at), NODE: process.execPath, AGENT };
  return new Promise((done) => {
    execFile("bash", ["-c", script], { cwd: at.folder, env, maxBuffer: 1 << 26 }, (error, out, err) =>
      done({ code: error === null ? 0 : error.code, out, err }),
    );
  });
}
