import type { OpenOptions } from "../../src/index.ts";
import type { Place } from "./open-at.ts";
import { agentEnv } from "./run-agent.ts";

/** How a program opens a session in a scratch place; settings and state lie where the real command has them there. */
export function libraryOptions(at: Place, more: Partial<OpenOptions> = {}): OpenOptions {
  return { folder: at.folder, env: agentEnv(at), ...more };
}
