/** Where the session's shell stands, and what commands exported. */
export interface ShellState {
  cwd: string;
  /** What differs from the variables that every command starts with. */
  env: Readonly<Record<string, string>>;
  /** Names of them that the model's commands gave their value, not the person's; absent where there are none. */
  set?: readonly string[];
}

/** The shell behind a command: what the person gives a value is the person's, what the model's commands do is not. */
export function movedShell(before: ShellState, { cwd, env }: ShellState, by?: "person"): ShellState {
  const known = new Set(before.set);
  const set = Object.keys(env).filter((name) => (env[name] === before.env[name] ? known.has(name) : by !== "person"));
  return { cwd, env, ...(set.length === 0 ? {} : { set }) };
}
