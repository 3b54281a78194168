import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../util/deps.ts";
import { runBare } from "./bare.ts";
import { type CopyParts, type NewStep, runInCopy } from "./copy.ts";
import type { CopyKind } from "./launch.ts";
import { sweepMemory } from "./memory.ts";
import { Pipes } from "./pipes.ts";
import { unfit } from "./place.ts";
import type { Placed } from "./plan.ts";
import { probe, probeKey, remember, remembered } from "./probe.ts";
import { findPrograms, lacking, type Programs } from "./programs.ts";
import type { Sandbox, SandboxKind, SandboxOptions } from "./sandbox.ts";
import { seccompArch } from "./seccomp.ts";
import { systemPlaced } from "./system.ts";

export interface SandboxDeps {
  newStep: NewStep;
  clock: Clock;
  /** `process.arch`. */
  arch: string;
  /** `process.platform`. */
  platform: string;
  /** Asks the machine anew although a good answer is remembered (doctor). */
  fresh?: boolean;
}

/** In order of preference. */
const ORDER: readonly CopyKind[] = ["overlay-root", "overlay-bwrap", "overlay-unshare"];

const NEEDED: Readonly<Record<CopyKind, readonly (keyof Programs)[]>> = {
  "overlay-root": ["bash", "unshare", "mount", "tar", "mkfifo", "bwrap"],
  "overlay-bwrap": ["bash", "unshare", "mount", "tar", "mkfifo", "bwrap"],
  "overlay-unshare": ["bash", "unshare", "mount", "tar", "mkfifo", "setpriv", "pivot_root", "umount"],
};

/**
 * Finds the best backend that works on this machine for these roots, by trying (SANDBOX 2). Never throws for lack of one:
 * then `contained` is false, commands run in the person's folder, and `why` says in one line each what stood in the way.
 */
export async function openSandbox(options: SandboxOptions, deps: SandboxDeps): Promise<Sandbox> {
  for (const dir of [options.stateDir, options.homeDir, options.resultsDir])
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  const roots = options.roots.map((root) => root.path);
  const programs = findPrograms(options.env["PATH"] ?? "", roots);
  const why: string[] = [];
  const pipes = new Pipes(join(options.homeDir, "pipes"), programs);
  const parts = await choose(options, deps, { programs, pipes, why });
  if (parts !== undefined) {
    return {
      kind: parts.kind,
      contained: true,
      why,
      run: (command, signal) => runInCopy(parts, command, signal),
      close: () => Promise.resolve(),
    };
  }
  return {
    kind: "none",
    contained: false,
    why,
    run: (command, signal) => runBare({ options, programs, pipes, clock: deps.clock }, command, signal),
    close: () => Promise.resolve(),
  };
}

interface Found {
  programs: Programs;
  pipes: Pipes;
  why: string[];
}

async function choose(options: SandboxOptions, deps: SandboxDeps, found: Found): Promise<CopyParts | undefined> {
  const { programs, pipes, why } = found;
  const wanted = ORDER.filter((kind) => options.only === undefined || options.only.includes(kind));
  const never = deps.platform === "linux" ? firstUnfit(options) : `no copy on ${deps.platform} yet`;
  if (never !== undefined) {
    why.push(never);
    return undefined;
  }
  for (const kind of wanted) {
    const reason = refusal(kind, options, deps, programs);
    if (reason !== undefined) {
      why.push(`${kind}: ${reason}`);
      continue;
    }
    let system: Placed[] | undefined;
    await sweepMemory(options.uid);
    for (const uppers of ["step", "memory"] as const) {
      const base = {
        options,
        // Read with the first command: it takes as long as much else of the start.
        get system() {
          return (system ??= systemPlaced());
        },
        uppers,
        root: kind === "overlay-root",
        busy: new Set<string>(),
      };
      const { newStep, clock, arch } = deps;
      const parts: CopyParts = { kind, base, programs, pipes, newStep, clock, arch };
      const failed = await tried(parts, deps.fresh === true);
      if (failed === undefined) return parts;
      why.push(`${kind}${uppers === "memory" ? " in memory" : ""}: ${failed}`);
    }
  }
  return undefined;
}

async function tried(parts: CopyParts, fresh: boolean): Promise<string | undefined> {
  const { stateDir } = parts.base.options;
  const key = probeKey(parts);
  if (!fresh && remembered(stateDir).has(key)) return undefined;
  const failed = await probe(parts);
  if (failed === undefined) remember(stateDir, key);
  return failed;
}

function firstUnfit(options: SandboxOptions): string | undefined {
  for (const root of options.roots) {
    const reason = unfit(root.path);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Why a backend is not even tried. */
function refusal(
  kind: SandboxKind & CopyKind,
  options: SandboxOptions,
  deps: SandboxDeps,
  programs: Programs,
): string | undefined {
  // With one user mapped, files of all others would be unreadable to root (SANDBOX H5).
  if (options.uid === 0 && kind !== "overlay-root") return "not for root";
  if (options.uid !== 0 && kind === "overlay-root") return "only for root";
  const lack = lacking(programs, NEEDED[kind]);
  if (lack !== undefined) return lack === "bwrap" ? "bubblewrap is not installed" : `${lack} is not installed`;
  if (kind !== "overlay-unshare" && seccompArch(deps.arch) === undefined)
    return `no system call filter for ${deps.arch}`;
  return undefined;
}
