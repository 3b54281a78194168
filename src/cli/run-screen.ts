import type { Asker } from "../permissions/asker.ts";
import type { Session } from "../session/session.ts";
import { NoKeyError } from "../model/open.ts";
import { randomId, systemClock } from "../util/system.ts";
import type { RunOptions } from "./args.ts";
import { askTrust } from "./ask-trust.ts";
import { chooseSession } from "./choose.ts";
import { askGoingOn, forkOf, type GoingOn } from "./going-on.ts";
import { homeOf, type Env } from "../session/environment.ts";
import type { Look } from "../ui/main.tsx";
import { type OutsideRun, runOutside } from "../ui/term/outside.ts";
import { isPlain } from "./first-paint.ts";
import { firstRun } from "./first-run.ts";
import { showEnd } from "./last-words.ts";
import { deskIn } from "./desk.ts";
import { exportIn, rowsOf, sourceOf } from "./screen-sessions.ts";
import type { Shell } from "./shell.ts";
import { wire, type Wired } from "./wire.ts";

interface Front {
  asker: Asker;
  run(session: Session): Promise<number>;
}

export interface ScreenPlace {
  /** A folder other than the current one, with its own `dirs` (the tour). */
  at?: string;
  dirs?: { config: string; state: string };
  /** Painted already. */
  shell?: Shell | undefined;
}

/** The screen on a terminal (U1). Gives the exit code. */
export async function runScreen(
  options: RunOptions,
  version: string,
  { at, dirs, shell }: ScreenPlace = {},
): Promise<number> {
  const first = wire(options, version, at, dirs);
  const going = await goingOn(options, first, shell);
  if (going === null) return 0;
  const elsewhere = going?.folder !== undefined && going.folder !== first.folder;
  const wired = elsewhere ? wire(options, version, going.folder, dirs) : first;
  const missing = going === undefined && at === undefined ? wired.missing() : undefined;
  if (missing !== undefined) {
    shell?.give();
    if (!(missing instanceof NoKeyError)) throw missing;
    return firstRun(wired, version);
  }
  if (!(await askTrust(options, wired, () => shell?.give()))) return 0;
  const here = await showEnd(options, going, wired, shell);
  let front: Front | undefined;
  const open: Open = async (id, fork) => {
    if (front === undefined) throw new Error("no front-end");
    return wired.open(front.asker, id, fork);
  };
  front = isPlain(options, process.env)
    ? await plainFront(options, wired, version, open)
    : await inkFront(options, wired, version, open, here);
  let session: Session;
  try {
    session = await open(going?.id, going?.fork);
  } catch (error) {
    here?.give();
    throw error;
  }
  return front.run(session);
}

type Open = (id: string | undefined, fork?: GoingOn["fork"]) => Promise<Session>;

async function inkFront(
  options: RunOptions,
  wired: Wired,
  version: string,
  open: Open,
  shell: Shell | undefined,
): Promise<Front> {
  const [{ createScreen }, { openHistory }] = await Promise.all([
    import("../ui/main.tsx"),
    import("../ui/input/history-file.ts"),
  ]);
  const screen = createScreen({
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    clock: systemClock,
    version,
    openOther: open,
    sessions: () => Promise.resolve(rowsOf(wired)),
    picking: sourceOf(wired),
    exportTo: exportIn(wired),
    outside: outsideIn(wired),
    exit: (code) => process.exit(code),
    contextWindow: (id) => wired.contextWindow(id),
    next: nextStep(options, process.env),
    screen: wired.settings.screen,
    look: lookIn(wired),
    doctor: async () => (await import("./doctor.ts")).doctorRows(version),
    desk: deskIn(wired),
    history: openHistory(wired.historyFile, (text) => wired.secrets.mask(text)),
    ...(shell === undefined ? {} : { boot: shell.boot }),
    ...(options.prompt === undefined ? {} : { first: options.prompt }),
  });
  shell?.onGone(() => screen.leave());
  return screen;
}

async function plainFront(options: RunOptions, wired: Wired, version: string, open: Open): Promise<Front> {
  const { createPlain } = await import("../ui/plain/plain.ts");
  return createPlain({
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock,
    welcome: { version, home: homeOf(process.env) },
    openOther: open,
    sessions: () => Promise.resolve(rowsOf(wired)),
    marks: process.env["TERM"] !== "dumb",
    exportTo: exportIn(wired),
    outside: outsideIn(wired),
    doctor: async () => (await import("./doctor.ts")).doctorRows(version),
    next: nextStep(options, process.env),
    ...(options.prompt === undefined ? {} : { first: options.prompt }),
  });
}

/** Said last. The tour leaves nothing to go on with; who came by `npm start` may have no `agent` on the path. */
function nextStep(options: RunOptions, env: Env): ((id: string) => string) | undefined {
  if (options.model === "demo" && options.tour)
    return () => "The tour's folder is removed. Next: set ANTHROPIC_API_KEY and start in a folder of yours.";
  return env["npm_lifecycle_event"] === "start" ? (id) => `Go on with npm start -- --resume ${id}` : undefined;
}

function lookIn({ settings, store, folder }: Wired): Look {
  const { theme, terminal } = settings;
  const deps = { configDir: store.config, folder, home: homeOf(process.env), clock: systemClock, makeId: randomId };
  const saveTheme = async (name: string) =>
    (await import("../session/settings-write.ts")).saveSetting("theme", name, deps);
  return { theme, terminal, configDir: store.config, saveTheme };
}

function outsideIn({ folder }: Wired): (command: string, cwd?: string) => Promise<OutsideRun> {
  const { env } = process;
  return (command, cwd = folder) => runOutside(command, { shell: env["SHELL"] ?? "/bin/sh", cwd, env });
}

/** The session to go on with, and how; undefined: a new one; null: the person left. */
async function goingOn(
  options: RunOptions,
  wired: Wired,
  shell: Shell | undefined,
): Promise<GoingOn | undefined | null> {
  const { store, folder } = wired;
  const choice = chooseSession(options, store, folder);
  if (choice.kind === "new") return undefined;
  const id = choice.kind === "resume" ? choice.id : await picked(wired);
  if (id === undefined) return null;
  const fork = await forkOf(options, store, id);
  const going = { id, ...(fork === undefined ? {} : { fork }) };
  return (await askGoingOn(going, { store, here: folder, clear: () => shell?.give() })) ?? null;
}

async function picked(wired: Wired): Promise<string | undefined> {
  const [{ pickSession }, { readKeymap }] = await Promise.all([
    import("../ui/pick-session.ts"),
    import("../ui/input/keymap-file.ts"),
  ]);
  // What is wrong with the file is told by the screen that follows.
  const { keymap } = readKeymap(wired.store.config);
  const { stdin, stdout, env } = process;
  return pickSession(rowsOf(wired), { stdin, stdout, env, clock: systemClock, keymap }, sourceOf(wired));
}
