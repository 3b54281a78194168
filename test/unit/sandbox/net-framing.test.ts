import { connect, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listen, type Listening, proxyFor, talk } from "../../support/net.ts";

/** A server that answers each connection once, when `end` was seen, keeps it open, and keeps the bytes of each connection apart. */
async function recorder(end: string): Promise<Listening & { seen: string[] }> {
  const seen: string[] = [];
  const made = await listen(
    createServer((socket) => {
      const at = seen.push("") - 1;
      socket.on("data", (chunk: Buffer) => {
        const had = seen[at] ?? "";
        const now = had + chunk.toString("latin1");
        seen[at] = now;
        if (!had.includes(end) && now.includes(end)) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    }),
  );
  onTestFinished(() => made.close());
  return { ...made, seen };
}

/** A proxy that may reach the target, by the person's own where one is given. */
async function proxy(target: string, upstream?: number): Promise<Listening> {
  const env = upstream === undefined ? {} : { HTTP_PROXY: `http://127.0.0.1:${upstream}` };
  const one = await proxyFor([target], { env });
  onTestFinished(() => one.close());
  return one;
}

const HIDDEN = "GET http://evil.example/smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const BODY = `${chunk(HIDDEN)}0\r\n\r\n`;

/** Head and body of what one connection carried. */
function parts(bytes: string | undefined): { head: string; body: string } {
  const [head = "", ...body] = (bytes ?? "").split("\r\n\r\n");
  return { head: `${head}\r\n`, body: body.join("\r\n\r\n") };
}

/** The body of one whole chunked message, and what came behind it. */
function unchunked(body: string): { text: string; rest: string } {
  let text = "";
  for (let at = 0; ;) {
    const line = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.slice(at, line), 16);
    if (!(size > 0)) return { text, rest: body.slice(line + 4) };
    text += body.slice(line + 2, line + 2 + size);
    at = line + 4 + size;
  }
}

for (const method of ["GET", "DELETE", "OPTIONS", "POST"]) {
  for (const way of ["directly", "through the person's own proxy"]) {
    it(`SEC-14: a chunked body of ${method} arrives in chunks ${way}, and no text of it as a request`, async () => {
      const end = await recorder("0\r\n\r\n");
      const own = way !== "directly";
      const target = own ? "plain.example:80" : `127.0.0.1:${end.port}`;
      const one = await proxy(target, own ? end.port : undefined);
      const said = await talk(
        one.port,
        `${method} http://${target}/a HTTP/1.1\r\nHost: x\r\nConnection: content-length, keep-alive\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n`,
        BODY,
      );
      expect(said).toMatch(/HTTP\/1\.1 200 OK/);
      expect(end.seen).toHaveLength(1);
      const { head, body } = parts(end.seen[0]);
      expect(head.match(/^transfer-encoding:.*$/gim)).toEqual(["transfer-encoding: chunked"]);
      expect(head).not.toMatch(/^(?:content-length|expect|keep-alive):/im);
      expect(head.match(/^connection:.*$/gim)).toEqual(["connection: close"]);
      expect(unchunked(body)).toEqual({ text: HIDDEN, rest: "" });
    }, 10_000);
  }
}

it("SEC-14: a length is passed on as it was read, and what follows it is a request of its own", async () => {
  const end = await recorder("4444");
  const one = await proxy(`127.0.0.1:${end.port}`);
  const url = `http://127.0.0.1:${end.port}`;
  await talk(
    one.port,
    `GET ${url}/a HTTP/1.1\r\nHost: x\r\nConnection: content-length\r\nContent-Length: 4\r\n\r\n4444${HIDDEN}`,
  );
  expect(end.seen).toHaveLength(1);
  const { head, body } = parts(end.seen[0]);
  expect(head.match(/^(?:content-length|transfer-encoding|connection):.*$/gim)?.toSorted()).toEqual([
    "connection: close",
    "content-length: 4",
  ]);
  expect(body).toBe("4444");
}, 10_000);

it("SEC-14: where no length is given there is no body", async () => {
  const end = await recorder("\r\n\r\n");
  const one = await proxy(`127.0.0.1:${end.port}`);
  const said = await talk(one.port, `GET http://127.0.0.1:${end.port}/a HTTP/1.1\r\nHost: x\r\n\r\n${HIDDEN}`);
  expect(said).toMatch(/^HTTP\/1\.1 200[^]*HTTP\/1\.1 403/);
  expect(end.seen).toHaveLength(1);
  expect(parts(end.seen[0]).body).toBe("");
}, 10_000);

it("SEC-14: two requests of one client never share a connection onwards", async () => {
  const end = await recorder("\r\n\r\n");
  const one = await proxy("plain.example:80", end.port);
  const get = `GET http://plain.example/a HTTP/1.1\r\nHost: x\r\n\r\n`;
  await talk(one.port, get, get);
  expect(end.seen).toHaveLength(2);
  expect(end.seen.map((bytes) => bytes.match(/HTTP\/1\.1/g)?.length)).toEqual([1, 1]);
}, 10_000);

it.each([
  ["both", "Content-Length: 4\r\nTransfer-Encoding: chunked"],
  ["both, the other way round", "Transfer-Encoding: chunked\r\nContent-Length: 4"],
  ["a coding beyond chunks", "Transfer-Encoding: gzip, chunked"],
  ["an unknown coding", "Transfer-Encoding: xchunked"],
  ["two lengths", "Content-Length: 4\r\nContent-Length: 5"],
  ["chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"],
  ["a length that is none", "Content-Length: +4"],
])(
  "SEC-14: a body with %s is refused, and nobody is connected to",
  async (_, lines) => {
    const end = await recorder("\r\n\r\n");
    const one = await proxy(`127.0.0.1:${end.port}`);
    const said = await talk(
      one.port,
      `POST http://127.0.0.1:${end.port}/a HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n0\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(end.seen).toEqual([]);
  },
  10_000,
);

it("SEC-14: a body that breaks off is never ended as a whole one", async () => {
  const end = await recorder("half");
  const one = await proxy(`127.0.0.1:${end.port}`);
  const socket = connect(one.port, "127.0.0.1");
  socket.write(
    `POST http://127.0.0.1:${end.port}/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.destroy();
  await expect.poll(() => end.seen[0]).toContain("half");
  expect(end.seen[0]).not.toContain("0\r\n\r\n");
}, 10_000);
