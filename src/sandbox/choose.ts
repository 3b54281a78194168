import { Clones } from "./clones.ts";
import type { CopyParts } from "./copy.ts";
import { Hidden } from "./hidden-cover.ts";
import { HomeMounts } from "./home-mounts.ts";
import type { CopyKind, Launcher } from "./launch.ts";
import { sweepMemory } from "./memory.ts";
import type { SandboxDeps } from "./open.ts";
import type { Pipes } from "./pipes.ts";
import { unfitForOverlay } from "./place.ts";
import type { Placed } from "./plan.ts";
import { probe, probeKey, remember, remembered } from "./probe.ts";
import { lacking, type Programs } from "./programs.ts";
import type { SandboxOptions } from "./sandbox.ts";
import { seccompArch } from "./seccomp.ts";
import { systemPlaced } from "./system.ts";

/** What every backend is made of; `why` gets a line for each that can't be used. */
export interface Found {
  programs: Programs;
  pipes: Pipes;
  why: string[];
}

/** In order of preference. */
const ORDER: readonly CopyKind[] = ["overlay-root", "overlay-bwrap", "overlay-unshare", "copy-bind"];

/** One way to run a backend. */
interface Variant {
  launcher: Launcher;
  uppers: "step" | "memory";
  caches: boolean;
}

const NEEDED: Readonly<Record<Launcher, readonly (keyof Programs)[]>> = {
  bwrap: ["bash", "unshare", "mount", "tar", "mkfifo", "bwrap"],
  stage: ["bash", "tar", "mkfifo", "perl"],
};

const MISSING: Readonly<Partial<Record<string, string>>> = {
  bwrap: "bubblewrap is not installed",
  perl: "perl is not installed, which stands in for bubblewrap and loads the system call filter",
};

function variantsOf(kind: CopyKind): readonly Variant[] {
  const overlay = (launcher: Launcher): Variant[] =>
    (["step", "memory"] as const).map((uppers) => ({ launcher, uppers, caches: true }));
  switch (kind) {
    case "overlay-root":
    case "overlay-bwrap":
      return overlay("bwrap");
    case "overlay-unshare":
      return overlay("stage");
    case "copy-bind":
      // Caches are overlays: where there are none at all, commands begin with empty ones.
      return (["bwrap", "stage"] as const).flatMap((launcher) =>
        [true, false].map((caches): Variant => ({ launcher, uppers: "step", caches })),
      );
  }
}

/** The first backend that passes its trial, on Linux. */
export async function choose(options: SandboxOptions, deps: SandboxDeps, found: Found): Promise<CopyParts | undefined> {
  const { programs, pipes, why } = found;
  const { newStep, clock, arch } = deps;
  await sweepMemory(options.uid);
  const clones = new Clones(options, programs);
  await clones.sweep();
  const home = new HomeMounts(options);
  const hidden = new Hidden(options);
  let system: Placed[] | undefined;
  for (const kind of ORDER.filter((each) => options.only === undefined || options.only.includes(each))) {
    const reason = await refusal(kind, options, clones);
    if (reason !== undefined) {
      // Which user a backend is for is no reason that anybody could mend.
      if (options.only !== undefined || !/^(not|only) for root$/.test(reason)) why.push(`${kind}: ${reason}`);
      continue;
    }
    const reasons = new Set<string>();
    for (const { launcher, uppers, caches } of variantsOf(kind)) {
      const lack = unable(launcher, programs, arch);
      if (lack !== undefined) {
        reasons.add(`${kind}: ${lack}`);
        continue;
      }
      const base = {
        options,
        // Read with the first command: it takes as long as much else of the start.
        get system() {
          return (system ??= systemPlaced());
        },
        uppers,
        caches,
        root: options.uid === 0,
        busy: new Set<string>(),
        home,
        hidden,
      };
      const parts: CopyParts = {
        kind,
        launcher,
        base,
        clones,
        keepClones: true,
        programs,
        pipes,
        newStep,
        clock,
        arch,
        ...(deps.net === undefined ? {} : { net: deps.net }),
      };
      const failed = await tried(parts, deps.fresh === true);
      if (failed === undefined) {
        why.push(...reasons);
        return parts;
      }
      reasons.add(`${kind}${uppers === "memory" ? " in memory" : ""}: ${failed}`);
    }
    why.push(...reasons);
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

/** Why a backend is not even tried. */
async function refusal(kind: CopyKind, options: SandboxOptions, clones: Clones): Promise<string | undefined> {
  switch (kind) {
    // With one user mapped, files of all others would be unreadable to root (SANDBOX H5).
    case "overlay-bwrap":
      return options.uid === 0 ? "not for root" : overlayRefusal(options);
    case "overlay-root":
      return options.uid === 0 ? overlayRefusal(options) : "only for root";
    case "overlay-unshare":
      return overlayRefusal(options);
    case "copy-bind": {
      const bound = await clones.bound([]);
      return typeof bound === "string" ? bound : undefined;
    }
  }
}

function overlayRefusal(options: SandboxOptions): string | undefined {
  return options.roots.map((root) => unfitForOverlay(root.path)).find((reason) => reason !== undefined);
}

function unable(launcher: Launcher, programs: Programs, arch: string): string | undefined {
  const lack = lacking(programs, NEEDED[launcher]);
  if (lack !== undefined) return MISSING[lack] ?? `${lack} is not installed`;
  return seccompArch(arch) === undefined ? `no system call filter for ${arch}` : undefined;
}
