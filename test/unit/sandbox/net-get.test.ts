import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { type GetOptions, getPage, pageAddress, type PageAddress } from "../../../src/sandbox/net-get.ts";
import { listen } from "../../support/net.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";

const read = (text: string): PageAddress => {
  const address = pageAddress(text);
  if (typeof address === "string") throw new Error(address);
  return address;
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** The web, behind a proxy of the person's: it is asked for whole addresses, and no name is looked up here. */
async function web(serve: Serve): Promise<GetOptions & { seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const proxy = await listen(
    createHttp((request, response) => {
      seen.push(request);
      serve(request, response);
    }),
  );
  onTestFinished(() => proxy.close());
  return { ...options({ HTTP_PROXY: `http://who:pass@127.0.0.1:${proxy.port}` }), seen };
}

function options(env: GetOptions["env"], more: Partial<GetOptions> = {}): GetOptions {
  const signal = new AbortController().signal;
  return { env, signal, agent: "test/1", accept: "*/*", maxBytes: 1000, timeoutMs: 5000, ...more };
}

describe("pageAddress", () => {
  it("T1: what is fetched is one public address, its fragment left out", () => {
    expect(read("https://Docs.Example.com/a?b=c#d")).toMatchObject({
      scheme: "https",
      host: "docs.example.com",
      port: 443,
    });
    expect(read("https://docs.example.com/a?b=c#d").url.href).toBe("https://docs.example.com/a?b=c");
    expect(read("http://h.example:8080")).toMatchObject({ scheme: "http", port: 8080 });
  });
  it.each([
    ["docs.example.com", "is no whole address"],
    ["file:///etc/passwd", "file: is not fetched"],
    ["https://me:pass@h.example/", "never sent"],
    [`https://h.example/${"x".repeat(5000)}`, "characters"],
    ["http://localhost:3000/", "this machine itself"],
    ["http://127.1/", "this machine itself"],
    ["http://2130706433/", "this machine itself"],
    ["http://[::1]/", "this machine itself"],
    ["http://[::ffff:10.0.0.1]/", "private network"],
    ["http://169.254.169.254/latest/meta-data/", "link-local"],
    ["http://192.168.1.1/", "private network"],
    ["http://0.0.0.0/", "reserved"],
  ])("T1: %s is refused before anything is sent", (text, why) => {
    expect(pageAddress(text)).toContain(why);
  });
});

describe("getPage", () => {
  it("T1: one GET without cookies, by the person's proxy, tells status, headers, body and what went each way", async () => {
    const at = await web((_, response) => response.setHeader("set-cookie", "a=b").end("page"));
    const got = await getPage(read("http://h.example/a?b"), at);
    expect(got).toMatchObject({ status: 200, body: Buffer.from("page"), cut: false });
    expect([got.up > 50, got.down > 50]).toEqual([true, true]);
    const [request] = at.seen;
    expect(request).toMatchObject({ method: "GET", url: "http://h.example/a?b" });
    expect(request?.headers).toMatchObject({ host: "h.example", "user-agent": "test/1", accept: "*/*" });
    expect(request?.headers).toHaveProperty("proxy-authorization");
    for (const name of ["cookie", "authorization", "referer"]) expect(request?.headers).not.toHaveProperty(name);
  });
  it("T1: a redirect is told, never followed", async () => {
    const at = await web((_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end());
    expect(await getPage(read("http://h.example/"), at)).toMatchObject({ status: 302, to: "http://169.254.169.254/" });
    expect(at.seen).toHaveLength(1);
  });
  it("T1: what is packed is unpacked up to the limit, however much it would be", async () => {
    const bomb = gzipSync(Buffer.alloc(50 << 20));
    const at = await web((_, response) => response.setHeader("content-encoding", "gzip").end(bomb));
    const got = await getPage(read("http://h.example/"), at);
    expect(got).toMatchObject({ cut: true });
    expect("body" in got && got.body.length).toBe(1000);
  });
  it.each<[string, Serve, string]>([
    ["an odd packing", (_, response) => response.setHeader("content-encoding", "zstd9").end("x"), "not asked for"],
    [
      "a broken packing",
      (_, response) => response.setHeader("content-encoding", "gzip").end("no gzip"),
      "gave no answer",
    ],
    ["a connection that is cut", (request) => request.socket.destroy(), "gave no answer"],
    ["no HTTP", (request) => request.socket.end("SSH-2.0\r\n"), "gave no answer"],
    [
      "an answer that ends early",
      (_, r) => r.writeHead(200, { "content-length": "99" }).write("x", () => r.destroy()),
      "gave no answer",
    ],
  ])("T1: %s is a plain failure", async (_name, serve, why) => {
    const at = await web(serve);
    expect(await getPage(read("http://h.example/"), at)).toMatchObject({ failed: expect.stringContaining(why) });
  });
  it("T1: a host that never answers is given up, one whose answer never ends too; the person's stop ends it at once", async () => {
    const at = await web((request, response) => {
      if (request.url?.endsWith("/slow") === true) response.write("a");
    });
    for (const path of ["none", "slow"])
      expect(await getPage(read(`http://h.example/${path}`), { ...at, timeoutMs: 200 })).toHaveProperty("failed");
    const stop = new AbortController();
    const got = getPage(read("http://h.example/none"), { ...at, signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(got).rejects.toThrow();
  });
  it("T1: a name that leads inside is refused where it is dialled", async () => {
    const world = { resolve: () => Promise.resolve(["10.0.0.7"]), own: () => new Set<string>() };
    expect(await getPage(read("http://h.example/"), options({}, { world }))).toMatchObject({
      failed: "h.example leads to 10.0.0.7, an address inside the private network",
      up: 0,
    });
  });
  it("T1: over TLS the certificate must be the host's, by an authority that the machine trusts", async (ctx) => {
    needs(ctx, missingTool("openssl"));
    const dir = scratch();
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    const names = ["-subj", "/CN=h.example", "-addext", "subjectAltName=DNS:h.example"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout", key, "-out", cert, ...names], { stdio: "ignore" }); // prettier-ignore
    const ca = readFileSync(cert, "utf8");
    const site = await listen(createHttps({ key: readFileSync(key), cert: ca }, (_, response) => response.end("safe")));
    const proxy = await listen(
      createHttp().on("connect", (_, client) => {
        const to = connect(site.port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
        to.on("error", () => client.destroy())
          .pipe(client.on("error", () => to.destroy()))
          .pipe(to);
      }),
    );
    onTestFinished(() => Promise.all([site.close(), proxy.close()]).then(() => undefined));
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await getPage(read("https://h.example/"), options(env))).toMatchObject({
      failed: expect.stringContaining("certificate"),
    });
    expect(await getPage(read("https://other.example/"), options(env, { ca }))).toMatchObject({
      failed: expect.stringContaining("altnames"),
    });
    const got = await getPage(read("https://h.example/"), options(env, { ca }));
    expect(got).toMatchObject({ status: 200, body: Buffer.from("safe") });
    expect([got.up > 50, got.down > 50]).toEqual([true, true]);
  });
});
