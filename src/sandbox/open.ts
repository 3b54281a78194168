import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../util/deps.ts";
import { runBare } from "./bare.ts";
import { choose } from "./choose.ts";
import type { NewStep } from "./copy.ts";
import { canGroup, Groups } from "./groups.ts";
import { homeOf } from "./home-mounts.ts";
import { openMac } from "./mac.ts";
import type { NetParts } from "./net.ts";
import { runApart } from "./own-home.ts";
import { Pipes } from "./pipes.ts";
import { unfit } from "./place.ts";
import { findPrograms } from "./programs.ts";
import { runRetried } from "./retry.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

export interface SandboxDeps {
  newStep: NewStep;
  clock: Clock;
  /** `process.arch`. */
  arch: string;
  /** `process.platform`. */
  platform: string;
  /** The outside of commands with hosts, for tests; else the machine's. */
  net?: Partial<Pick<NetParts, "world" | "node">>;
  /** Asks the machine anew although a good answer is remembered (doctor). */
  fresh?: boolean;
}

/**
 * Finds the best backend that works on this machine for these roots, by trying (SANDBOX 2). Never throws for lack of one:
 * then `contained` is false, commands run in the person's folder, and `why` says in one line each what stood in the way.
 */
export async function openSandbox(options: SandboxOptions, deps: SandboxDeps): Promise<Sandbox> {
  for (const dir of [options.stateDir, options.homeDir, options.resultsDir])
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  const roots = options.roots.map((root) => root.path);
  const programs = findPrograms(options.env["PATH"] ?? "", roots, options.without);
  const why: string[] = [];
  const pipes = new Pipes(join(options.stateDir, "pipes"), programs);
  const never = roots.map(unfit).find((reason) => reason !== undefined);
  const found = { programs, pipes, why };
  if (never !== undefined) why.push(never);
  else if (deps.platform === "darwin") {
    const mac = await openMac(options, deps, found);
    if (mac !== undefined) return mac;
  } else if (deps.platform !== "linux") why.push(`no copy on ${deps.platform} yet`);
  else {
    const parts = await choose(options, deps, found);
    if (parts !== undefined) {
      const groups = canGroup(parts) ? new Groups(parts) : undefined;
      return {
        kind: parts.kind,
        contained: true,
        why,
        home: homeOf(options),
        run: (command, signal) => {
          if (command.unsandboxed === true)
            return runBare({ options, programs, pipes, clock: deps.clock }, command, signal);
          if (command.ownHome === true) return runApart(parts, command, signal);
          return runRetried(groups?.parts ?? parts, command, signal);
        },
        close: async () => {
          pipes.close();
          await groups?.close();
          await parts.clones.close();
        },
        ...(groups === undefined ? {} : { groups }),
      };
    }
  }
  return {
    kind: "none",
    contained: false,
    why,
    run: (command, signal) => runBare({ options, programs, pipes, clock: deps.clock }, command, signal),
    close: () => Promise.resolve(),
  };
}
