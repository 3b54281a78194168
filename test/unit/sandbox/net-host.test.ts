import { describe, expect, it } from "vitest";
import { addressKind, mayDial } from "../../../src/sandbox/net-address.ts";
import { named, netHostText, plainHost, readNetHost } from "../../../src/sandbox/net-host.ts";
import { net } from "../../support/net.ts";

describe("hosts", () => {
  it.each([
    ["Registry.Example.", "registry.example"],
    ["[::1]", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["::FFFF:127.0.0.1", "::ffff:7f00:1"],
    ["10.0.0.1", "10.0.0.1"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["_acme.example", "_acme.example"],
    ["localhost", "localhost"],
  ])("SEC-14: %s is %s", (text, host) => {
    expect(plainHost(text)).toBe(host);
  });

  it.each([
    "",
    ".",
    "a..b",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "127.1",
    "127.0.0.1.",
    "1.2.3.04",
    "evil.invalid\0.docs.example",
    "docs.example@evil.invalid",
    "a b",
    "a/b",
    "h\u00e9.example",
    "docs.examp\u04cfe.test",
    "-a.example",
    "a-.example",
    "*.example",
    "fe80::1%eth0",
    "[a.example]",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(130)}example`,
  ])("SEC-14: %j is no host", (text) => {
    expect(plainHost(text)).toBeUndefined();
  });

  it("reads host:port, a port of its own only where one is given, and * alone as any host", () => {
    expect(readNetHost("H.example:443")).toEqual({ host: "h.example", port: 443 });
    expect(readNetHost("h.example")).toBeUndefined();
    expect(readNetHost("h.example", 80)).toEqual({ host: "h.example", port: 80 });
    expect(readNetHost("[::1]:80")).toEqual({ host: "::1", port: 80 });
    expect(readNetHost("*:443")).toEqual({ host: "*", port: 443 });
    for (const bad of ["::1:80", "h:0", "h:65536", "h:443:443", "h:", ":443", "https://h:443", "h:4a", "*", "h:443/x"])
      expect(readNetHost(bad)).toBeUndefined();
    expect(netHostText({ host: "::1", port: 80 })).toBe("[::1]:80");
  });

  it("SEC-14: hosts are compared whole, with their port", () => {
    const allowed = ["docs.example:443", "1.2.3.4:80"].map(net);
    expect(named(allowed, net("DOCS.example.:443"))).toBe(true);
    for (const other of [
      "docs.example:80",
      "docs.example.evil.invalid:443",
      "evil-docs.example:443",
      "ocs.example:443",
      "a.docs.example:443",
      "example:443",
      "11.2.3.4:80",
    ])
      expect(named(allowed, net(other))).toBe(false);
    expect(named([net("*:443")], net("any.example:443"))).toBe(true);
    expect(named([net("*:443")], net("any.example:80"))).toBe(false);
  });
});

describe("addresses", () => {
  const own = new Set(["203.0.114.7", "2600::7"]);
  it.each([
    ["8.8.8.8", "public"],
    ["2600::1", "public"],
    ["203.0.114.7", "own"],
    ["2600:0::7", "own"],
    ["127.0.0.53", "loopback"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::127.0.0.1", "loopback"],
    ["169.254.169.254", "link-local"],
    ["::ffff:169.254.169.254", "link-local"],
    ["64:ff9b::a9fe:a9fe", "link-local"],
    ["2002:a9fe:a9fe::1", "link-local"],
    ["fe80::1", "link-local"],
    ["10.255.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["172.32.0.1", "public"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "private"],
    ["fd00:ec2::254", "private"],
    ["64:ff9b::10.0.0.1", "private"],
    ["203.0.113.80", "public"],
    ["198.18.0.9", "public"],
    ["0.0.0.0", "reserved"],
    ["::", "reserved"],
    ["224.0.0.1", "reserved"],
    ["255.255.255.255", "reserved"],
    ["ff02::1", "reserved"],
    ["64:ff9b:1::1", "reserved"],
  ])("SEC-14: %s is %s", (address, kind) => {
    expect(addressKind(address, own)).toBe(kind);
  });

  it("SEC-14: what is inside is reached only where the address itself is named, or localhost", () => {
    const may = (address: string, target: string, ...allowed: string[]): boolean =>
      mayDial(address, net(target), allowed.map(net), own);
    expect(may("8.8.8.8", "h.example:1", "h.example:1")).toBe(true);
    expect(may("10.0.0.1", "h.example:1", "h.example:1")).toBe(false);
    expect(may("10.0.0.1", "h.example:1", "h.example:1", "10.0.0.1:1")).toBe(true);
    expect(may("10.0.0.1", "h.example:1", "h.example:1", "10.0.0.1:2")).toBe(false);
    expect(may("10.0.0.1", "10.0.0.1:1", "*:1")).toBe(false);
    expect(may("10.0.0.1", "10.0.0.1:1", "10.0.0.1:1")).toBe(true);
    expect(may("127.0.0.1", "localhost:1", "localhost:1")).toBe(true);
    expect(may("127.0.0.1", "a.localhost:1", "localhost:1")).toBe(false);
    // A name server that says so doesn't make it that.
    expect(may("169.254.169.254", "localhost:1", "localhost:1")).toBe(false);
    expect(may("203.0.114.7", "h.example:1", "h.example:1")).toBe(false);
  });
});
