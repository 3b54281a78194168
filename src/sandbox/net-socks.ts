import type { Socket } from "node:net";
import { type NetHost, plainHost } from "./net-host.ts";
import type { ProxyPart } from "./net-part.ts";

const DONE = 0;
const FAILED = 1;
const NOT_ALLOWED = 2;
const UNREACHABLE = 4;
const REFUSED = 5;
const NO_COMMAND = 7;
const NO_ADDRESS = 8;

/** SOCKS5 without a password (RFC 1928): only CONNECT. A name is taken whole, whatever bytes it holds: one that is no name is refused. */
export async function socks5(client: Socket, part: ProxyPart): Promise<void> {
  try {
    const bytes = new Bytes(client);
    const [, methods = 0] = await bytes.take(2);
    const offered = await bytes.take(methods);
    if (!offered.includes(0)) return void client.end(Buffer.from([5, 0xff]));
    client.write(Buffer.from([5, 0]));
    const [version, command, , type] = await bytes.take(4);
    const host = await hostOf(type, bytes);
    const port = (await bytes.take(2)).readUInt16BE(0);
    bytes.stop();
    if (version !== 5 || command !== 1) return reply(client, NO_COMMAND);
    if (host === undefined || port === 0) return reply(client, NO_ADDRESS);
    await connect(client, { host, port }, part);
  } catch {
    client.destroy();
  }
}

async function hostOf(type: number | undefined, bytes: Bytes): Promise<string | undefined> {
  if (type === 1) return (await bytes.take(4)).join(".");
  if (type === 3) return plainHost((await bytes.take((await bytes.take(1))[0] ?? 0)).toString("latin1"));
  if (type !== 4) throw new Error("no kind of address");
  const words = await bytes.take(16);
  return plainHost(Array.from({ length: 8 }, (_, n) => words.readUInt16BE(n * 2).toString(16)).join(":"));
}

async function connect(client: Socket, target: NetHost, part: ProxyPart): Promise<void> {
  const dialed = await part.reach(target, true);
  if ("refused" in dialed) return reply(client, NOT_ALLOWED);
  if ("failed" in dialed) return reply(client, codeFor(dialed.code));
  if (client.destroyed) return void dialed.socket.destroy();
  client.write(answer(DONE));
  part.join(client, dialed.socket);
}

function codeFor(code: string): number {
  if (code === "ECONNREFUSED") return REFUSED;
  return code === "EIO" ? FAILED : UNREACHABLE;
}

function answer(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

function reply(client: Socket, code: number): void {
  client.end(answer(code));
}

/** Takes so many bytes off a connection; what comes behind the last is put back. */
class Bytes {
  readonly #socket: Socket;
  #got: Buffer = Buffer.alloc(0);
  #wake = (): void => {};
  readonly #take = (chunk: Buffer): void => {
    this.#got = Buffer.concat([this.#got, chunk]);
    this.#wake();
  };
  readonly #end = (): void => this.#wake();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#take).on("end", this.#end).on("close", this.#end).resume();
  }

  async take(count: number): Promise<Buffer> {
    while (this.#got.length < count) {
      if (this.#socket.readableEnded || this.#socket.destroyed) throw new Error("it hung up");
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const taken = this.#got.subarray(0, count);
    this.#got = this.#got.subarray(count);
    return taken;
  }

  stop(): void {
    this.#socket.off("data", this.#take).off("end", this.#end).off("close", this.#end).pause();
    if (this.#got.length > 0) this.#socket.unshift(this.#got);
  }
}
