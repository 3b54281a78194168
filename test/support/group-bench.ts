import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Group } from "../../src/sandbox/group.ts";
import type { Collected } from "../../src/sandbox/group-collect.ts";
import type { Groups } from "../../src/sandbox/groups.ts";
import type { SandboxKind, ShellCommand } from "../../src/sandbox/sandbox.ts";
import { fingerprintOf, hashOf } from "../../src/workspace/fingerprint.ts";
import type { Fingerprint } from "../../src/workspace/change.ts";
import type { Changed } from "../../src/workspace/mirror.ts";
import { LIMITS, over, type SandboxBench } from "./sandbox-bench.ts";

/** A bench with background shells. Plain Node: it also runs in a child under another user. */
export interface GroupBench extends SandboxBench {
  groups: Groups;
  start(command: string, more?: Partial<ShellCommand>): Promise<Group>;
  /** Makes a file what the door would make it, by rename, and tells the shells. */
  land(path: string, text: string | undefined): Promise<void>;
  /** A group's changes as `op path`; `answered`: those that were offered before count as answered. */
  changes(group: Group, answered?: boolean): Promise<string[]>;
  collect(group: Group, answered?: boolean): Promise<Collected>;
  put(path: string, text: string): void;
  text(path: string): string | undefined;
}

/** A server of every file below the folder, on port 3000 of the copy, that never keeps one. */
export const SERVER = "exec python3 -u -m http.server 3000 --bind 127.0.0.1";
/** What a later command gets from it. */
export const fetchIn = (path: string): string =>
  `python3 -c "import urllib.request as r; print(r.urlopen('http://127.0.0.1:3000/${path}').read().decode(), end='')"`;

export async function until(what: () => boolean | Promise<boolean>, why = "it never came"): Promise<void> {
  for (const end = Date.now() + 20_000; !(await what());) {
    if (Date.now() > end) throw new Error(why);
    await new Promise((done) => setTimeout(done, 15));
  }
}

export function overGroups(
  kind: SandboxKind,
  body: (bench: GroupBench) => Promise<void>,
  prepare: (folder: string, base: string) => void = () => undefined,
  denied: readonly string[] = [],
): Promise<void> {
  return over(
    kind,
    async (bench) => {
      const { sandbox, folder } = bench;
      const { groups } = sandbox;
      assert.ok(groups !== undefined, `${kind} has no background shells`);
      let count = 0;
      const asked = (answered: boolean) => ({ layers: [], answered: () => answered });
      const at = (path: string): string => join(folder, path);
      const put: GroupBench["put"] = (path, text) => {
        mkdirSync(dirname(at(path)), { recursive: true });
        writeFileSync(at(path), text);
      };
      try {
        await body({
          ...bench,
          groups,
          put,
          text: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
          start: (command, more = {}) => {
            const n = ++count;
            const whole: ShellCommand = {
              operationId: `op_bg${n}`,
              command,
              cwd: folder,
              env: {},
              mode: "auto",
              network: false,
              layers: [],
              limits: LIMITS,
              ...more,
            };
            return groups.start(whole, `bg_${n}`, new AbortController().signal);
          },
          land: async (path, text) => {
            const stat = lstatSync(at(path), { bigint: true, throwIfNoEntry: false });
            const changed: Changed = {
              root: 0,
              path,
              deep: true,
              ...(stat === undefined ? {} : { before: printed(at(path)) }),
            };
            // The door keeps what it takes away.
            if (text === undefined) renameSync(at(path), join(bench.base, `old-${++count}`));
            else {
              put(`${path}.new`, text);
              renameSync(at(`${path}.new`), at(path));
            }
            await groups.mirror([changed], []);
          },
          changes: async (group, answered = true) =>
            ((await groups.changes(group, asked(answered))) ?? [])
              .map((c) => `${c.op} ${c.path}${c.late === true ? " late" : ""}`)
              .toSorted(),
          collect: async (group, answered = true) => {
            const found = await groups.collect(group, `op_c${++count}`, asked(answered));
            assert.ok(found !== undefined, "it could not be held still");
            return found;
          },
        });
      } finally {
        await sandbox.close();
      }
    },
    { prepare, denied: () => denied },
  );
}

/** As the door has it. */
function printed(path: string): Fingerprint {
  const print = fingerprintOf(lstatSync(path, { bigint: true }));
  return print.type === "file" ? { ...print, hash: hashOf(readFileSync(path)) } : print;
}
