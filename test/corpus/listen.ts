import { createServer, type Server } from "node:net";
import { join } from "node:path";

/** A listener of the machine's that a command in the copy must not reach. */
export interface Listener {
  port: number;
  hits(): number;
  close(): Promise<void>;
}

/** `needs` of a case: a loopback port, a socket file in the outside folder, an abstract name. */
export async function listen(needs: readonly string[], outside: string): Promise<Listener> {
  let hits = 0;
  const servers: Server[] = [];
  const open = async (at: { port: number; host: string } | { path: string }): Promise<number> => {
    const server = createServer((socket) => {
      hits++;
      socket.on("error", () => socket.destroy());
      socket.end("LEAK");
    });
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(at, resolve);
    });
    const address = server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  };
  // A port is named by every case that says {PORT}, counted or not.
  const port = await open({ port: 0, host: "127.0.0.1" });
  if (needs.includes("unix-listener")) await open({ path: join(outside, "svc.sock") });
  if (needs.includes("abstract-listener")) await open({ path: "\0agent-test" });
  return {
    port,
    hits: () => hits,
    close: async () => {
      await Promise.all(servers.map((s) => new Promise((resolve) => s.close(resolve))));
    },
  };
}
