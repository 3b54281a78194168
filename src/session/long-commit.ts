import { relative } from "node:path";
import type { SessionEvent } from "../events/event.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { shellWord } from "../util/shell-word.ts";
import { isBelow } from "../workspace/roots.ts";
import { findGit } from "../workspace/git-place.ts";
import { runShell } from "./shell.ts";

/**
 * Commits what this session landed in the folder, and nothing else that is changed there. The command runs in the copy, without hooks; what it
 * does to the repository lands as the person's own `!` would.
 */
export async function* commitLanded(
  title: string,
  deps: LoopDeps,
  signal: AbortSignal,
  tell: (words: string) => void,
): AsyncGenerator<SessionEvent, void> {
  const { folder, changed } = deps.log.state;
  if ((await findGit(folder)) === undefined) return tell("the folder is in no git repository, so nothing is committed");
  const paths = [...changed.keys()].filter((path) => isBelow(folder, path)).map((path) => relative(folder, path));
  if (paths.length === 0) return;
  const { exit, output } = yield* runShell(script(title, paths), deps, signal);
  if (exit !== 0) tell(`not committed: ${output.trim().split("\n").at(-1) ?? `exit code ${exit}`}`);
}

function script(title: string, paths: readonly string[]): string {
  const words = paths.map(shellWord).join(" ");
  return [
    `git --literal-pathspecs add -A -- ${words}`,
    `git --literal-pathspecs diff --cached --quiet -- ${words} && exit 0`,
    `git --literal-pathspecs diff --cached --relative --name-only -z -- ${words} |`,
    `  git --literal-pathspecs -c core.hooksPath=/dev/null commit -q --no-verify --pathspec-from-file=- --pathspec-file-nul -m ${shellWord(title)}`,
  ].join("\n");
}
