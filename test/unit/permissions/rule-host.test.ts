import { describe, expect, it } from "vitest";
import type { Need, Rule } from "../../../src/events/effect.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { allow, deny, needing } from "./effects.ts";

type Network = Need & { kind: "network" };
const net = (host: string, more: Partial<Network> = {}): Network => ({ kind: "network", host, port: 443, ...more });
const page = (host: string, more: Partial<Network> = {}): Network => net(host, { get: "https", ...more });
function action(need: Network, ...rules: Rule[]): string {
  return decide(needing([need], { tool: "x" }), "ask", rules, true).action;
}
const any = allow("Network(*:*)", "cli");

/** The same host in other clothes: none is allowed by a rule for another, each is denied by it. */
const DRESSED: readonly (readonly [rule: string, host: string])[] = [
  ["127.0.0.1", "2130706433"],
  ["127.0.0.1", "0x7f000001"],
  ["127.0.0.1", "0x7f.1"],
  ["127.0.0.1", "0177.0.0.1"],
  ["127.0.0.1", "127.1"],
  ["127.0.0.1", "[::ffff:127.0.0.1]"],
  ["127.0.0.1", "::ffff:7f00:1"],
  ["127.0.0.1", "localhost"],
  ["127.0.0.1", "api.localhost"],
  ["127.0.0.1", "::1"],
  ["localhost", "127.8.9.1"],
  ["localhost", "[::1]"],
  ["169.254.0.1", "::ffff:a9fe:1"],
  ["169.254.0.1", "64:ff9b::a9fe:1"],
  ["::ffff:a9fe:1", "169.254.0.1"],
  ["1.2.3.4", "１.２.３.４"],
  ["1.2.3.4", "1.2.3.4."],
  ["host.test", "user@host.test"],
  ["host.test", "ｈost.test"],
  ["xn--bcher-kva.test", "b\u00fccher.test"],
  ["xn--bcher-kva.test", "B\u00dcCHER.test"],
  ["b\u00fccher.test", "xn--bcher-kva.test"],
];

describe("P6: hosts are exact to allow, and the same in whatever dress to deny", () => {
  it.each(DRESSED)("a deny of %s finds %s, an allow does not", (rule, host) => {
    const written = rule.includes(":") ? `[${rule}]` : rule;
    expect(action(net(host), any, deny(`Network(${written})`))).toBe("deny");
    expect(action(page(host), any, deny(`WebFetch(${written})`))).toBe("deny");
    const plain = host.startsWith("1.2.3.4") ? "ask" : action(net(host), allow(`Network(${written}:443)`, "cli"));
    expect(plain).toBe("ask");
  });
  it("an allow takes letter case, one dot at the end and the short form of an address for the same", () => {
    for (const [rule, host] of [
      ["Host.Test.:443", "HOST.test."],
      ["[0:0::1]:443", "::1"],
      ["[::1]:443", "[0:0:0:0:0:0:0:1]"],
    ] as const)
      expect(action(net(host), allow(`Network(${rule})`, "cli"))).toBe("allow");
    expect(action(net("host.test.."), allow("Network(host.test:443)", "cli"))).toBe("ask");
  });
  it("a host that nobody can read is under every deny, and under no allow but all there is", () => {
    for (const host of ["", "a b", "h\0.test", "[::1", "h.test#x", "h.test/", "h.test\\.x"]) {
      expect(action(net(host), any, deny("Network(other.test)"))).toBe("deny");
      expect(action(net(host), allow("Network(h.test:443)", "cli"))).toBe("ask");
    }
  });
  it("a name's neighbours stay free", () => {
    for (const other of ["nothost.test", "host.test.evil.invalid", "test", "1.2.3.5", "::2"])
      for (const rule of ["Network(host.test)", "Network(1.2.3.4)", "Network([::3])", "Network(*.host.test)"])
        expect(action(net(other), any, deny(rule))).toBe("allow");
    expect(action(net("a.host.test"), any, deny("Network(host.test)"))).toBe("allow");
    expect(action(net("1.2.3.4"), any, deny("WebFetch(domain:3.4)"))).toBe("allow");
  });
});

describe("P3: a page's host", () => {
  it("is lifted by scheme, host and port alone, of a session too", () => {
    const rule = (text: string) => allow(text, "session");
    expect(action(page("docs.test"), rule("WebFetch(https://docs.test)"))).toBe("allow");
    expect(action(page("docs.test", { get: "http", port: 8080 }), rule("WebFetch(http://docs.test:8080)"))).toBe(
      "allow",
    );
    for (const other of [
      page("docs.test", { get: "http" }),
      page("docs.test", { port: 8443 }),
      page("a.docs.test"),
      page("docs.test.evil.invalid"),
      page("docs.test@evil.invalid"),
      page("docs.test", { port: 80, get: "http" }),
      net("docs.test"),
    ])
      expect(action(other, rule("WebFetch(https://docs.test)"))).toBe("ask");
    expect(action(page("docs.test"), rule("Network(docs.test:443)"))).toBe("ask");
    expect(action(page("docs.test"), allow("Network(docs.test:443)", "cli"))).toBe("allow");
    expect(action(page("docs.test"), allow("WebFetch(https://docs.test)", "project"))).toBe("ask");
  });
  it("is denied by domain with all below it, and a command's own network is not", () => {
    const rule = deny("WebFetch(domain:docs.test)");
    for (const host of ["docs.test", "a.docs.test", "A.b.DOCS.test."]) {
      expect(action(page(host), any, rule)).toBe("deny");
      expect(action(net(host), any, rule)).toBe("allow");
    }
    expect(action(page("notdocs.test"), any, rule)).toBe("allow");
    expect(action(page("docs.test", { get: "http" }), any, deny("WebFetch(https://docs.test)"))).toBe("allow");
    expect(action(page("docs.test", { port: 80 }), any, deny("WebFetch(docs.test:443)"))).toBe("allow");
    expect(action(page("docs.test"), any, deny("WebFetch(https://*)"))).toBe("deny");
    expect(action(page("docs.test"), any, deny("WebFetch(*.test)"))).toBe("deny");
  });
  it("is told with its scheme", () => {
    expect(decide(needing([page("docs.test")]), "ask", [], true)).toMatchObject({
      risk: "high",
      reason: "gets a page from https://docs.test:443",
    });
  });
});
