import { lstatSync, readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import type { SessionEvent, Touch } from "../events/event.ts";
import type { LoopDeps } from "./deps.ts";
import { runHooks } from "./run-hooks.ts";

/** Files that are looked at before a turn, the newest ones; none larger. */
const MOST_FILES = 200;
const MOST_BYTES = 1 << 20;

/** What was last told of a file, by session: a change is told once. */
const told = new WeakMap<object, Map<string, string>>();

/**
 * FileChanged hooks: for files that the model has read or written and somebody else changed or took away since. Looked at before each turn,
 * where there are such hooks.
 */
export async function* fileHooks(deps: LoopDeps, signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
  const { hooks, log } = deps;
  const touched = [...log.state.touched.values()].slice(-MOST_FILES);
  for (const touch of touched) {
    if (hooks === undefined || hooks.concerned("FileChanged", touch.path).length === 0) continue;
    const now = stateOf(touch);
    if (now === undefined || known(log).get(touch.path) === `${touch.hash} ${now}`) continue;
    known(log).set(touch.path, `${touch.hash} ${now}`);
    const event = now === "gone" ? "unlink" : "change";
    yield* runHooks("FileChanged", { file_path: touch.path, event }, deps, signal);
  }
}

function known(log: LoopDeps["log"]): Map<string, string> {
  const found = told.get(log) ?? new Map<string, string>();
  told.set(log, found);
  return found;
}

/** Its hash now, or "gone"; undefined: as it was, or not looked into. */
function stateOf({ path, hash }: Touch): string | undefined {
  if (hash === "") return undefined;
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > MOST_BYTES) return undefined;
    const now = createHash("sha256").update(readFileSync(path)).digest("hex");
    return now === hash ? undefined : now;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "gone" : undefined;
  }
}
