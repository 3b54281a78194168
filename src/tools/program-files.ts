import { basename, dirname, join } from "node:path";
import type { ChangeSet } from "../workspace/change.ts";
import type { Stage } from "../workspace/workspace.ts";
import { locate, type Place } from "./paths.ts";
import { ToolError } from "./program-error.ts";
import { blockedBy } from "./stage-file.ts";
import { loadBytes, MOST_BYTES, type FileBytes } from "./text-file.ts";
import type { ToolContext } from "./tool.ts";

/**
 * The files of the folder, as the model's own tools see them and with what this call wrote. Paths are relative to the folder, or absolute
 * in it. What can't be done is thrown as a `ToolError`, worded for the model.
 */
export interface ProgramFiles {
  /** A whole file; undefined where there is none. */
  read(path: string): Promise<Buffer | undefined>;
  /** Proposes a file with this content (a text as UTF-8); folders on the way are made. Only for a tool whose effects are "changes". */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Proposes that a file, or a link itself, is gone. Only for a tool whose effects are "changes". */
  remove(path: string): Promise<void>;
}

/** What one call of a program's tool reads and proposes; nothing in the folder is touched. */
export class CallFiles implements ProgramFiles {
  readonly #ctx: ToolContext;
  readonly #mayChange: boolean;
  /** As this call left them, by where they lie; undefined: removed. */
  readonly #left = new Map<string, Buffer | undefined>();
  /** What was read of them before anything was proposed: the base of a merge with what the person does meanwhile. */
  readonly #seen = new Map<string, FileBytes>();
  #stage: Stage | undefined;
  #over = false;
  /** One after the other, however the function calls them. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ctx: ToolContext, mayChange: boolean) {
    this.#ctx = ctx;
    this.#mayChange = mayChange;
  }

  read(path: string): Promise<Buffer | undefined> {
    return this.#next(async () => {
      const place = await this.#place(path);
      if (this.#left.has(place.target)) return this.#left.get(place.target);
      return place.exists ? (await this.#bytes(place)).bytes : undefined;
    });
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#change(path, async (stage) => {
      const bytes = Buffer.from(content);
      if (bytes.length > MOST_BYTES)
        throw new ToolError(`${path}: more than ${MOST_BYTES >> 20} MB can't be proposed.`);
      const place = await this.#place(path);
      const blocked = place.exists ? undefined : await blockedBy(place, this.#ctx);
      if (blocked !== undefined) throw new ToolError(blocked);
      const old = place.exists ? await this.#bytes(place) : undefined;
      await stage.put(place.target, bytes, old?.mode, old?.bytes);
      this.#left.set(place.target, bytes);
    });
  }

  remove(path: string): Promise<void> {
    return this.#change(path, async (stage) => {
      // The entry itself: links are followed up to its folder alone.
      const parent = await this.#place(dirname(path));
      const target = join(parent.target, basename(path));
      if (this.#ctx.hidden?.(target) === true) throw new ToolError(`${path} is kept from you by a deny rule.`);
      const names = parent.exists && parent.type === "folder" ? await this.#ctx.view.list(parent.target) : [];
      const type = names.find(({ name }) => name === basename(target))?.type;
      const there = this.#left.has(target) ? this.#left.get(target) !== undefined : type !== undefined;
      if (!there) throw new ToolError(`No ${path}.`);
      if (type === "folder") throw new ToolError(`${path} is a folder: remove its files.`);
      await stage.remove(target);
      this.#left.set(target, undefined);
    });
  }

  /** What was proposed; nothing is taken any more. */
  async finish(): Promise<ChangeSet | undefined> {
    await this.#queue;
    this.#over = true;
    const stage = this.#stage;
    this.#stage = undefined;
    return await stage?.finish();
  }

  /** Nothing of it is wanted. */
  async drop(): Promise<void> {
    this.#over = true;
    await this.#queue;
    if (this.#stage !== undefined) await this.#ctx.workspace.drop(this.#ctx.operationId);
  }

  #change(path: string, work: (stage: Stage) => Promise<void>): Promise<void> {
    return this.#next(async () => {
      if (!this.#mayChange) throw new TypeError(`${path}: a tool that changes files says effects: "changes"`);
      await work((this.#stage ??= await this.#ctx.workspace.stage(this.#ctx.operationId, this.#ctx.view)));
    });
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#queue.then(() => {
      // A function that was left behind goes on, but nothing comes of it.
      if (this.#over) throw new ToolError("The call is over.");
      return work();
    });
    this.#queue = run.catch(() => undefined);
    return run;
  }

  async #place(path: string): Promise<Place> {
    const place = await locate(path, this.#ctx);
    if (typeof place === "string") throw new ToolError(place);
    if (!place.inside) throw new ToolError(`${path} lies outside the folder.`);
    return place;
  }

  async #bytes(place: Place): Promise<FileBytes> {
    const known = this.#seen.get(place.target) ?? (await loadBytes(place, this.#ctx));
    if (typeof known === "string") throw new ToolError(known);
    this.#seen.set(place.target, known);
    return known;
  }
}
