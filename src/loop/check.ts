import type { SessionState } from "../events/state.ts";
import { PathPattern } from "../permissions/glob.ts";
import { isBelow, pathIn } from "../workspace/roots.ts";

/** What has to hold when the model says that it is done (S9). `name` is unique. */
export type Check = {
  name: string;
  /** The folder brings it: it runs only where the folder is trusted (H5). */
  brought?: true;
  /** It has to pass also where nothing has changed. */
  always?: true;
  /** A command runs on what has landed alone: without what stays in the copy, in an empty HOME. */
  landed?: true;
} & (
  | {
      kind: "command";
      /** bash source text, run in the copy from the folder's top. */
      command: string;
      timeoutMs: number;
      /** Path patterns: it runs only if one of the changed files fits. */
      when?: readonly string[];
    }
  /** Each pattern fits something in the folder, as the session sees it. */
  | { kind: "exists"; paths: readonly string[] }
  /** Nothing that the session changed fits a pattern. */
  | { kind: "unchanged"; paths: readonly string[] }
);

export interface Checks {
  list: readonly Check[];
  /** So often failures go back to the model before the person is asked. */
  rounds: number;
}

/** What a check does, in one line: a command, or what it looks at. */
export function commandText(check: Check): string {
  switch (check.kind) {
    case "command":
      return check.command;
    case "exists":
      return `must exist: ${check.paths.join(", ")}`;
    case "unchanged":
      return `must not change: ${check.paths.join(", ")}`;
  }
}

/** A check as the model is told of it: one line, of a longer script the first. */
export function checkName(check: Check): string {
  const [first = "", ...more] = commandText(check).trim().split("\n");
  const what = more.length === 0 ? first : `${first} …`;
  if (check.kind !== "command") return what;
  return check.name === what ? `\`${what}\`` : `${check.name} (\`${what}\`)`;
}

type Changed = SessionState["changed"];

/** Paths of the session's changes that this check has not seen pass: absolute, or `git`. Pure. */
export function unseen(check: Check, { checks, changed }: Pick<SessionState, "checks" | "changed">): string[] {
  const known = checks.get(check.name);
  const seen: Changed = known?.command === commandText(check) ? (known.green ?? new Map()) : new Map();
  const value = (from: Changed, path: string) => from.get(path)?.at(-1)?.value;
  return [...new Set([...seen.keys(), ...changed.keys()])].filter((path) => value(seen, path) !== value(changed, path));
}

/** Nothing of a folder runs that is not trusted. Pure. */
export function mayRun({ brought }: Check, { trusted }: Pick<SessionState, "trusted">): boolean {
  return brought !== true || trusted;
}

/** Whether it has to run: something that concerns it changed since it last passed. Pure. */
export function isDue(check: Check, state: Pick<SessionState, "checks" | "changed" | "roots">): boolean {
  const paths = unseen(check, state);
  if (check.always === true && state.checks.get(check.name)?.green === undefined) return true;
  if (check.kind !== "command" || check.when === undefined) return paths.length > 0;
  const patterns = check.when.map((glob) => new PathPattern(glob));
  return paths.some((path) => fits(path, patterns, state.roots));
}

/** Files that stand changed although they must not. Pure. */
export function changedAgainst(
  globs: readonly string[],
  { changed, roots }: Pick<SessionState, "changed" | "roots">,
): string[] {
  const patterns = globs.map((glob) => new PathPattern(glob));
  return [...changed.keys()].filter((path) => fits(path, patterns, roots));
}

function fits(path: string, patterns: readonly PathPattern[], roots: SessionState["roots"]): boolean {
  const root = roots.find((r) => isBelow(r.path, path));
  const below = root === undefined ? path : pathIn(root.path, path);
  // Of a whole folder only its name is known: what a pattern says of something in it counts.
  const whole = path.endsWith("/");
  return patterns.some((pattern) => {
    const hit = pattern.touches(below);
    return hit === "yes" || (whole && hit === "below");
  });
}
