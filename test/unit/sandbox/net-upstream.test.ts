import { describe, expect, it } from "vitest";
import { proxyEnv, withoutPasswords } from "../../../src/sandbox/net-env.ts";
import { routesOf } from "../../../src/sandbox/net-upstream.ts";
import { net } from "../../support/net.ts";

describe("the person's proxy", () => {
  it("is taken by scheme, small letters first, ALL_PROXY for what has none", () => {
    const route = routesOf({ https_proxy: "http://a:1", HTTPS_PROXY: "http://b:2", ALL_PROXY: "c:3" });
    expect(route("https", net("h.example:443"))).toEqual({ host: "a", port: 1, tls: false });
    expect(route("http", net("h.example:80"))).toEqual({ host: "c", port: 3, tls: false });
    expect(routesOf({})("https", net("h.example:443"))).toBe("direct");
  });

  it("may be reached by TLS, have a password, or be of no use", () => {
    const of = (HTTPS_PROXY: string) => routesOf({ HTTPS_PROXY })("https", net("h.example:443"));
    expect(of("https://p.example")).toEqual({ host: "p.example", port: 443, tls: true });
    expect(of("http://u:p%3A@p.example:3128/")).toEqual({
      host: "p.example",
      port: 3128,
      tls: false,
      authorization: `Basic ${Buffer.from("u:p:").toString("base64")}`,
    });
    expect(of("http://[::1]:3128")).toMatchObject({ host: "::1" });
    for (const bad of ["socks5h://p.example:1080", "http://", "http://p.example:port"])
      expect(of(bad)).toHaveProperty("problem");
  });

  it("is left out for what NO_PROXY names, and for this machine", () => {
    const env = {
      ALL_PROXY: "p:1",
      NO_PROXY: "corp.example, .dot.example,*.star.example,only.example:8443 10.0.0.0/8,::2",
    };
    const route = routesOf(env);
    for (const direct of [
      "corp.example:443",
      "a.corp.example:443",
      "a.dot.example:1",
      "dot.example:1",
      "a.star.example:1",
      "only.example:8443",
      "10.1.2.3:80",
      "[::2]:80",
      "localhost:80",
      "127.0.0.9:80",
      "[::1]:80",
    ])
      expect(route("https", net(direct))).toBe("direct");
    for (const led of ["notcorp.example:443", "corp.example.org:443", "only.example:443", "11.1.2.3:80", "[::3]:80"])
      expect(route("https", net(led))).toHaveProperty("port", 1);
    expect(routesOf({ ALL_PROXY: "p:1", no_proxy: "*" })("http", net("h.example:80"))).toBe("direct");
  });
});

describe("what a command's programs are told", () => {
  it("T7: the proxy by every name, the copy's own servers without it unless this machine is named", () => {
    const env = proxyEnv(4711, [net("h.example:443")]);
    for (const name of [
      "http_proxy",
      "HTTPS_PROXY",
      "all_proxy",
      "npm_config_https_proxy",
      "PIP_PROXY",
      "CARGO_HTTP_PROXY",
    ])
      expect(env[name]).toBe("http://127.0.0.1:4711");
    expect(env["NO_PROXY"]).toBe("localhost,127.0.0.1,::1");
    expect(proxyEnv(1, [net("127.0.0.1:80")])["no_proxy"]).toBe("localhost,::1");
  });

  it("T7: no password of the person's proxies enters a copy", () => {
    const env = {
      https_proxy: "http://me:s3cret@p.example:3128",
      HTTP_PROXY: "me:s3cr@t@p.example:1",
      ALL_PROXY: "socks5://p.example:1",
      NO_PROXY: "a@b",
      OTHER: "x@y",
    };
    expect(withoutPasswords(env)).toEqual({
      https_proxy: "http://p.example:3128",
      HTTP_PROXY: "p.example:1",
      ALL_PROXY: "socks5://p.example:1",
      NO_PROXY: "a@b",
      OTHER: "x@y",
    });
  });
});
