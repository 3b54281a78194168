import { Inside } from "../workspace/inside.ts";
import { settingsParts } from "./trust-settings.ts";

/**
 * What the folder's servers ran when they were agreed to: one that ended is not started again by itself as something else, which nobody saw.
 * Files that are written by name count, as for the folder's trust.
 */
export class AgreedServers {
  readonly #folder: string;
  readonly #hashes = new Map<string, string>();

  /** @param folder real path. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** They are agreed to as they are now: all, or the one of this name. */
  take(name?: string): void {
    for (const [of, hash] of this.#now()) if (name === undefined || of === name) this.#hashes.set(of, hash);
  }

  /** Why the server of this name may not start; undefined: it is as it was. */
  changed(name: string): string | undefined {
    if (this.#now().get(name) === this.#hashes.get(name)) return undefined;
    return `what it runs changed since you trusted the folder: look at it, then /mcp reconnect ${name} starts it as it is now`;
  }

  #now(): Map<string, string> {
    const { parts } = settingsParts(new Inside(this.#folder), this.#folder);
    return new Map(parts.filter(({ kind }) => kind === "server").map(({ name, hash }) => [name, hash]));
  }
}
