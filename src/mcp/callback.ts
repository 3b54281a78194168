import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignInError } from "./sign-in-error.ts";
import { theirWords } from "./words.ts";

/** Where the browser comes back to. */
export interface Callback {
  url: string;
  /** Rejects with SignInError where the service says no, or nobody comes. */
  answer: Promise<{ code: string; iss?: string }>;
  close(): void;
}

/**
 * Waits on 127.0.0.1 for the browser to come back from a sign-in. What does not carry our `state` is another's, and is told nothing.
 * @throws SignInError where the port is taken.
 */
export async function callbackServer(port: number, state: string, signal: AbortSignal): Promise<Callback> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: string; iss?: string }>();
  // Whoever waits for it may have gone before it ends.
  promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const { pathname, searchParams: said } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || pathname !== "/callback" || said.get("state") !== state)
      return page(response, 404, "There is nothing here.");
    const code = said.get("code");
    const iss = said.get("iss");
    if (code === null) {
      const why = said.get("error_description") ?? said.get("error") ?? "no code";
      page(response, 400, "You are not signed in. The terminal says why.");
      return reject(new SignInError(`the service said no: ${theirWords(why)}`));
    }
    page(response, 200, "You are signed in. This window can be closed.");
    resolve({ code, ...(iss === null ? {} : { iss }) });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: unknown) => {
    throw new SignInError(`port ${port} can't be used: ${error instanceof Error ? error.message : String(error)}`);
  });
  const stop = () =>
    reject(
      new SignInError(
        signal.reason instanceof DOMException && signal.reason.name === "TimeoutError"
          ? "nobody came back from the browser within 5 minutes"
          : "it was stopped",
      ),
    );
  signal.addEventListener("abort", stop, { once: true });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer: promise,
    close: () => {
      signal.removeEventListener("abort", stop);
      server.close();
      server.closeIdleConnections();
    },
  };
}

function page(response: ServerResponse, status: number, words: string): void {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    connection: "close",
    "referrer-policy": "no-referrer",
  };
  response.writeHead(status, headers).end(`${words}\n`);
}
