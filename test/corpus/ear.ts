import { once } from "node:events";
import { createServer } from "node:http";

/** A service of models that remembers what it is sent, and refuses it. */
export interface Ear {
  url: string;
  /** All bodies so far. */
  sent(): string;
  /** Resolves with the first message. Throws where none comes. */
  got(): Promise<void>;
  close(): Promise<void>;
}

const REFUSAL = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "not here" } });

export async function ear(): Promise<Ear> {
  let bodies = "";
  let heard: () => void = () => {};
  const first = new Promise<void>((resolve) => (heard = resolve));
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (part: string) => (bodies += part));
    request.on("end", () => {
      response.writeHead(400, { "content-type": "application/json" }).end(REFUSAL);
      if (request.url?.includes("messages") === true) heard();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    sent: () => bodies,
    got: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("nothing was sent")), 60_000);
      });
      await Promise.race([first, late]).finally(() => clearTimeout(timer));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
