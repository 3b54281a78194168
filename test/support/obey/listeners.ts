import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Ground } from "./ground.ts";

/** Services of the machine that nothing in the copy may reach. */
export interface Listeners {
  port: number;
  udp: number;
  abstract: string;
  /** Connections and packets that came. */
  hits: string[];
}

/** TCP and UDP on this machine, unix sockets beside the folder and in it, an abstract one. Gone after the test. */
export async function listenAround({ at, outside }: Ground): Promise<Listeners> {
  const hits: string[] = [];
  const abstract = `obey-${process.pid}-${Math.random()}`;
  const serve = async (name: string, where: { port: number; host: string } | { path: string }): Promise<number> => {
    const server = createServer((socket) => {
      hits.push(name);
      socket.on("error", () => undefined).end("LEAK");
    });
    server.listen(where);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo | null)?.port ?? 0;
  };
  const port = await serve("tcp", { port: 0, host: "127.0.0.1" });
  await serve("socket beside", { path: join(outside, "svc.sock") });
  await serve("socket inside", { path: join(at.folder, "run/dev.sock") });
  await serve("abstract", { path: `\0${abstract}` });
  const udp = createSocket("udp4", () => hits.push("udp"));
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  onTestFinished(() => void udp.close());
  return { port, udp: udp.address().port, abstract, hits };
}
