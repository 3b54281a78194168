import { chmod, lstat, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toRaw } from "../util/bytes.ts";
import { isBelow, rootOf } from "../workspace/roots.ts";
import { upperOf } from "../workspace/change.ts";
import type { ClonedRoots } from "./clones.ts";
import { envFile } from "./env.ts";
import { marksBelow } from "./hidden.ts";
import { type Hidden, coversOf, outOfHidden } from "./hidden-cover.ts";
import type { HiddenPath } from "./hidden-walk.ts";
import { cachesOf, secretsCovered } from "./home.ts";
import { type HomeMounts } from "./home-mounts.ts";
import { inView } from "./in-view.ts";
import { memoryFolder } from "./memory.ts";
import { outsidePlaced } from "./outside.ts";
import { whole } from "./place.ts";
import { writableInPlan } from "./plan-view.ts";
import { type CopyPlan, type OverlayMount, type Placed, SHELL_DIR } from "./plan.ts";
import type { SandboxOptions, ShellCommand } from "./sandbox.ts";
import { shownNow } from "./shown.ts";
import { procCovered, resolverPlaced } from "./system.ts";

const TMP_MB = 2048;

/** What a session's copies have in common. */
export interface CopyBase {
  options: SandboxOptions;
  /** `systemPlaced()`, read once. */
  system: readonly Placed[];
  /** Upper layers lie in the step folder, or for the time of the command in memory (`memory.ts`). */
  uppers: "step" | "memory";
  /** Real mounts of uid 0. */
  root: boolean;
  /** The person's caches are shown, as overlays. */
  caches: boolean;
  /** What one running command of the session has alone: caches whose session layer it uses, unix sockets. */
  busy: Set<string>;
  /** One for all commands of the session. */
  home: HomeMounts;
  hidden: Hidden;
}

/** A step folder made ready: layers linked, mount points made, the wrapper's files written. */
export interface ReadyStep {
  plan: CopyPlan;
  /** Names in the step folder that go when the command is over; upper layers stay. */
  own: readonly string[];
  /** Caches taken for the time of the command. */
  caches: readonly string[];
  /** Folders in memory, gone with the command. */
  inMemory: readonly string[];
  /** By root: the mode that the root's own folder has in the copy. */
  rootModes: readonly number[];
  /** To be called when nothing of the command lives any more. */
  left(): void;
}

export async function readyStep(
  base: CopyBase,
  command: ShellCommand,
  stepFolder: string,
  env: Readonly<Record<string, string>>,
  { cloned, hidden }: { cloned?: ClonedRoots | undefined; hidden: readonly HiddenPath[] },
): Promise<ReadyStep> {
  const { options } = base;
  const memory = base.uppers === "memory" ? await memoryFolder(options.uid, command.operationId) : undefined;
  const overlays: OverlayMount[] = [];
  const add = async (name: string, lowers: readonly string[], upper?: string): Promise<void> => {
    const at = (path: string): string => join(stepFolder, path);
    const links = lowers.map((_, n) => `l${name}.${n}`);
    await Promise.all(lowers.map((lower, n) => symlink(lower, at(`l${name}.${n}`))));
    for (const dir of upper === undefined ? [`u${name}`, `w${name}`] : [`w${name}`]) {
      if (memory !== undefined) {
        await mkdir(join(memory, dir));
        await symlink(join(memory, dir), at(dir));
      } else await mkdir(at(dir), { recursive: true });
    }
    if (upper !== undefined) await symlink(upper, at(`u${name}`));
    await mkdir(at(`m${name}`));
    overlays.push({ mount: `m${name}`, lowers: links, upper: `u${name}`, work: `w${name}` });
  };
  for (const [n, root] of cloned === undefined ? options.roots.entries() : []) {
    const lowers: string[] = [];
    for (const [k, layer] of command.layers.toReversed().entries()) {
      const paths = options.roots.map((r) => r.path);
      const marks = await marksBelow(layer, n, join(memory ?? stepFolder, `h${n}.${k}`), paths);
      lowers.push(upperOf(layer, n), ...(marks === undefined ? [] : [marks]));
    }
    await add(String(n), [...lowers, root.path]);
  }
  const home = enterHome(base, command);
  const rest = async (): Promise<{ caches: Caches; placed: Placed[] }> => {
    const caches = await addCaches(base, home.caches, add);
    await shellFiles(stepFolder, command, env);
    const shown = [...home.placed, ...caches.placed(stepFolder)];
    const outside = [...home.shown, ...(command.outside ?? [])];
    return { caches, placed: await placedFor(base, { ...command, outside }, { stepFolder, cloned, hidden }, shown) };
  };
  const { caches, placed } = await rest().catch((error: unknown) => {
    home.left();
    throw error;
  });
  return {
    rootModes: await giveModes(options.roots, stepFolder, cloned),
    left: home.left,
    plan: { overlays, placed, network: command.network },
    own: [
      "sh",
      "nr",
      "closed",
      ...overlays.flatMap((o) => [o.mount, o.work, ...o.lowers, ...(o.upper.startsWith("uc") ? [o.upper] : [])]),
    ],
    caches: caches.taken,
    inMemory: memory === undefined ? [] : [memory],
  };
}

/** An overlay's own folder has the mode of its upper layer: a folder that refuses writes refuses them in the copy. Resolves with the modes, clones' too. */
async function giveModes(
  roots: readonly { path: string }[],
  stepFolder: string,
  cloned: ClonedRoots | undefined,
): Promise<number[]> {
  return Promise.all(
    roots.map(async ({ path }, n) => {
      const mode = (await lstat(cloned?.paths[n] ?? path)).mode & 0o7777;
      if (cloned === undefined) await chmod(upperOf(stepFolder, n), mode);
      return mode;
    }),
  );
}

interface Caches {
  placed: (step: string) => Placed[];
  /** Upper layers of the session's that are in use now. */
  taken: string[];
}

type AddOverlay = (name: string, lowers: readonly string[], upper?: string) => Promise<void>;

/** HOME with its mount points; nothing where a root shows the person's own. */
function enterHome(
  { options, caches, home }: CopyBase,
  command: ShellCommand,
): ReturnType<HomeMounts["enter"]> & { left: () => void } {
  if (isExposed(options)) return { placed: [], caches: [], shown: [], left: () => {} };
  const wanted = cachesOf(options.personHome).filter((path) => whole(path) && rootOf(options.roots, path) < 0);
  const { outside = [] } = command;
  const shown = shownNow(options).filter(({ path }) => !outside.some((one) => one.path === path));
  const entered = home.enter(caches ? wanted : [], outside, shown);
  let here = true;
  return {
    ...entered,
    left: () => {
      if (here) home.leave();
      here = false;
    },
  };
}

/** The person's home lies in a root, and is shown with it. */
function isExposed({ roots, personHome }: SandboxOptions): boolean {
  return roots.some((root) => isBelow(root.path, personHome));
}

/** Caches of the person's as overlays. The session's layer serves one command at a time; a second one gets a layer of its own. */
async function addCaches(
  { options, busy, uppers }: CopyBase,
  caches: readonly string[],
  add: AddOverlay,
): Promise<Caches> {
  const taken: string[] = [];
  for (const [n, cache] of caches.entries()) {
    const upper = join(options.homeDir, "caches", String(n));
    const shared = uppers === "step" && !busy.has(upper);
    if (shared) {
      busy.add(upper);
      taken.push(upper);
      await mkdir(upper, { recursive: true, mode: 0o700 });
      // A command may have closed it.
      await chmod(upper, ((await lstat(upper)).mode & 0o7777) | 0o700);
    }
    await add(`c${n}`, [cache], shared ? upper : undefined);
  }
  return {
    placed: (step) => caches.map((at, n): Placed => ({ kind: "write", at, from: join(step, `mc${n}`) })),
    taken,
  };
}

async function shellFiles(
  stepFolder: string,
  command: ShellCommand,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const dir = join(stepFolder, "sh");
  await mkdir(dir, { mode: 0o700 });
  const write = (name: string, text: string): Promise<void> => writeFile(join(dir, name), text, { mode: 0o600 });
  await Promise.all([write("command", command.command), write("env", envFile(env)), write("state", "")]);
}

interface Folders {
  stepFolder: string;
  cloned: ClonedRoots | undefined;
  hidden: readonly HiddenPath[];
}

async function placedFor(
  base: CopyBase,
  command: ShellCommand,
  { stepFolder, cloned, hidden }: Folders,
  home: readonly Placed[],
): Promise<Placed[]> {
  const { options } = base;
  const { roots } = options;
  // Folders of our own inside of a root would be shown with it.
  const own = [options.stateDir, options.configDir].flatMap((at) =>
    at === undefined || rootOf(roots, at) < 0 ? [] : [{ kind: "empty" as const, at, sizeMb: 1 }],
  );
  const shell = join(stepFolder, "sh");
  return [
    ...base.system,
    { kind: "dev" },
    { kind: "empty", at: "/dev/shm", sizeMb: 512 },
    { kind: "proc" },
    ...procCovered(base.root),
    { kind: "empty", at: "/tmp", sizeMb: TMP_MB },
    { kind: "empty", at: "/var/tmp", sizeMb: TMP_MB },
    { kind: "empty", at: "/run", sizeMb: 16 },
    { kind: "link", at: "/var/run", to: "/run" },
    ...(command.network ? resolverPlaced() : []),
    ...home,
    ...outsidePlaced(options, command.outside ?? []),
    ...(await rootsPlaced(base, command, { stepFolder, cloned })),
    ...(await inView(roots, command.layers, [
      ...outOfHidden(hidden, [
        ...(cloned?.shown ?? []),
        ...(isExposed(options) ? secretsCovered(options.personHome, (at) => rootOf(roots, at) >= 0) : []),
        ...own,
        { kind: "read" as const, at: options.resultsDir, from: options.resultsDir },
      ]),
      ...coversOf(hidden, stepFolder),
    ])),
    { kind: "read", at: SHELL_DIR, from: shell },
    { kind: "write", at: `${SHELL_DIR}/state`, from: join(shell, "state") },
  ];
}

/** The roots at their own paths, the wider before the deeper; in plan mode read-only but for regenerable folders. */
async function rootsPlaced(
  base: CopyBase,
  command: ShellCommand,
  { stepFolder, cloned }: Pick<Folders, "stepFolder" | "cloned">,
): Promise<Placed[]> {
  const from = (n: number): string => cloned?.paths[n] ?? join(stepFolder, `m${n}`);
  const roots = base.options.roots.map((root, n) => ({ at: root.path, from: from(n) }));
  const sorted = roots.toSorted((a, b) => a.at.length - b.at.length);
  if (command.mode !== "plan") return sorted.map((root): Placed => ({ kind: "write", ...root }));
  const writable = await writableInPlan(base.options.roots, command.layers, command.cwd);
  const text = (path: string): string => Buffer.from(path, "latin1").toString("utf8");
  const usable = writable.filter((w) => toRaw(text(w.path)) === w.path);
  for (const w of usable)
    if (w.absent)
      await mkdir(join(cloned?.paths[w.root] ?? upperOf(stepFolder, w.root), text(w.path)), { recursive: true });
  return [
    ...sorted.map((root): Placed => ({ kind: "read", ...root })),
    ...usable.map((w): Placed => ({
      kind: "write",
      at: join(base.options.roots[w.root]?.path ?? "/", text(w.path)),
      from: join(from(w.root), text(w.path)),
    })),
  ];
}
