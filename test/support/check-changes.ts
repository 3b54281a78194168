import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Root } from "../../src/events/event.ts";
import type { Change, ChangeSet } from "../../src/workspace/change.ts";
import { type Checks, checkChanges, type Drafts } from "../../src/workspace/conflict.ts";
import { type Disk, systemDisk } from "../../src/workspace/land-disk.ts";
import type { Wanted } from "../../src/workspace/select.ts";
import { changesTo } from "./change-set.ts";
import { scratch } from "./scratch.ts";

export const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n";
export const OURS = TEXT.replace("two", "2");
export const BIG = Buffer.alloc((1 << 20) + 1, "x");

export type Act = (dir: string) => void;
export const put =
  (path: string, text: string | Buffer): Act =>
  (dir) =>
    writeFileSync(join(dir, path), text);
export const del =
  (path: string): Act =>
  (dir) =>
    rmSync(join(dir, path), { recursive: true });
export const link =
  (path: string, target: string): Act =>
  (dir) => {
    rmSync(join(dir, path), { recursive: true, force: true });
    symlinkSync(target, join(dir, path));
  };
export const folder =
  (path: string): Act =>
  (dir) => {
    rmSync(join(dir, path), { recursive: true, force: true });
    mkdirSync(join(dir, path));
  };
export const mode =
  (path: string, bits: number): Act =>
  (dir) =>
    chmodSync(join(dir, path), bits);
export const all =
  (...acts: Act[]): Act =>
  (dir) => {
    for (const act of acts) act(dir);
  };
export const none: Act = () => undefined;

/** The change without one of its parts. */
export const lacking =
  (part: "before" | "after" | "tree") =>
  (change: Change): Change => {
    const rest = { ...change };
    delete rest[part];
    return rest;
  };

export interface More {
  base?: string;
  whole?: boolean;
  /** As a scan or a selection gives it. */
  as?: (change: Change) => Change;
  without?: readonly number[];
  checks?: Partial<Checks>;
  disk?: (folder: string) => Disk;
}

/** What the step does to a folder, what the person does to it meanwhile, and what the check says then. */
export async function check(step: Act, person: Act, more: More = {}): Promise<Drafts & { at: string; set: ChangeSet }> {
  const dir = scratch();
  const [at, wanted, stepFolder] = [join(dir, "work"), join(dir, "wanted"), join(dir, "step")];
  for (const path of [at, wanted]) {
    mkdirSync(join(path, "d"), { recursive: true });
    writeFileSync(join(path, "f"), TEXT);
    writeFileSync(join(path, "d/x"), "x\n");
    writeFileSync(join(path, "big"), BIG);
    symlinkSync("f", join(path, "l"));
  }
  step(wanted);
  const since = lstatSync(at, { bigint: true }).ctimeNs + 1n;
  const options = more.whole === undefined ? {} : { whole: more.whole };
  const changes = changesTo(stepFolder, at, wanted, options).map(more.as ?? ((c) => c));
  const set: ChangeSet = { operationId: "op_1", stepFolder, since: String(since), changes };
  person(at);
  const roots: Root[] = [{ path: at, kind: "folder" }];
  const checks: Checks = {
    disk: more.disk?.(at) ?? systemDisk,
    roots,
    set,
    since: { marker: undefined, snapshots: new Map(), indexKeys: new Map(), readIndex: () => undefined },
    becomes: new Set(changes.filter((c) => c.op === "type" && c.after?.type === "folder").map((c) => `0/${c.path}`)),
    returned: new Map(),
    base: async () => (more.base === undefined ? undefined : Buffer.from(more.base)),
    ...more.checks,
  };
  const of = more.without === undefined ? {} : { without: more.without };
  const wantedOnes: Wanted[] = changes.map((change) => ({ change, ...of }));
  return { ...(await checkChanges(checks, wantedOnes)), at, set };
}

/** `path: why` of each conflict. */
export const told = ({ conflicts }: Drafts): string => conflicts.map((c) => `${c.path}: ${c.why}`).join("; ");

/** A fingerprint that must be there. */
export function print<T>(of: T | undefined): T {
  if (of === undefined) throw new Error("no fingerprint");
  return of;
}
