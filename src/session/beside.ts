import { join } from "node:path";
import { readRegular } from "../util/regular-file.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { askAside } from "./aside.ts";
import { withResources } from "./attach-resources.ts";
import { attach, filesOf, type Attached } from "./attach.ts";
import type { LiveTexts } from "./live-texts.ts";
import type { LiveParts } from "./live-parts.ts";
import { type MemoryFile, memoryFiles, remember } from "./remember.ts";
import type { ChangeReport } from "./session.ts";
import { contextSizes, type ContextSizes } from "./sizes.ts";

/** What goes on beside the conversation: reading for what is written next, questions and notes that are no part of it. */
export interface Beside {
  /** Files that may be named by `@path`, in pieces as they are found, as `attach` takes them. */
  files(signal: AbortSignal): AsyncGenerator<readonly string[], void>;
  /** The person's words with the files that they name by `@path`, for `submit` or `steer`, and what could not be attached. */
  attach(words: string, signal?: AbortSignal): Promise<Attached>;
  /** Asks the model outside of the conversation, without tools; also while a query runs. Throws with one line where it can't answer. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
  /** What the next request takes of the model's window. */
  sizes(): ContextSizes;
  /** Files that a line for the model can be kept in. */
  memory(): Promise<readonly MemoryFile[]>;
  remember(file: MemoryFile, line: string): Promise<ChangeReport>;
  /** What is read beside the conversation: instructions, notes, skills. */
  texts?: LiveTexts;
  /** The end of what a background shell wrote, at most some thousand letters; undefined where there is none of that name. */
  peek(shellId: string): Promise<string | undefined>;
}

const PEEK_LETTERS = 8000;
const PEEK_BYTES = 64 << 20;

export function besideOf({ options, sandbox, log, texts, servers }: LiveParts, deps: LoopDeps): Beside {
  const never = (): AbortSignal => new AbortController().signal;
  return {
    files: (signal) => filesOf(deps, signal),
    async attach(words, signal = never()) {
      const attached = await attach(words, deps, signal, options.machine.home);
      const at = { servers: servers?.set, dir: join(options.store.results, log.state.id) };
      return withResources(attached, words, at, signal);
    },
    ask: (question, signal = never()) => askAside(question, deps, signal),
    sizes: () => contextSizes(deps),
    memory: () => memoryFiles(deps, options.store.config),
    remember: (file, line) => remember(file, line, deps),
    ...(texts === undefined ? {} : { texts }),
    async peek(shellId) {
      const group = sandbox.groups?.find(shellId);
      if (group === undefined) return undefined;
      const bytes = await readRegular(group.outputFile, { most: PEEK_BYTES }).catch(() => Buffer.alloc(0));
      return log.secrets.mask(bytes.subarray(-4 * PEEK_LETTERS).toString("utf8")).slice(-PEEK_LETTERS);
    },
  };
}
