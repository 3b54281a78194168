import { execFile } from "node:child_process";
import { connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { missingTool, needs } from "../../support/runnable.ts";
import { echo, listen, type Listening, net, origin, proxyFor, talk, world } from "../../support/net.ts";

async function open<T extends Listening>(made: Promise<T>): Promise<T> {
  const one = await made;
  onTestFinished(() => one.close());
  return one;
}

function run(file: string, args: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...env } }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out: out + err }),
    );
  });
}

const curl = (proxy: number, url: string, ...more: string[]): Promise<{ code: number; out: string }> =>
  run("curl", ["-sS", "-m", "20", "--noproxy", "", "-x", `http://127.0.0.1:${proxy}`, ...more, url]);

describe("the proxy by HTTP", () => {
  it("W1: a named host is reached by plain HTTP, its body passed on, and counted", async () => {
    const web = await open(origin("hello"));
    const one = await open(proxyFor([`127.0.0.1:${web.port}`]));
    const said = await talk(
      one.port,
      `POST http://127.0.0.1:${web.port}/a?b=1 HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nConnection: x-drop\r\nX-Drop: 1\r\nX-Keep: 1\r\nContent-Length: 4\r\n\r\nbody`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*hello/);
    expect(said).toContain("x-origin: 1");
    const [seen] = web.seen;
    expect(seen).toMatchObject({ method: "POST", url: "/a?b=1", body: "body" });
    expect(seen?.headers).toMatchObject({ "x-keep": "1" });
    expect(seen?.headers).not.toHaveProperty("proxy-authorization");
    expect(seen?.headers).not.toHaveProperty("x-drop");
    const [use] = one.proxy.uses;
    expect(use).toMatchObject({ host: "127.0.0.1", port: web.port });
    expect(use?.up).toBeGreaterThan(50);
    expect(use?.down).toBeGreaterThan(50);
  });

  it("W1: the address of the request counts, never its Host header", async () => {
    const web = await open(origin());
    const one = await open(proxyFor(["allowed.example:80"], { world: world({ "allowed.example": ["127.0.0.1"] }) }));
    const said = await talk(
      one.port,
      `GET http://127.0.0.1:${web.port}/ HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 403/);
    expect(said).toContain(`refused 127.0.0.1:${web.port}: it was not named by this call`);
    expect(web.seen).toEqual([]);
    expect(one.proxy.refusals).toMatchObject([{ host: "127.0.0.1", port: web.port }]);
    expect(one.proxy.uses).toEqual([]);
  });

  it("W1: each request of one connection is judged by itself", async () => {
    const web = await open(origin());
    const one = await open(proxyFor([`127.0.0.1:${web.port}`]));
    const get = (host: string): string => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const said = await talk(one.port, get(`127.0.0.1:${web.port}`), get("evil.example"));
    expect(said).toMatch(/^HTTP\/1\.1 200[^]*HTTP\/1\.1 403/);
    expect(web.seen).toHaveLength(1);
  });

  it.each([
    "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http://user@h.example/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http://h.example\\@other/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET ftp://h.example/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http://2130706433/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http://*:80/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "CONNECT h.example HTTP/1.1\r\nHost: h\r\n\r\n",
    "CONNECT *:443 HTTP/1.1\r\nHost: h\r\n\r\n",
    "CONNECT 0x7f000001:443 HTTP/1.1\r\nHost: h\r\n\r\n",
  ])("SEC-14: what names no host is a bad request: %j", async (request) => {
    const one = await open(proxyFor(["*:80", "*:443"]));
    expect(await talk(one.port, request)).toMatch(/^HTTP\/1\.1 400 /);
    expect([one.proxy.uses, one.proxy.refusals]).toEqual([[], []]);
  });

  it("SEC-14: a request that hides another one is not passed on", async () => {
    const web = await open(origin());
    const one = await open(proxyFor([`127.0.0.1:${web.port}`]));
    await talk(
      one.port,
      `POST http://127.0.0.1:${web.port}/ HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\n\r\n`,
    );
    expect(web.seen.map((s) => s.url)).not.toContain("/hidden");
  });

  it("W1: a tunnel carries bytes untouched both ways, those sent along at once too", async () => {
    const back = await open(echo());
    const one = await open(proxyFor([`127.0.0.1:${back.port}`]));
    const all = Array.from({ length: 256 }, (_, n) => String.fromCharCode(n)).join("");
    const said = await talk(
      one.port,
      Buffer.from(`CONNECT 127.0.0.1:${back.port} HTTP/1.1\r\nHost: x\r\n\r\n${all}`, "latin1"),
    );
    expect(said).toContain("200 Connection Established\r\n\r\n");
    expect(said.endsWith(all) || all.startsWith(said.split("\r\n\r\n")[1] ?? "?")).toBe(true);
    expect(one.proxy.uses).toMatchObject([{ host: "127.0.0.1", port: back.port, up: 256, down: 256 }]);
  });

  it("W1: curl is let through to what is named and told of what is not", async (ctx) => {
    needs(ctx, missingTool("curl"));
    const web = await open(origin("by curl"));
    const one = await open(proxyFor([`127.0.0.1:${web.port}`]));
    const url = `http://127.0.0.1:${web.port}/x`;
    expect(await curl(one.port, url)).toMatchObject({ code: 0, out: "by curl" });
    expect(await curl(one.port, url, "--proxytunnel")).toMatchObject({ code: 0, out: "by curl" });
    const other = await curl(one.port, "http://evil.example/");
    expect(other.out).toContain("refused evil.example:80");
    const tunnel = await curl(one.port, "https://evil.example/");
    expect(tunnel.code).toBe(56);
    expect(tunnel.out).toContain("403");
    for (const scheme of ["socks5", "socks5h"]) {
      const by = ["-sS", "-m", "20", "-x", `${scheme}://127.0.0.1:${one.port}`];
      expect(await run("curl", [...by, "--noproxy", "", url])).toMatchObject({ code: 0, out: "by curl" });
    }
  });

  it("W1: a host that does not answer is a bad gateway with the reason", async () => {
    const gone = await listen(createServer());
    await gone.close();
    const one = await open(proxyFor([`127.0.0.1:${gone.port}`, "nowhere.example:443"]));
    const refused = await talk(one.port, `CONNECT 127.0.0.1:${gone.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(refused).toMatch(/^HTTP\/1\.1 502 [^]*can't be reached: connect ECONNREFUSED/);
    const unknown = await talk(one.port, "CONNECT nowhere.example:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(unknown).toMatch(/^HTTP\/1\.1 502 [^]*nowhere\.example is not known/);
  });
});

const SOCKS_HELLO = Buffer.from([5, 1, 0]);
const byName = (name: string, port: number): Buffer =>
  Buffer.concat([
    Buffer.from([5, 1, 0, 3, Buffer.byteLength(name, "latin1")]),
    Buffer.from(name, "latin1"),
    Buffer.from([port >> 8, port & 255]),
  ]);

describe("the proxy by SOCKS5", () => {
  it("W1: a named host is reached by its name, which is looked up outside", async () => {
    const back = await open(echo());
    const names = world({ localhost: ["127.0.0.1"] });
    const one = await open(proxyFor([`localhost:${back.port}`], { world: names }));
    const said = await talk(one.port, SOCKS_HELLO, byName("localhost", back.port), "over socks");
    expect(said).toMatch(/^\x05\x00\x05\x00[^]{8}over socks$/);
    expect(names.asked).toEqual(["localhost"]);
  });

  it.each([
    ["another host", byName("evil.example", 443), 2],
    ["a NUL in the name", byName("evil.invalid\0.h.example", 443), 8],
    ["an empty name", byName("", 443), 8],
    ["a number for a name", byName("2130706433", 443), 8],
    ["letters that look alike", byName("h.ex\u00e4mple", 443), 8],
    ["port 0", byName("h.example", 0), 8],
    ["listening", Buffer.from([5, 2, 0, 1, 127, 0, 0, 1, 0, 80]), 7],
    ["UDP", Buffer.from([5, 3, 0, 1, 127, 0, 0, 1, 0, 80]), 7],
    ["an address that is not named", Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, 0, 80]), 2],
    ["IPv6 that is not named", Buffer.from([5, 1, 0, 4, ...Array.from({ length: 15 }, () => 0), 1, 0, 80]), 2],
  ])("SEC-14: %s is refused", async (_, request, code) => {
    const names = world({ "h.example": ["127.0.0.1"] });
    const one = await open(proxyFor(["h.example:443"], { world: names }));
    const said = await talk(one.port, SOCKS_HELLO, request);
    expect(Buffer.from(said, "latin1").subarray(0, 4)).toEqual(Buffer.from([5, 0, 5, code]));
    expect(names.asked).toEqual([]);
    expect(one.proxy.uses).toEqual([]);
  });

  it("takes no passwords, and closes on what is no SOCKS", async () => {
    const one = await open(proxyFor(["h.example:443"]));
    expect(await talk(one.port, Buffer.from([5, 1, 2]))).toBe("\x05\xff");
    expect(await talk(one.port, SOCKS_HELLO, Buffer.from([5, 1, 0, 9, 1, 1, 1, 1]))).toBe("\x05\x00");
  });
});

describe("where a name leads", () => {
  const tunnel = (host: string, port: number): string => `CONNECT ${host}:${port} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it("SEC-14: a named host that leads inside is refused by its address, and the address has to be named", async () => {
    const back = await open(echo());
    const names = world({
      "rebind.example": ["127.0.0.1"],
      "meta.example": ["169.254.169.254"],
      "lan.example": ["10.1.2.3"],
      "me.example": ["203.0.114.7"],
      "mapped.example": ["::ffff:127.0.0.1"],
    });
    const allowed = Object.keys({ "rebind.example": 1, "meta.example": 1, "lan.example": 1, "me.example": 1 });
    const one = await open(
      proxyFor(
        [...allowed, "mapped.example"].map((h) => `${h}:${back.port}`),
        { world: names },
      ),
    );
    for (const [host, word] of [
      ["rebind.example", "this machine itself"],
      ["meta.example", "link-local"],
      ["lan.example", "private network"],
      ["me.example", "address of this machine"],
      ["mapped.example", "this machine itself"],
    ] as const) {
      const said = await talk(one.port, tunnel(host, back.port));
      expect(said).toMatch(/^HTTP\/1\.1 403/);
      expect(said).toContain(word);
    }
    expect(one.proxy.uses).toEqual([]);
    expect(one.proxy.refusals[1]).toMatchObject({ host: "meta.example", address: "169.254.169.254" });
    const both = await open(proxyFor([`rebind.example:${back.port}`, `127.0.0.1:${back.port}`], { world: names }));
    expect(await talk(both.port, tunnel("rebind.example", back.port), "hi")).toMatch(/200[^]*hi$/);
  });

  it("SEC-14: any host is no way to this machine, to the private network or to a cloud's keys", async () => {
    const back = await open(echo());
    const names = world({ "x.example": ["127.0.0.1"], localhost: ["127.0.0.1"] });
    const one = await open(proxyFor([`*:${back.port}`], { world: names }));
    for (const host of ["x.example", "localhost", "127.0.0.1", "[::1]", "169.254.169.254", "192.168.1.1", "[fe80::1]"])
      expect(await talk(one.port, tunnel(host, back.port))).toMatch(/^HTTP\/1\.1 403/);
    expect(one.proxy.uses).toEqual([]);
  });

  it("SEC-14: rebinding: the address that was checked is the one that is connected to", async () => {
    const good = await open(echo());
    let asked = 0;
    const turning = { ...world(), resolve: () => Promise.resolve(asked++ === 0 ? ["127.0.0.1"] : ["169.254.169.254"]) };
    const one = await open(proxyFor([`turn.example:${good.port}`, `127.0.0.1:${good.port}`], { world: turning }));
    expect(await talk(one.port, tunnel("turn.example", good.port), "first")).toMatch(/first$/);
    expect(asked).toBe(1);
    expect(await talk(one.port, tunnel("turn.example", good.port))).toMatch(/^HTTP\/1\.1 403[^]*169\.254\.169\.254/);
  });

  it("W1: of several addresses only those that may be reached are tried", async () => {
    const back = await open(echo());
    const names = world({ "two.example": ["10.0.0.1", "169.254.169.254", "127.0.0.1"] });
    const one = await open(
      proxyFor([`two.example:${back.port}`, `127.0.0.1:${back.port}`], { world: names, connectMs: 2000 }),
    );
    expect(await talk(one.port, tunnel("two.example", back.port), "x")).toMatch(/x$/);
  });
});

describe("bounds", () => {
  it("SEC-G10: no more connections than that at once", async () => {
    const back = await open(echo());
    const one = await open(proxyFor([`127.0.0.1:${back.port}`], { connections: 2 }));
    const held = [1, 2].map(() => connect(one.port, "127.0.0.1").on("error", () => undefined));
    onTestFinished(() => held.forEach((socket) => socket.destroy()));
    for (const socket of held) socket.write(`CONNECT 127.0.0.1:${back.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once("data", resolve))));
    const third = connect(one.port, "127.0.0.1").on("error", () => undefined);
    third.resume();
    await new Promise((resolve) => third.once("close", resolve));
    const answered = new Promise((resolve) => held[0]?.once("data", resolve));
    held[0]?.write("goes on");
    const said = await answered;
    expect(String(said)).toBe("goes on");
    held[1]?.destroy();
    // A place is free again, soon.
    for (;;) if ((await talk(one.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").catch(() => "")) !== "") break;
  });

  it("SEC-G10: a connection that is silent ends, whatever it was about", async () => {
    const back = await open(echo());
    const one = await open(proxyFor([`127.0.0.1:${back.port}`], { idleMs: 300 }));
    for (const first of ["", "\x05", "GET http", `CONNECT 127.0.0.1:${back.port} HTTP/1.1\r\nHost: x\r\n\r\n`]) {
      const socket = connect(one.port, "127.0.0.1").on("error", () => undefined);
      if (first !== "") socket.write(first);
      socket.resume();
      await new Promise((resolve) => socket.once("close", resolve));
    }
    expect(one.proxy.uses).toHaveLength(1);
  });

  it("W1: closing ends every connection at once", async () => {
    const back = await open(echo());
    const one = await open(proxyFor([`127.0.0.1:${back.port}`]));
    const socket = connect(one.port, "127.0.0.1").on("error", () => undefined);
    socket.write(`CONNECT 127.0.0.1:${back.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    one.proxy.close();
    await closed;
    await expect(talk(one.port, "x")).rejects.toThrow("ECONNREFUSED");
  });
});

describe("the person's own proxy", () => {
  it("W1: it is used beyond ours, with its password, which the command never sees", async () => {
    const web = await open(origin("through two"));
    const outer = await open(
      proxyFor([`127.0.0.1:${web.port}`, `far.example:${web.port}`], {
        world: world({ "far.example": ["127.0.0.1"] }),
      }),
    );
    const heads: string[] = [];
    const spy = await open(
      listen(
        createServer((client) => {
          const on = connect(outer.port, "127.0.0.1").on("error", () => client.destroy());
          client.once("data", (chunk: Buffer) => heads.push(chunk.toString("latin1")));
          client.pipe(on).pipe(client);
        }),
      ),
    );
    const names = world();
    const env = { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${spy.port}`, http_proxy: `127.0.0.1:${spy.port}` };
    const one = await open(proxyFor([`far.example:${web.port}`], { world: names, env }));
    // The outer one refuses by address what was not named there: it gives 403, and that is told.
    const tunnel = await talk(
      one.port,
      `CONNECT far.example:${web.port} HTTP/1.1\r\nHost: x\r\n\r\n`,
      "GET / HTTP/1.0\r\n\r\n",
    );
    expect(tunnel).toMatch(/200 Connection Established[^]*through two/);
    expect(heads[0]).toBe(
      `CONNECT far.example:${web.port} HTTP/1.1\r\nHost: far.example:${web.port}\r\nProxy-Authorization: Basic ${Buffer.from("me:p@ss").toString("base64")}\r\n\r\n`,
    );
    const plain = await talk(
      one.port,
      `GET http://far.example:${web.port}/p HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(plain).toContain("through two");
    expect(heads[1]).toContain(`GET http://far.example:${web.port}/p HTTP/1.1\r\n`);
    // Names are looked up where the person's proxy is.
    expect(names.asked).toEqual([]);
    expect(plain + tunnel).not.toContain("p@ss");
  });

  it("W1: what it refuses is told, and an address inside is refused before it is asked", async () => {
    const outer = await open(proxyFor([]));
    const env = { ALL_PROXY: `http://127.0.0.1:${outer.port}` };
    const one = await open(proxyFor(["no.example:443", "*:80"], { env }));
    expect(await talk(one.port, "CONNECT no.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 502[^]*the person's proxy answers 403/,
    );
    expect(await talk(one.port, "CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 403/);
    expect(outer.proxy.refusals).toHaveLength(1);
  });

  it("W1: one that can't be used is a refusal with its reason, never a way around it", async () => {
    const back = await open(echo());
    const env = { ALL_PROXY: "socks5://127.0.0.1:9" };
    const names = world({ "h.example": ["127.0.0.1"] });
    const one = await open(proxyFor([`h.example:${back.port}`, `127.0.0.1:${back.port}`], { env, world: names }));
    const said = await talk(one.port, `CONNECT h.example:${back.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 403[^]*speaks socks5/);
    expect(one.proxy.refusals).toMatchObject([net(`h.example:${back.port}`)]);
  });
});
