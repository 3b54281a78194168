import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

/** The person's home. A variable that is empty or relative would make the project's folder the program's. */
export function homeOf(env: Env): string {
  const named = env["HOME"];
  return named !== undefined && isAbsolute(named) ? named : userInfo().homedir;
}

/**
 * Where settings and state lie (DESIGN 5). Relative values of the variables are ignored, as the XDG specification asks:
 * a project's own folder must not become the program's.
 */
export function programDirs(env: Env): { config: string; state: string } {
  const home = homeOf(env);
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
