import type { LoopDeps } from "../loop/deps.ts";
import { attach, filesOf, type Attached } from "./attach.ts";
import type { LiveParts } from "./live.ts";

/** What goes on beside the conversation: reading for what is written next, questions and notes that are no part of it. */
export interface Beside {
  /** Files that may be named by `@path`, in pieces as they are found, as `attach` takes them. */
  files(signal: AbortSignal): AsyncGenerator<readonly string[], void>;
  /** The person's words with the files that they name by `@path`, for `submit` or `steer`, and what could not be attached. */
  attach(words: string, signal?: AbortSignal): Promise<Attached>;
}

export function besideOf({ options }: LiveParts, deps: LoopDeps): Beside {
  return {
    files: (signal) => filesOf(deps, signal),
    attach: (words, signal = new AbortController().signal) => attach(words, deps, signal, options.machine.home),
  };
}
