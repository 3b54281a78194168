import type { HookEvent, HookInput } from "./moment.ts";
import type { Matches } from "./matcher.ts";

/** Where a hook is written. Those of a project count only in a trusted folder (H5). */
export type HookSource = "managed" | "user" | "person" | "project" | "claude" | "program";

/** A hook of the program that opened the session. Throws or rejects: it failed. */
export type HookFunction = (input: HookInput, signal: AbortSignal) => unknown;

/** One hook, read and understood. */
export interface Hook {
  event: HookEvent;
  /** As it is told, and as the log knows it. */
  name: string;
  matcher: string;
  matches: Matches;
  source: HookSource;
  /** The file that it is written in; "" for one of the program's own. */
  file: string;
  timeoutMs: number;
  /** For `command`: it runs in the copy (H6). */
  inCopy: boolean;
  run: { kind: "command"; command: string } | { kind: "function"; call: HookFunction };
}

/** Of a hook that names no time limit. */
export const HOOK_TIMEOUT_MS = 60_000;
/** Stop hooks send the model on so often in one message before the person is told, where settings say nothing else. */
export const STOP_ROUNDS = 3;

/** Sources that a folder brings. */
export function isBrought({ source }: Pick<Hook, "source">): boolean {
  return source === "project" || source === "claude";
}
