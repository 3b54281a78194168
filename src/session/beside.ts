import { join } from "node:path";
import { readRegular } from "../util/regular-file.ts";
import type { EventLog } from "../events/log.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { askAside } from "./aside.ts";
import { withResources } from "./attach-resources.ts";
import { attach, filesOf, type Attached } from "./attach.ts";
import type { LiveTexts } from "./live-texts.ts";
import type { LiveParts } from "./live-parts.ts";
import { type MemoryFile, memoryFiles, remember } from "./remember.ts";
import type { ChangeReport } from "./session.ts";
import type { FolderTrust } from "./trust.ts";
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

/**
 * A line of the person's own ends no trust and begins none but theirs: what they wrote is used as it was before. In a folder that brought
 * nothing, the file that it makes is not asked about at the next start.
 */
async function ownWords(
  { path, whose }: MemoryFile,
  { log, trust }: { log: EventLog; trust: FolderTrust | undefined },
  write: () => Promise<ChangeReport>,
): Promise<ChangeReport> {
  const before = whose === "user" ? undefined : await trust?.look();
  const report = await write();
  if (!report.ok || before === undefined || trust === undefined) return report;
  const after = await trust.look();
  const own = (id: string): boolean => id === `memory ${path}`;
  if (before.state === "nothing" && after.survey.parts.every((part) => part.kind === "memory" && part.path === path)) {
    trust.say(true, after);
    await log.append({ type: "trust.given", folder: log.state.folder, by: "person", parts: after.survey.hash });
  } else if (before.state === "trusted" && before.texts.length === 0 && after.texts.every(({ id }) => own(id)))
    trust.told(after);
  return report;
}

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
    remember: (file, line) => ownWords(file, { log, trust: options.trust }, () => remember(file, line, deps)),
    ...(texts === undefined ? {} : { texts }),
    async peek(shellId) {
      const group = sandbox.groups?.find(shellId);
      if (group === undefined) return undefined;
      const bytes = await readRegular(group.outputFile, { most: PEEK_BYTES }).catch(() => Buffer.alloc(0));
      return log.secrets.mask(bytes.subarray(-4 * PEEK_LETTERS).toString("utf8")).slice(-PEEK_LETTERS);
    },
  };
}
