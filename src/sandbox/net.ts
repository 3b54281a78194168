import { closeSync, constants, openSync, writeSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { runProcess } from "../util/process.ts";
import { envFile } from "./env.ts";
import type { NetWorld } from "./net-dial.ts";
import { proxyEnv } from "./net-env.ts";
import { type NetHost, plainHost } from "./net-host.ts";
import { type Inside, listenInside } from "./net-listen.ts";
import { netProxy } from "./net-proxy.ts";
import { routesOf } from "./net-upstream.ts";
import type { NetRefusal, NetUse } from "./net-use.ts";
import { SHELL_DIR } from "./plan.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { SandboxError } from "./sandbox-error.ts";

const BOUNDS = { connections: 512, idleMs: 300_000, connectMs: 20_000 };
/** Name of the pipe in the folder of the wrapper's files on which a command waits for its port. */
const GATE = "net";

/** What was reached and what was refused. */
export interface NetReport {
  uses: readonly NetUse[];
  refusals: readonly NetRefusal[];
}

/** The report of a command that is over, and what was added to its environment. */
export interface NetEnd extends NetReport {
  env: Readonly<Record<string, string>>;
}

export interface NetParts {
  /** Real uid 0: no user namespace is in the way. */
  root: boolean;
  programs: Programs;
  /** Of the person: their own proxy is used beyond ours. */
  env: Readonly<Record<string, string | undefined>>;
  world: NetWorld;
  /** The program that runs this one, to enter the copy's network with. */
  node: string;
}

/** The network of one command that may reach some hosts. */
export interface CopyNet {
  /** The line with a wait in front: nothing of the command runs before its port is there. */
  gated(line: readonly string[]): string[];
  /** To be called once, when the copy's first process is known. Opens the port and lets the command begin, or ends it with the reason. */
  begun: (inside: Inside) => void;
  /** As it stands. */
  report: () => NetReport;
  /** Ends every connection and tells what there was. Also to be called where the command never began. */
  close(): Promise<NetEnd>;
}

/** The machine as it is. */
export const machineWorld: NetWorld = {
  resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
  own: () =>
    new Set(
      Object.values(networkInterfaces()).flatMap((rows) => (rows ?? []).flatMap((r) => plainHost(r.address) ?? [])),
    ),
};

/**
 * Makes a command's network ready: it keeps the network namespace of its copy, in which one port leads to a proxy of ours that lets
 * through these hosts. `shellDir`: the folder of the wrapper's files, shown in the copy as `SHELL_DIR`.
 */
export async function openNet(hosts: readonly NetHost[], parts: NetParts, shellDir: string): Promise<CopyNet> {
  const { bash } = parts.programs;
  if (bash === undefined) throw new SandboxError("bash is gone");
  const gate = await openGate(shellDir, parts.programs);
  const proxy = netProxy({ ...BOUNDS, allowed: hosts, route: routesOf(parts.env), world: parts.world });
  let env: Record<string, string> = {};
  let opening = Promise.resolve();
  const report = (): NetReport => ({ uses: proxy.uses, refusals: proxy.refusals });
  const open = async (inside: Inside): Promise<void> => {
    const { server, port } = await listenInside(inside, parts.root, parts.programs, parts.node);
    proxy.serve(server);
    env = proxyEnv(port, hosts);
    // Behind what is there: the last one counts.
    await appendFile(join(shellDir, "env"), envFile(env));
  };
  return {
    gated: (line) => [bash, "--noprofile", "--norc", "-c", WAIT, "bash", `${SHELL_DIR}/${GATE}`, ...line],
    begun: (inside) => {
      opening = open(inside).then(
        () => gate.say("go"),
        (error: unknown) => gate.say(error instanceof Error ? error.message : String(error)),
      );
    },
    report,
    close: async () => {
      const end = report();
      proxy.close();
      await opening;
      gate.close();
      return { ...end, env };
    },
  };
}

/** Waits for one line; anything but `go` is why the command can't begin. */
const WAIT =
  'IFS= read -r word < "$1"; [ "$word" = go ] || { printf "%s\\n" "$word" >&2; exit 125; }; unset word; shift; exec "$@"';

async function openGate(dir: string, programs: Programs): Promise<{ say(word: string): void; close(): void }> {
  const { mkfifo } = programs;
  const path = join(dir, GATE);
  const made =
    mkfifo === undefined
      ? undefined
      : await runProcess(mkfifo, ["-m", "600", path], { cwd: dir, env: { PATH: LAUNCH_PATH } });
  if (made?.code !== 0) throw new SandboxError("no pipe could be made for the command's network");
  // Both ends, so that neither side waits for the other to open it.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  return {
    say: (word) => void writeSync(fd, `${word.replaceAll("\n", " ").slice(0, 2000)}\n`),
    close: () => closeSync(fd),
  };
}
