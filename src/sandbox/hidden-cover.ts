import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { upperOf } from "../workspace/change.ts";
import { isBelow } from "../workspace/roots.ts";
import { type HiddenPath, HiddenWalk, type Searched } from "./hidden-walk.ts";
import type { Below } from "./plan.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { SandboxOptions, ShellCommand } from "./sandbox.ts";
import { shownNow } from "./shown.ts";

/** Each is a mount of its own, and more would cost a command more than its start. */
const MOST = 500;
/** In the step folder: what stands for a hidden folder. */
const CLOSED = "closed";

/** What deny rules for Read keep from the commands of a session (P6). */
export class Hidden {
  readonly #options: SandboxOptions;
  readonly #walk = new HiddenWalk();

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /**
   * What is there now, with the layers over the roots, and is hidden. Empty without such a rule. Throws `SandboxError` where it can't be
   * told, or is too much: then no command runs.
   */
  async find({ layers, outside = [] }: Pick<ShellCommand, "layers" | "outside">): Promise<readonly HiddenPath[]> {
    const hides = this.#options.hides?.();
    if (hides === undefined) return [];
    const roots = this.#options.roots.map((root, n) => ({ ...root, n })).filter((root) => root.kind !== "git");
    if (hides.touches("") === "yes")
      throw new SandboxError("a deny rule for Read hides the whole folder, so no command can work in it");
    const folders = [
      ...roots.flatMap(({ path, n }): Searched[] =>
        [path, ...layers.map((layer) => upperOf(layer, n))].map((at) => ({ at, shown: path, name: "" })),
      ),
      ...[...shownNow(this.#options), ...outside].map(({ path }): Searched => ({
        at: path,
        shown: path,
        name: `${path}/`,
      })),
    ];
    const found = await this.#walk.find(folders, hides);
    if (found.length > MOST)
      throw new SandboxError(
        `deny rules for Read hide ${found.length.toLocaleString("en")} files, more than the ${MOST} that can be hidden from a command one by one: a rule that names their folder is enough for all in it`,
      );
    return found;
  }

  /** Whether a path of a root is hidden, in itself or by a folder above it. */
  isHidden(path: string): boolean {
    return this.#options.hides?.()?.touches(path) === "yes";
  }
}

/**
 * How they are covered: a file by a device that nobody can open there, a folder by one that is empty and closed. Both are mounts, so they
 * can be neither changed nor moved nor removed, and reading them fails, for root too, but for the listing of a folder.
 */
export function coversOf(hidden: readonly HiddenPath[], stepFolder: string): Below[] {
  if (hidden.length === 0) return [];
  const closed = join(stepFolder, CLOSED);
  mkdirSync(closed, { recursive: true });
  chmodSync(closed, 0);
  return hidden.map(({ path, kind }): Below => {
    return kind === "file" ? { kind: "blank", at: path } : { kind: "read", at: path, from: closed };
  });
}

/** What is to be shown, but for what lies in a hidden folder: there is no place for it. */
export function outOfHidden<P extends Below>(hidden: readonly HiddenPath[], shown: readonly P[]): P[] {
  const folders = hidden.filter(({ kind }) => kind === "folder");
  return shown.filter((placed) => !folders.some(({ path }) => path !== placed.at && isBelow(path, placed.at)));
}
