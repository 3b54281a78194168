import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Heard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
}

/** A server on this machine that answers each request by `answer`; gone after the test. Gives its address. */
export async function listen(
  answer: (heard: Heard, response: ServerResponse) => Promise<void> | void,
): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { method = "", url: path = "", headers } = request;
      await answer({ method, path, headers, raw: Buffer.concat(parts).toString("utf8") }, response);
    })().catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
