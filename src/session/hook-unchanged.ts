import type { EventLog } from "../events/log.ts";
import type { LogEvent } from "../events/event.ts";
import { type Hook, isBrought } from "../hooks/hook.ts";
import { lineOf } from "../hooks/hook-set.ts";
import { pathIn, isBelow } from "../workspace/roots.ts";
import { Inside } from "../workspace/inside.ts";
import { toRaw } from "../util/bytes.ts";
import { quoted } from "../util/quoted.ts";
import { filesNamed } from "./named-files.ts";

/**
 * Holds the hooks that a folder brings to the files that they named when it was trusted (H5): one that is other since then is run only where
 * the change came through the door, at which the person is asked about it (P3), or by the person's own undo.
 */
export class HookFiles {
  readonly #log: EventLog;
  /** Of the session, and of its sub-agents' sessions: what lands is told in one of them. */
  readonly #logs: EventLog[];
  /** By hook: hashes of the files that it names, and where the logs stood then. */
  readonly #known = new Map<string, Known>();

  constructor(log: EventLog) {
    this.#log = log;
    this.#logs = [log];
  }

  /** A sub-agent's session has the same hooks, held to the same files. */
  join(log: EventLog): void {
    this.#logs.push(log);
  }

  /** These are trusted as they are now. */
  trust(hooks: readonly Hook[]): void {
    this.#known.clear();
    for (const hook of hooks) {
      if (!isBrought(hook)) continue;
      this.#known.set(lineOf(hook), this.#now(this.#filesOf(hook)));
    }
  }

  /** Why it may not run now; undefined: it may. */
  changed(hook: Hook): string | undefined {
    const known = this.#known.get(lineOf(hook));
    if (known === undefined) return undefined;
    const now = this.#filesOf(hook);
    const other = [...new Set([...known.files.keys(), ...now.keys()])].filter((f) => known.files.get(f) !== now.get(f));
    const unknown = other.find((path) => !this.#landed(path, now.get(path), known.since));
    if (unknown !== undefined)
      return `${quoted(unknown)} is other than when you trusted this folder, so it was not run; /trust to take the trust back and give it anew`;
    if (other.length > 0) this.#known.set(lineOf(hook), this.#now(now));
    return undefined;
  }

  #now(files: ReadonlyMap<string, string>): Known {
    return { files, since: new Map(this.#logs.map((log) => [log, log.state.seq])) };
  }

  /** The last thing that a session knows of it since made it what it is. */
  #landed(path: string, hash: string | undefined, since: Known["since"]): boolean {
    const full = `${this.#log.state.folder}/${path}`;
    return this.#logs.some((log) => {
      const from = since.get(log) ?? 0;
      const last = log.events.findLast((event) => event.seq > from && concerns(event, full, path, log));
      if (last === undefined) return false;
      const touch = "touched" in last ? last.touched?.findLast((t) => t.path === full && t.how !== "read") : undefined;
      return touch === undefined || (touch.how === "deleted" ? hash === undefined : touch.hash === hash);
    });
  }

  #filesOf({ run }: Hook): ReadonlyMap<string, string> {
    const { folder } = this.#log.state;
    if (run.kind !== "command") return new Map();
    const inside = new Inside(folder);
    const below = filesNamed(run.command, { cwd: folder, folder }).filter(
      (path) => path !== folder && isBelow(folder, path),
    );
    return new Map(
      below.flatMap((path): [string, string][] => {
        const name = pathIn(folder, path);
        const seen = inside.look(toRaw(name));
        return seen?.kind === "file" ? [[name, seen.hash]] : [];
      }),
    );
  }
}

interface Known {
  files: ReadonlyMap<string, string>;
  since: ReadonlyMap<EventLog, number>;
}

/** It landed this file, or took a landing of it back. */
function concerns(event: LogEvent, full: string, path: string, log: EventLog): boolean {
  switch (event.type) {
    case "changes.landed": {
      const { roots } = log.state;
      const at = (root: number, name: string): boolean => `${roots[root]?.path ?? ""}/${name}` === full;
      return event.summary.entries.some((e) => at(e.root, e.path) || (e.from !== undefined && at(e.root, e.from)));
    }
    case "changes.undone":
    case "changes.redone":
      return event.paths.some((p) => p === path || p === full);
    case "hook.ran":
      return event.touched?.some((t) => t.path === full && t.how !== "read") ?? false;
    default:
      return false;
  }
}
