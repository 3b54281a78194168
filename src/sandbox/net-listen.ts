import { readlinkSync } from "node:fs";
import { Server } from "node:net";
import { startProcess } from "../util/process.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Waits for `lo`, which the launcher may only be about to bring up. */
const MAKE = `
const { createServer } = require("node:net");
let tries = 0;
let server;
const listen = () => {
  server = createServer();
  server.once("error", (error) => {
    if (error.code === "EADDRNOTAVAIL" && process.connected && tries++ < 500) setTimeout(listen, 10);
    else process.send({ error: error.message });
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }, server));
};
process.once("disconnect", () => server.close());
listen();
`;

/** Where the copy's network namespace is: by the process that was started, and the first one inside. */
export interface Inside {
  started: number;
  first: number;
}

/** A listener on the copy's own 127.0.0.1 that is accepted from here. */
export interface Listener {
  server: Server;
  port: number;
}

/** The launcher itself where it has the copy's network already: the first process may forbid to be looked at. */
function holder({ started, first }: Inside): number {
  const net = (process: number | "self"): string => readlinkSync(`/proc/${process}/ns/net`);
  return net(started) === net("self") ? first : started;
}

/**
 * Opens a port in the copy's network namespace and brings the listener out: a process of ours enters the namespace alone, listens, and
 * hands the socket over. So nothing of the proxy is in the copy, not even a path to it, and it goes with this program. Throws
 * `SandboxError` when it can't be done.
 */
export async function listenInside(inside: Inside, root: boolean, programs: Programs, node: string): Promise<Listener> {
  const { nsenter } = programs;
  if (nsenter === undefined) throw new SandboxError("nsenter is not installed, which a network by hosts needs");
  // Of the namespaces that an ordinary user made, their own outermost one gives the right to enter the others.
  const user = root ? [] : [`--user=/proc/${inside.started}/ns/user`, "--preserve-credentials"];
  const args = [...user, `--net=/proc/${holder(inside)}/ns/net`, node, "-e", MAKE];
  const child = startProcess(nsenter, args, {
    cwd: "/",
    env: { PATH: LAUNCH_PATH },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString("utf8")).slice(-2000)));
  try {
    return await new Promise<Listener>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(errors.trim() || "it ended")));
      child.once("message", (message: { port?: number; error?: string }, server: unknown) => {
        if (message.port !== undefined && server instanceof Server) resolve({ server, port: message.port });
        else reject(new Error(message.error ?? "it gave no listener"));
      });
    });
  } catch (error) {
    throw new SandboxError(
      `the copy's network can't be entered: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    child.removeAllListeners("exit");
    if (child.connected) child.disconnect();
    child.stderr?.destroy();
  }
}
