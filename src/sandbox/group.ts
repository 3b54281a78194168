import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GroupEnd } from "../events/event.ts";
import type { Clock } from "../util/deps.ts";
import { liveMask } from "../util/secrets/secrets.ts";
import { asItComes } from "../util/secrets/stream.ts";
import type { Change } from "../workspace/change.ts";
import type { Changed } from "../workspace/mirror.ts";
import type { Tree } from "../workspace/tree.ts";
import { baseEnv } from "./env.ts";
import type { CopyParts } from "./copy.ts";
import { launch } from "./copy.ts";
import type { Ending } from "./follow.ts";
import { type Collected, type CollectDeps, collect, ownChanges } from "./group-collect.ts";
import { whileStopped } from "./group-freeze.ts";
import { Known } from "./group-known.ts";
import { mirror, type MirrorParts } from "./group-mirror.ts";
import { Unread } from "./group-output.ts";
import { GroupView } from "./group-view.ts";
import type { NetReport } from "./net.ts";
import { withoutPasswords } from "./net-env.ts";
import type { NetHost } from "./net-host.ts";
import { Output } from "./output.ts";
import { removeTree } from "./remove.ts";
import type { ShellCommand } from "./sandbox.ts";
import { notStarted, SandboxError } from "./sandbox-error.ts";
import { readState, stateBytes } from "./shell.ts";
import { type ReadyStep, readyStep } from "./step.ts";
import { shownNow } from "./shown.ts";
import { VISIBLE } from "./system.ts";

/** In the step folder: since when what somebody else changes is later than the group. */
export const BEGAN = "began";
/** Output is taken no faster than this, so that a shell that says the same for ever costs little. */
const BYTES_A_ROUND = 1 << 20;
const ROUND_MS = 50;
/** Paths that are written while the group stands still. */
const FEW = 200;
const LIFE_MS = 2 ** 30;
const START_MS = 30_000;

export interface GroupInfo {
  id: string;
  operationId: string;
  command: string;
}

/**
 * What one command at a time has is none of a group's, which may live for hours: it takes layers of its own for caches, and gets no
 * unix sockets, by which a command could hand it descriptors of its layer, to be written into after it was looked at.
 */
class AllTaken extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/** A command that goes on in the background, in mounts of its own, with all that it started. */
export class Group {
  readonly info: GroupInfo;
  readonly stepFolder: string;
  /** The whole output, for the model to Read. */
  readonly outputFile: string;
  readonly known: Known;
  readonly unread = new Unread();
  /** Paths that both the group and somebody else changed since it last had them in common. */
  readonly clashes = new Set<string>();
  /** What an earlier run of the program had of its output was told again. */
  reread = false;
  /** What it asked for by `hosts`, and what went through the proxy so far. */
  hosts: readonly NetHost[] = [];
  net: () => NetReport = () => ({ uses: [], refusals: [] });
  /** Why something could not be written into its view. */
  trouble: string | undefined;
  readonly #since: string;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #end: GroupEnd | undefined;
  #over: Promise<void> = Promise.resolve();
  #first: () => number | undefined = () => undefined;
  #view: GroupView | undefined;
  #mirroring: Promise<unknown> = Promise.resolve();
  #inMemory: readonly string[] = [];

  private constructor(info: GroupInfo, at: { stepFolder: string; since: string; outputFile: string }, clock: Clock) {
    this.info = info;
    this.stepFolder = at.stepFolder;
    this.outputFile = at.outputFile;
    this.#since = at.since;
    this.#clock = clock;
    this.known = new Known(at.stepFolder);
  }

  /** Starts one; resolves when the command runs. Throws `SandboxError` when it can't. */
  static async start(
    parts: CopyParts,
    command: ShellCommand,
    id: string,
    signal: AbortSignal,
    onEnd: (group: Group) => void,
  ): Promise<Group> {
    const { base, clock } = parts;
    const { options } = base;
    const { operationId } = command;
    const at = await parts.newStep(operationId);
    const outputFile = join(options.resultsDir, `${operationId}.txt`);
    const group = new Group({ id, operationId, command: command.command }, { ...at, outputFile }, clock);
    writeFileSync(join(at.stepFolder, BEGAN), at.since);
    writeFileSync(outputFile, "", { mode: 0o600 });
    group.hosts = command.hosts ?? [];
    const vars = baseEnv(withoutPasswords(options.env), {
      home: options.personHome,
      visible: [...VISIBLE, options.personHome, ...shownNow(options).map(({ path }) => path)],
      roots: options.roots.map((root) => root.path),
      network: command.network,
      hosts: command.hosts !== undefined,
    });
    const own = { ...base, system: base.system, busy: new AllTaken() };
    const made = async (): Promise<ReadyStep> => {
      const hidden = await base.hidden.find(command);
      return readyStep(own, command, at.stepFolder, { ...vars, ...command.env }, { hidden });
    };
    const ready = await made().catch(async (error: unknown) => {
      await removeTree(at.stepFolder);
      throw notStarted(error);
    });
    group.#over = group.#run({ ...parts, base: own }, command, ready, onEnd);
    await group.#begun(base.root, signal);
    return group;
  }

  /** One of an earlier run of the program, which ended with it: what it changed and said is still there. */
  static reopen(info: GroupInfo, at: { stepFolder: string; since: string; outputFile: string }, clock: Clock): Group {
    const group = new Group(info, at, clock);
    group.#end = { reason: "lost", code: null, signal: null };
    return group;
  }

  async #run(parts: CopyParts, command: ShellCommand, ready: ReadyStep, onEnd: (group: Group) => void): Promise<void> {
    this.#inMemory = ready.inMemory;
    // Of two characters: everything goes to the file at once, nothing but that is kept.
    const { secrets } = parts.base.options;
    const output = new Output(2, this.outputFile, secrets?.stream());
    // A key may lie over the border of two reads.
    const unread = secrets === undefined ? asItComes : liveMask(secrets);
    let ending: Ending | undefined;
    let failed: string | undefined;
    try {
      const limits = { ...command.limits, timeoutMs: LIFE_MS };
      const run = launch(parts, { ...command, limits }, this.#stop.signal, {
        stepFolder: this.stepFolder,
        ready,
        output,
        cloned: undefined,
        seen: (first) => (this.#first = first),
        net: (report) => (this.net = report),
      });
      let taken = 0;
      let next = await run.next();
      for (; next.done !== true; next = await run.next()) {
        this.unread.add(unread.push(next.value.text));
        taken += next.value.text.length;
        if (taken < BYTES_A_ROUND) continue;
        taken = 0;
        await this.#clock.sleep(ROUND_MS, this.#stop.signal);
      }
      ending = next.value;
    } catch (error) {
      failed = error instanceof Error ? error.message : String(error);
    }
    this.unread.add(unread.end());
    ready.left();
    output.finish();
    this.#view?.close();
    this.#view = undefined;
    this.#end = endOf(ending, failed);
    for (const name of ready.own) if (name !== "sh") await removeTree(join(this.stepFolder, name));
    onEnd(this);
  }

  /** Waits until the shell runs inside of its own mounts: only then is there a view to write into. */
  async #begun(root: boolean, signal: AbortSignal): Promise<void> {
    const state = join(this.stepFolder, "sh", "state");
    for (let waited = 0; this.#end === undefined; waited += 5) {
      if (readState(stateBytes(state)).started) {
        const pid = this.#first();
        if (pid !== undefined) {
          try {
            this.#view = new GroupView(pid, root);
          } catch {
            // It has ended already; what it said and changed is told as of any.
          }
          return;
        }
      }
      if (waited > START_MS || signal.aborted) {
        await this.kill();
        await removeTree(this.stepFolder);
        throw new SandboxError(signal.aborted ? "it was stopped" : "the command did not start in time");
      }
      await this.#clock.sleep(5);
    }
    if (!readState(stateBytes(state)).started && this.#end.reason !== "killed") {
      const said = this.#end.limit ?? this.unread.take().text.trim().slice(0, 500);
      await removeTree(this.stepFolder);
      throw new SandboxError(`the command could not be started: ${said || `code ${this.#end.code}`}`);
    }
  }

  get end(): GroupEnd | undefined {
    return this.#end;
  }

  /** Ends all of it; resolves when nothing of it is left. */
  async kill(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  /** Resolves when the group has ended, or after so long. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    signal?.addEventListener("abort", abort);
    await Promise.race([this.#over, this.#clock.sleep(ms, stop.signal)]);
    signal?.removeEventListener("abort", abort);
    stop.abort();
  }

  /** Writes what changed in the person's folder into the group's view, one call after another. */
  mirror(
    { roots, hidden }: Pick<MirrorParts, "roots" | "hidden">,
    tree: Tree,
    changed: readonly Changed[],
  ): Promise<void> {
    const done = this.#mirroring.then(async () => {
      const view = this.#view;
      if (view === undefined) return;
      const { stepFolder, known } = this;
      const write = (): Promise<Changed[]> => mirror({ stepFolder, roots, view, known, hidden }, tree, changed);
      const first = changed.length <= FEW && !changed.some((c) => c.deep === true) ? this.#first() : undefined;
      // It may neither read half a file, nor change what is about to be written over. What is more takes too long for that.
      const still = first === undefined ? undefined : await whileStopped(first, this.#clock, write);
      const clashes = still === undefined ? await write() : still.got;
      for (const { root, path } of changed) this.clashes.delete(`${root}/${path}`);
      for (const { root, path } of clashes) this.clashes.add(`${root}/${path}`);
    });
    this.#mirroring = done.catch(() => undefined);
    return done;
  }

  /** What it changed so far and nobody was asked about. Undefined where it can't be told right now. */
  async changes(deps: CollectDeps): Promise<readonly Change[] | undefined> {
    return await this.#still(() => ownChanges(this.#layered(), deps));
  }

  /** Brings what it changed into a step. Undefined where that can't be done right now. */
  async collect(deps: CollectDeps, step: Parameters<typeof collect>[2]): Promise<Collected | undefined> {
    return await this.#still(() => collect(this.#layered(), deps, step));
  }

  #layered(): Parameters<typeof collect>[0] {
    return { stepFolder: this.stepFolder, since: this.#since, known: this.known, ended: this.#end !== undefined };
  }

  /** While nothing of it runs, and nothing of ours is written into it. */
  async #still<T>(work: () => Promise<T>): Promise<T | undefined> {
    const turn = this.#mirroring.then(async () => {
      const first = this.#end === undefined ? this.#first() : undefined;
      if (first === undefined) return { got: await work() };
      return whileStopped(first, this.#clock, work);
    });
    this.#mirroring = turn.catch(() => undefined);
    return (await turn)?.got;
  }

  /** Removes all that is left of one that has ended. */
  async remove(): Promise<void> {
    for (const path of [this.stepFolder, ...this.#inMemory]) await removeTree(path);
  }

  /** Its output once more, of one that an earlier run of the program had: the end of the file. */
  tail(chars: number): string {
    try {
      return readFileSync(this.outputFile, "utf8").slice(-chars);
    } catch {
      return "";
    }
  }
}

function endOf(ending: Ending | undefined, failed: string | undefined): GroupEnd {
  if (ending === undefined) return { reason: "limit", code: null, signal: null, limit: failed ?? "it failed" };
  const { code, signal, reason, limit } = ending;
  if (reason === "interrupted") return { reason: "killed", code: null, signal };
  if (reason === "exit") return { reason: "exit", code, signal };
  return { reason: "limit", code: null, signal, ...(limit === undefined ? {} : { limit }) };
}
