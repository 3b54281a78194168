import type { ChildProcess } from "../util/process.ts";
import { createServer, type Server, type Socket } from "node:net";
import { endGroup, startProcess } from "../util/process.ts";
import { joinArgs } from "./join.ts";
import { LAUNCH_PATH } from "./programs.ts";
import { SandboxError } from "./sandbox-error.ts";

/**
 * Runs in the session's network, outside of its walls: our own few lines, which carry bytes and start nothing. Each connection of the
 * person's arrives as an open socket; it ends with the program, whatever that dies of.
 */
const RELAY = `
const net = require("node:net");
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", (port, person) => {
  if (person === undefined) return;
  // The other side may have said all it has to say, and still listen.
  person.allowHalfOpen = true;
  person.on("error", () => person.destroy());
  const reach = (host, next) => {
    const server = net.connect({ host, port, allowHalfOpen: true });
    server.once("connect", () => {
      server.removeAllListeners("error");
      server.on("error", () => person.destroy());
      server.on("close", () => person.destroySoon());
      person.on("close", () => server.destroy());
      person.pipe(server).pipe(person);
    });
    server.once("error", next);
  };
  reach("127.0.0.1", () => reach("::1", () => person.destroy()));
});
process.send("ready");
`;

/** One port of the copy's that the person's browser reaches. */
export interface Forward {
  port: number;
  /** On 127.0.0.1 of the machine: the same, or another where that one is taken. */
  at: number;
}

export interface ForwardParts {
  nsenter: string;
  root: boolean;
  fds: readonly number[];
}

/** Ports of a session's network that are open on the machine's loopback. */
export class Forwards {
  readonly #parts: ForwardParts;
  readonly #servers = new Map<number, { server: Server; at: number; sockets: Set<Socket> }>();
  #relay: Promise<ChildProcess> | undefined;

  constructor(parts: ForwardParts) {
    this.#parts = parts;
  }

  list(): Forward[] {
    return [...this.#servers].map(([port, { at }]) => ({ port, at }));
  }

  /** Opens a port; one that is open stays. Throws `SandboxError`. */
  async open(port: number): Promise<Forward> {
    const known = this.#servers.get(port);
    if (known !== undefined) return { port, at: known.at };
    const relay = await (this.#relay ??= this.#start());
    const sockets = new Set<Socket>();
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
      if (relay.connected) relay.send(port, socket, {}, () => undefined);
      else socket.destroy();
    });
    const at = await listen(server, port);
    this.#servers.set(port, { server, at, sockets });
    return { port, at };
  }

  async #start(): Promise<ChildProcess> {
    const { nsenter, root, fds } = this.#parts;
    // Behind the three standard ones and the channel.
    const child = startProcess(nsenter, [...joinArgs(root, 4), process.execPath, "-e", RELAY], {
      cwd: "/",
      env: { PATH: LAUNCH_PATH },
      stdio: ["ignore", "ignore", "ignore", "ipc", ...fds],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`code ${code}`)));
    }).catch((error: unknown) => {
      this.#relay = undefined;
      throw new SandboxError(`no port can be opened: ${error instanceof Error ? error.message : String(error)}`);
    });
    // Neither it nor its channel is a reason for the program to stay.
    child.unref();
    child.channel?.unref();
    return child;
  }

  close(port: number): void {
    const found = this.#servers.get(port);
    this.#servers.delete(port);
    found?.server.close();
    for (const socket of found?.sockets ?? []) socket.destroy();
    if (this.#servers.size === 0) void this.#end();
  }

  closeAll(): void {
    for (const port of this.#servers.keys()) this.close(port);
  }

  async #end(): Promise<void> {
    const relay = this.#relay;
    this.#relay = undefined;
    const child = await relay?.catch(() => undefined);
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) endGroup(child.pid);
  }
}

/** Loopback alone; where the port is taken, any that is free. */
function listen(server: Server, port: number): Promise<number> {
  const at = (wanted: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port: wanted, host: "127.0.0.1" }, () => {
        server.removeListener("error", reject);
        server.unref();
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : wanted);
      });
    });
  return at(port).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && ["EADDRINUSE", "EACCES"].includes(String(error.code)))
      return at(0);
    throw error;
  });
}
