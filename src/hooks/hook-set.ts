import { createHash } from "node:crypto";
import { isBrought, type Hook } from "./hook.ts";
import { type HookEvent } from "./moment.ts";

/** Where hooks of a place come in the order of all (H1): the machine's first, the project's last. */
const ORDER: readonly Hook["source"][] = ["managed", "user", "person", "program", "project", "claude"];

/** All hooks that were read, as one set that is known by its hash (H3). */
export interface HookSet {
  hooks: readonly Hook[];
  /** SHA-256, hex, over all that decides what would run. */
  hash: string;
}

/** The same command for the same subjects of one event, named twice, runs once. */
export function hookSet(hooks: readonly Hook[]): HookSet {
  const inOrder = ORDER.flatMap((source) => hooks.filter((h) => h.source === source));
  const seen = new Set<string>();
  const all = inOrder.filter((hook) => {
    const key = JSON.stringify([
      hook.event,
      hook.matcher,
      hook.run.kind === "command" ? hook.run.command : "",
      isBrought(hook),
    ]);
    if (hook.run.kind === "command" && seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return { hooks: all, hash: createHash("sha256").update(all.map(lineOf).join("\n")).digest("hex") };
}

/** All that decides what would run, in one line. */
export function lineOf({ event, matcher, run, source, file, timeoutMs, inCopy, name }: Hook): string {
  return JSON.stringify([event, matcher, run.kind === "command" ? run.command : name, source, file, timeoutMs, inCopy]);
}

/** The hooks of an event that concern a subject, in their order. Those that a folder brings only where it is trusted (H5). */
export function concerned(set: HookSet, event: HookEvent, subject: string, trusted: boolean): Hook[] {
  return set.hooks.filter((h) => h.event === event && (trusted || !isBrought(h)) && fits(h, event, subject));
}

/** A file is named by its whole path, by its path in the folder or by its last part. */
function fits({ matches }: Hook, event: HookEvent, subject: string): boolean {
  if (event !== "FileChanged") return matches(subject);
  return matches(subject) || matches(subject.slice(subject.lastIndexOf("/") + 1));
}
