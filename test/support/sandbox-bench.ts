import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rule } from "../../src/events/effect.ts";
import type { Root } from "../../src/events/event.ts";
import { hidesOf } from "../../src/permissions/hides.ts";
import type { NetWorld } from "../../src/sandbox/net-dial.ts";
import { openSandbox } from "../../src/sandbox/open.ts";
import { removeTree } from "../../src/sandbox/remove.ts";
import type { Sandbox, SandboxKind, ShellCommand, ShellExit } from "../../src/sandbox/sandbox.ts";
import { systemClock } from "../../src/util/system.ts";
import type { ChangeSet } from "../../src/workspace/change.ts";

/** A sandbox over a fresh folder, without a workspace. Plain Node: it also runs in a child under another user. */
export interface SandboxBench {
  sandbox: Sandbox;
  base: string;
  folder: string;
  personHome: string;
  resultsDir: string;
  steps: string;
  /** Live output in the order it came. */
  run: (
    command: string,
    more?: Partial<ShellCommand>,
    signal?: AbortSignal,
    onText?: (text: string) => void,
  ) => Promise<ShellExit & { live: string[] }>;
  close(): Promise<void>;
}

export interface BenchOptions {
  only?: readonly SandboxKind[];
  /** What commands with hosts find outside. */
  world?: NetWorld;
  /** Programs taken as missing. */
  without?: readonly string[];
  /** Below the bench's own folder. Default "folder". */
  folder?: string;
  roots?: (folder: string, base: string) => readonly Root[];
  env?: Record<string, string>;
  /** Denies for Read, such as `Read(.env)`; asked for each command. */
  denied?: () => readonly string[];
  stateDir?: string;
  /** Lays what settings show beside the roots; `%BASE%` in `env.PATH` is the bench's own folder. */
  shown?: (base: string) => readonly string[];
  /** The state folder below the bench's own. */
  stateBelow?: string;
  prepare?: (folder: string, base: string) => void;
  personHome?: (base: string) => string;
  /** Where steps begin. Default: folders of the bench's own, without a workspace. */
  newStep?: (operationId: string) => Promise<{ stepFolder: string; since: string }>;
}

/** Of all benches of this process: programs taken as missing, another file system for the state. */
export interface Variant {
  without?: readonly string[];
  /** A folder to make state folders in, each in one of its own. Default: beside the folder. */
  stateIn?: string;
}
let variant: Variant = {};
export function useVariant(next: Variant): void {
  variant = next;
}

export const LIMITS = { timeoutMs: 60_000, processes: 512, fileSizeMb: 256, layerMb: 512 };

export async function sandboxBench(options: BenchOptions = {}): Promise<SandboxBench> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "understudy-sandbox-")));
  const folder = join(base, options.folder ?? "folder");
  const personHome = options.personHome?.(base) ?? join(base, "person");
  for (const dir of [folder, personHome]) mkdirSync(dir, { recursive: true });
  options.prepare?.(folder, base);
  const elsewhere = variant.stateIn === undefined ? undefined : mkdtempSync(join(variant.stateIn, "understudy-state-"));
  const stateDir =
    options.stateDir ??
    (elsewhere !== undefined && options.stateBelow === undefined
      ? join(elsewhere, "state")
      : join(base, options.stateBelow ?? "state"));
  const without = options.without ?? variant.without;
  const shown = options.shown?.(base);
  const path = options.env?.["PATH"]?.replaceAll("%BASE%", base) ?? process.env["PATH"];
  const steps = join(stateDir, "steps");
  const resultsDir = join(stateDir, "results");
  const ownStep = (operationId: string): Promise<{ stepFolder: string; since: string }> => {
    const stepFolder = join(steps, operationId);
    mkdirSync(stepFolder, { recursive: true });
    return Promise.resolve({ stepFolder, since: String(statSync(stepFolder, { bigint: true }).ctimeNs) });
  };
  const sandbox = await openSandbox(
    {
      roots: options.roots?.(folder, base) ?? [{ path: folder, kind: "folder" }],
      homeDir: join(stateDir, "sessions", "s.home"),
      personHome,
      stateDir,
      resultsDir,
      ...(shown === undefined ? {} : { shown }),
      env: { ...options.env, PATH: path },
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      ...(options.only === undefined ? {} : { only: options.only }),
      ...(without === undefined ? {} : { without }),
      ...(options.denied === undefined ? {} : { hides: hidesFrom(options.denied) }),
    },
    {
      newStep: options.newStep ?? ownStep,
      clock: systemClock,
      arch: process.arch,
      platform: process.platform,
      ...(options.world === undefined ? {} : { net: { world: options.world } }),
    },
  );
  let count = 0;
  const run: SandboxBench["run"] = async (command, more = {}, signal = new AbortController().signal, onText) => {
    const full: ShellCommand = {
      operationId: `op_${++count}`,
      command,
      cwd: folder,
      env: {},
      mode: "auto",
      network: false,
      layers: [],
      limits: LIMITS,
      ...more,
    };
    const live: string[] = [];
    const running = sandbox.run(full, signal);
    for (;;) {
      const next = await running.next();
      if (next.done === true) return { ...next.value, live };
      // Endless output is not what the bench should measure.
      if (live.length < 1000) live.push(next.value.text);
      onText?.(next.value.text);
    }
  };
  const close = async (): Promise<void> => {
    await sandbox.close();
    for (const dir of [base, ...(elsewhere === undefined ? [] : [elsewhere])]) await removeTree(dir);
  };
  return { sandbox, base, folder, personHome, resultsDir, steps, run, close };
}

function hidesFrom(denied: () => readonly string[]) {
  return () => hidesOf(denied().map((text): Rule => ({ text, action: "deny", source: "user" })));
}

/** One thing that every backend with walls must do. */
export interface Case {
  title: string;
  run(kind: SandboxKind): Promise<void>;
}

/** Runs `body` over a bench of one backend, and leaves nothing. */
export async function over(
  kind: SandboxKind,
  body: (bench: SandboxBench) => Promise<void>,
  options: BenchOptions = {},
): Promise<void> {
  const bench = await sandboxBench({ ...options, only: [kind] });
  try {
    assert.equal(bench.sandbox.kind, kind, bench.sandbox.why.join("; "));
    await body(bench);
  } finally {
    await bench.close();
  }
}

/** `op path` of each change, sorted. */
export function said(set: ChangeSet | undefined): string[] {
  return (set?.changes ?? []).map((c) => `${c.op} ${c.path}${c.late === true ? " late" : ""}`).toSorted();
}
