import { cleanEnv } from "../util/clean-env.ts";

/**
 * The environment of a hook: the person's own without what holds keys, and where the project lies, by our name and by the one that
 * scripts of the ecosystem know.
 * @param mark put into every descendant's environment, by which they are found again.
 */
export function hookEnv(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  mark: string,
): Record<string, string> {
  return { ...cleanEnv(env), AGENT_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder, [MARK]: mark };
}

export const MARK = "AGENT_HOOK_RUN";
