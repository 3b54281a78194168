import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RawPath, showPath } from "../util/bytes.ts";
import { type Change, upperOf } from "../workspace/change.ts";
import type { Changed } from "../workspace/mirror.ts";
import { openTree } from "../workspace/tree.ts";
import type { CopyParts } from "./copy.ts";
import { type Forward, Forwards } from "./group-forward.ts";
import { BEGAN, Group, type GroupInfo } from "./group.ts";
import type { Collected, CollectDeps } from "./group-collect.ts";
import { lostHint } from "./hidden-hints.ts";
import { lostCovered } from "./hidden-lost.ts";
import { type NetSpace, openNetSpace } from "./group-net.ts";
import type { ShellCommand } from "./sandbox.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Whether a backend can have background shells: layers over the folder, put up by bubblewrap. */
export function canGroup({ kind, launcher, programs }: CopyParts): boolean {
  return kind !== "copy-bind" && launcher === "bwrap" && programs.nsenter !== undefined;
}

/** Of one session at a time: a runaway loop of servers has to end somewhere. */
const MOST = 16;

/** How changes are collected: by the layers and the log of the session as they are now. */
export type Asked = Pick<CollectDeps, "layers" | "answered">;

/**
 * The background shells of a session (SANDBOX 0.4). Each has mounts of its own; they and the commands that are started while one of
 * them lives share one network. All of them end with `close`, or with the program.
 */
export class Groups {
  readonly #parts: CopyParts;
  readonly #groups = new Map<string, Group>();
  readonly #owners = new Map<number, string | undefined>();
  #closed = false;
  #net: NetSpace | undefined;
  #forwards: Forwards | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(parts: Omit<CopyParts, "joined">) {
    this.#parts = { ...parts, joined: () => this.joined() };
  }

  /** The parts for a command of the session: it joins the network as long as a group lives in it. */
  get parts(): CopyParts {
    return this.#parts;
  }

  /** Descriptors of the network that commands join now; undefined: each has its own. */
  joined(): readonly number[] | undefined {
    return this.living().length > 0 ? this.#net?.fds : undefined;
  }

  living(): readonly Group[] {
    return [...this.#groups.values()].filter((group) => group.end === undefined);
  }

  all(): readonly Group[] {
    return [...this.#groups.values()];
  }

  find(id: string): Group | undefined {
    return this.#groups.get(id);
  }

  /** Starts a command that goes on. Throws `SandboxError` when it can't be started. */
  async start(command: ShellCommand, id: string, signal: AbortSignal): Promise<Group> {
    if (this.#closed) throw new SandboxError("the session has ended");
    if (this.living().length >= MOST) throw new SandboxError(`${MOST} background shells run already; end one first`);
    const { programs, base } = this.#parts;
    if (programs.nsenter === undefined) throw new SandboxError("nsenter (util-linux) is not installed");
    if (!command.network) this.#net ??= await openNetSpace(programs, base.root);
    const fds = command.network ? undefined : this.#net?.fds;
    const group = await Group.start({ ...this.#parts, joined: () => fds }, command, id, signal, (ended) =>
      this.#ended(ended),
    );
    if (this.#closed) await group.kill();
    this.#groups.set(id, group);
    this.#changed();
    return group;
  }

  /** Calls back when one was started, and when one has ended. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #ended(group: Group): void {
    for (const [port, owner] of this.#owners) {
      if (owner === group.info.id || this.living().length === 0) this.#closePort(port);
    }
    this.#changed();
  }

  #closePort(port: number): void {
    this.#owners.delete(port);
    this.#forwards?.close(port);
  }

  /** One of an earlier run of the program; undefined where nothing is left of it. */
  reopen(info: GroupInfo, stepFolder: string): Group | undefined {
    const known = this.#groups.get(info.id);
    if (known !== undefined) return known;
    const began = join(stepFolder, BEGAN);
    // Layers in memory are gone with the program.
    if (!existsSync(began) || !existsSync(upperOf(stepFolder, 0))) return undefined;
    const outputFile = join(this.#parts.base.options.resultsDir, `${info.operationId}.txt`);
    const at = { stepFolder, since: readFileSync(began, "utf8"), outputFile };
    const group = Group.reopen(info, at, this.#parts.clock);
    this.#groups.set(info.id, group);
    return group;
  }

  /** Writes what changed in the person's folder into every living group's view. Never throws: a group that can't take it says so. */
  async mirror(changed: readonly Changed[], layers: readonly string[]): Promise<void> {
    const living = this.living();
    if (living.length === 0 || changed.length === 0) return;
    const { options, hidden } = this.#parts.base;
    const { roots } = options;
    const kept = { roots, hidden: (path: RawPath) => hidden.isHidden(showPath(path)) };
    await Promise.all(
      living.map(async (group) => {
        try {
          await group.mirror(kept, await openTree(roots, layers), changed);
        } catch (error) {
          group.trouble = error instanceof Error ? error.message : String(error);
        }
      }),
    );
  }

  /** What a group changed so far and nobody was asked about. Undefined where it can't be told right now. */
  changes(group: Group, asked: Asked): Promise<readonly Change[] | undefined> {
    return group.changes(this.#deps(asked));
  }

  /** Brings a group's changes into the step of an operation. Undefined where that can't be done right now. */
  async collect(group: Group, operationId: string, asked: Asked): Promise<Collected | undefined> {
    const step = await this.#parts.newStep(operationId);
    const collected = await group.collect(this.#deps(asked), { operationId, ...step });
    return collected === undefined ? undefined : await this.#withoutHidden(collected, asked);
  }

  /** Nothing is brought of a set that would land what the group saw instead of what rules hide. */
  async #withoutHidden(collected: Collected, { layers }: Asked): Promise<Collected> {
    const { options, hidden } = this.#parts.base;
    const covered = (await hidden.find({ layers })).map(({ path }) => path);
    const lost = await lostCovered(options.roots, layers, collected.set, covered);
    if (lost.length === 0) return collected;
    return { ...collected, set: { ...collected.set, changes: [] }, lost: lostHint(options.roots, lost) };
  }

  #deps(asked: Asked): CollectDeps {
    const { base, programs } = this.#parts;
    return { ...asked, roots: base.options.roots, programs, root: base.root };
  }

  /**
   * Opens a port of the session's network on the machine's loopback, for the person alone; it ends with `owner`, or with the last
   * group. Throws `SandboxError`.
   */
  async openPort(port: number, owner?: string): Promise<Forward> {
    const { nsenter } = this.#parts.programs;
    if (this.#net === undefined || nsenter === undefined || this.living().length === 0)
      throw new SandboxError("no background shell runs in the copy's network");
    this.#forwards ??= new Forwards({ nsenter, root: this.#parts.base.root, fds: this.#net.fds });
    const forward = await this.#forwards.open(port);
    this.#owners.set(port, owner);
    return forward;
  }

  ports(): readonly Forward[] {
    return this.#forwards?.list() ?? [];
  }

  /** Forgets a group that has ended, with all that is left of it. */
  async forget(group: Group): Promise<void> {
    this.#groups.delete(group.info.id);
    await group.remove();
  }

  /** Ends all of them. What they changed stays in their step folders. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#forwards?.closeAll();
    await Promise.all(this.living().map((group) => group.kill()));
    this.#net?.close();
    this.#net = undefined;
  }
}
