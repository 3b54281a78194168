import { existsSync, mkdirSync, mkdtempSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../util/process.ts";
import { runBare } from "./bare.ts";
import type { Found } from "./choose.ts";
import { Clones } from "./clones.ts";
import { type MacParts, runOnMac } from "./mac-run.ts";
import type { SandboxDeps } from "./open.ts";
import { withOwnHome } from "./own-home.ts";
import { LAUNCH_PATH } from "./programs.ts";
import { removeTree } from "./remove.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { Sandbox, SandboxOptions, ShellCommand } from "./sandbox.ts";

/**
 * The copy on macOS: a clone of the roots at another path (APFS shares the content), behind `sandbox-exec`. Written from
 * documents and never run: the trial decides on each machine, and `agent doctor` calls it untested. Undefined, with a
 * line in `why`, where the trial fails.
 */
export async function openMac(given: SandboxOptions, deps: SandboxDeps, found: Found): Promise<Sandbox | undefined> {
  const options = realPaths(given);
  const { programs, pipes, why } = found;
  const { newStep, clock } = deps;
  if (options.only?.includes("copy") === false) return undefined;
  const sandboxExec = findProgram("sandbox-exec", LAUNCH_PATH);
  if (sandboxExec === undefined || programs.bash === undefined) {
    why.push("copy: sandbox-exec or bash is not installed");
    return undefined;
  }
  const clones = new Clones(options, programs);
  await clones.sweep();
  const parts: MacParts = { options, programs, pipes, newStep, clock, clones, sandboxExec };
  const bound = await clones.bound([]);
  const failed = typeof bound === "string" ? bound : await trial(parts);
  if (failed !== undefined) {
    why.push(`copy: ${failed}`);
    return undefined;
  }
  return {
    kind: "copy",
    contained: true,
    why,
    run: (command, signal) => {
      if (command.unsandboxed === true)
        return runBare({ options, programs, pipes, clock: deps.clock }, command, signal);
      if (command.hosts !== undefined || command.outside !== undefined)
        throw new SandboxError("hosts and folders outside can't be granted one by one on this machine yet");
      if (command.ownHome !== true) return runOnMac(parts, command, signal);
      return withOwnHome(options.homeDir, (homeDir) =>
        runOnMac({ ...parts, options: { ...options, homeDir } }, command, signal),
      );
    },
    close: async () => {
      pipes.close();
      await clones.close();
    },
  };
}

/** Profiles and programs say real paths: /var is a link there. */
function realPaths(options: SandboxOptions): SandboxOptions {
  const { homeDir, stateDir, resultsDir, personHome, configDir } = options;
  const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
  return {
    ...options,
    homeDir: real(homeDir),
    stateDir: real(stateDir),
    resultsDir: real(resultsDir),
    personHome: real(personHome),
    ...(configDir === undefined ? {} : { configDir: real(configDir) }),
  };
}

/** Uses it once, over a folder of its own: the change must be seen, the original, the system and the network be out of reach. */
async function trial(parts: MacParts): Promise<string | undefined> {
  const parent = join(parts.options.stateDir, "probe");
  let dir: string | undefined;
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    dir = realpathSync(mkdtempSync(join(parent, "p-")));
    const root = join(dir, "root");
    mkdirSync(join(root, "d"), { recursive: true });
    writeFileSync(join(root, "d", "x"), "x");
    const options = { ...parts.options, roots: [{ path: root, kind: "added" as const }], homeDir: join(dir, "home") };
    const clones = new Clones(options, parts.programs);
    const newStep: MacParts["newStep"] = async (id) => {
      const stepFolder = join(dir ?? parent, id);
      await writeFile(`${stepFolder}.since`, "");
      mkdirSync(stepFolder);
      return { stepFolder, since: String(statSync(stepFolder, { bigint: true }).ctimeNs) };
    };
    const refused = ["/usr/x", join(root, "x"), join(parts.options.personHome, ".understudy-x")];
    const words = refused.map((path) => `! touch '${path.replaceAll("'", "'\\''")}' 2>/dev/null`).join(" && ");
    const command: ShellCommand = {
      operationId: "step",
      command: `rm -r d && mkdir d && [ -z "$(ls d)" ] && ${words} && ! (exec 5<>/dev/tcp/192.0.2.1/9) 2>/dev/null && echo walls-ok`,
      cwd: root,
      env: {},
      mode: "auto",
      network: false,
      layers: [],
      limits: { timeoutMs: 20_000, processes: 512, fileSizeMb: 16, layerMb: 64 },
    };
    const run = runOnMac({ ...parts, options, clones, newStep }, command, new AbortController().signal);
    let step = await run.next();
    while (step.done !== true) step = await run.next();
    await clones.close();
    const seen = (step.value.changes?.changes ?? []).map((c) => `${c.op} ${c.path}`).join(", ");
    if (step.value.output.trim() !== "walls-ok") return `the trial failed: ${step.value.output.trim().slice(0, 300)}`;
    return seen === "delete d/x" ? undefined : `the trial's changes read wrong: ${seen}`;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\s+/g, " ").trim() : String(error);
  } finally {
    if (dir !== undefined) await removeTree(dir);
  }
}
