import { type CopyParts, runInCopy } from "./copy.ts";
import { removeTree } from "./remove.ts";
import type { ShellCommand, ShellExit } from "./sandbox.ts";

/** A command that ran longer is not run twice. */
const MAX_MS = 30_000;

/**
 * What an overlay says where a plain folder would have obeyed: rename(2) of a folder of a lower layer (SANDBOX H3), changing a
 * file whose owner or group is none of the copy's (H6). Words of the C library, Node, Python, Go and Rust.
 */
const REFUSED =
  /EXDEV|cross-device link|os error 18\b|EOVERFLOW|Value too large for (defined data type|data type)|os error 75\b/i;

/** True when the overlay itself may have made a command fail, and running it once more does no harm (SANDBOX 0.7). */
export function worthRetry(
  exit: ShellExit,
  command: Pick<ShellCommand, "network" | "hosts" | "outside" | "mode">,
): boolean {
  const failed = exit.reason === "exit" && exit.code !== 0 && exit.changes !== undefined;
  // What left the copy is done already.
  const left = command.network || command.hosts !== undefined || command.outside !== undefined;
  return failed && !left && command.mode !== "plan" && exit.durationMs <= MAX_MS && REFUSED.test(exit.output);
}

/**
 * Runs a command in the copy; one that an overlay refused is run again on a clone of the same state, which refuses nothing of
 * that kind. A disposable copy makes that free of effects: what the first run changed is dropped, only the second is told.
 */
export async function* runRetried(
  parts: CopyParts,
  command: ShellCommand,
  signal: AbortSignal,
): AsyncGenerator<{ text: string }, ShellExit> {
  const exit = yield* runInCopy(parts, command, signal);
  // A clone has no part in the network of background shells.
  const alone = parts.joined?.() === undefined;
  if (parts.kind === "copy-bind" || signal.aborted || !alone || !worthRetry(exit, command)) return exit;
  // Before the first run's step folder is given up for the second's.
  const bound = await parts.clones.bound(command.layers);
  if (typeof bound === "string") return { ...exit, hints: [...exit.hints, `it was not run on a plain copy: ${bound}`] };
  for (const path of [exit.changes?.stepFolder, exit.outputFile]) if (path !== undefined) await removeTree(path);
  const again = yield* runInCopy({ ...parts, kind: "copy-bind", keepClones: false }, command, signal);
  return { ...again, retriedOn: "copy-bind" };
}
