import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where settings and state lie (DESIGN 5). Relative values of the variables are ignored, as the XDG specification asks:
 * a project's own folder must not become the program's.
 */
export function programDirs(env: Env): { config: string; state: string } {
  const home = env["HOME"] ?? homedir();
  const base = (name: string, fallback: string) => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : join(home, fallback);
  };
  const own = env["UNDERSTUDY_CONFIG"];
  return {
    config: own !== undefined && isAbsolute(own) ? own : join(base("XDG_CONFIG_HOME", ".config"), "understudy"),
    state: join(base("XDG_STATE_HOME", ".local/state"), "understudy"),
  };
}
