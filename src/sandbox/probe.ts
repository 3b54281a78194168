import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Root } from "../events/event.ts";
import { Clones } from "./clones.ts";
import { runInCopy, type CopyParts } from "./copy.ts";
import { Hidden } from "./hidden-cover.ts";
import { HomeMounts } from "./home-mounts.ts";
import { removeTree } from "./remove.ts";
import type { ShellCommand } from "./sandbox.ts";

/**
 * Tries a backend by using it: the same line as a real command's, over the real roots and a small one of the probe's own,
 * doing what fails where a part of it is missing (a folder removed and made anew needs the opaque mark; a scan must see it).
 * Resolves with why it can't be used, or undefined. Leaves nothing behind.
 */
export async function probe(parts: CopyParts): Promise<string | undefined> {
  const { options } = parts.base;
  const parent = join(options.stateDir, "probe");
  let dir: string | undefined;
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    dir = mkdtempSync(join(parent, "p-"));
    return await tryIn(dir, parts);
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\s+/g, " ").trim() : String(error);
  } finally {
    if (dir !== undefined) await removeTree(dir);
  }
}

async function tryIn(dir: string, parts: CopyParts): Promise<string | undefined> {
  const root: Root = { path: join(dir, "root"), kind: "added" };
  mkdirSync(join(root.path, "d"), { recursive: true, mode: 0o700 });
  writeFileSync(join(root.path, "d", "x"), "x");
  mkdirSync(parts.base.options.resultsDir, { recursive: true, mode: 0o700 });
  const options = {
    ...parts.base.options,
    // A trial runs nothing of the person's, so nothing has to be hidden from it.
    hides: () => undefined,
    // Copying the real ones for a trial would cost what the copy costs; overlays are mounted over all of them.
    roots: parts.kind === "copy-bind" ? [root] : [...parts.base.options.roots, root],
    homeDir: join(dir, "home"),
    stateDir: join(dir, "state"),
  };
  mkdirSync(options.stateDir, { mode: 0o700 });
  const newStep = (operationId: string): Promise<{ stepFolder: string; since: string }> => {
    const stepFolder = join(dir, operationId);
    mkdirSync(stepFolder, { mode: 0o700 });
    return Promise.resolve({ stepFolder, since: String(statSync(stepFolder, { bigint: true }).ctimeNs) });
  };
  const clones = new Clones(options, parts.programs);
  const command: ShellCommand = {
    operationId: "step",
    command: 'rm -r d && mkdir -m 700 d && [ -z "$(ls d)" ] && ! touch /usr/x 2>/dev/null && echo walls-ok',
    cwd: root.path,
    env: {},
    mode: "auto",
    network: false,
    layers: [],
    limits: { timeoutMs: 20_000, processes: 512, fileSizeMb: 16, layerMb: 64 },
  };
  const run = runInCopy(
    {
      ...parts,
      base: { ...parts.base, options, busy: new Set(), home: new HomeMounts(options), hidden: new Hidden(options) },
      newStep,
      clones,
      keepClones: false,
    },
    command,
    new AbortController().signal,
  );
  let step = await run.next();
  while (step.done !== true) step = await run.next();
  const { output, changes, reason } = step.value;
  if (output.trim() !== "walls-ok")
    return output.trim() === "" ? `the trial ended by ${reason}` : output.trim().slice(0, 300);
  const seen = (changes?.changes ?? []).map((c) => `${c.op} ${c.path}`).join(", ");
  await removeTree(join(dir, "step"));
  return seen === "delete d/x" ? undefined : `the trial's changes read wrong: ${seen}`;
}

/** What a probe's good outcome depends on; another word, another probe. */
export function probeKey(parts: CopyParts): string {
  const { options, uppers } = parts.base;
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const devices = [...options.roots.map((root) => root.path), options.stateDir].map((path) =>
    String(statSync(path).dev),
  );
  const { kind, launcher, programs } = parts;
  const program = launcher === "bwrap" ? programs.bwrap : programs.perl;
  const version = program === undefined ? "" : String(statSync(program).mtimeMs);
  return [boot, kind, launcher, uppers, parts.base.caches, options.uid, version, ...devices].join(" ");
}

/** The good outcomes remembered in the state folder; a file that can't be read remembers nothing. */
export function remembered(stateDir: string): Set<string> {
  try {
    const keys: unknown = JSON.parse(readFileSync(join(stateDir, "sandbox.json"), "utf8"));
    return new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : []);
  } catch {
    return new Set();
  }
}

/** Remembers a good outcome for this boot. Refusals are not remembered: they may be mended. */
export function remember(stateDir: string, key: string): void {
  const boot = key.split(" ")[0] ?? "";
  const keys = [...remembered(stateDir)].filter((known) => known.startsWith(boot) && known !== key);
  writeFileSync(join(stateDir, "sandbox.json"), JSON.stringify([...keys.slice(-50), key]), { mode: 0o600 });
}
