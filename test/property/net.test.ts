import fc from "fast-check";
import { isIP } from "node:net";
import { describe, expect, it } from "vitest";
import { addressKind, mayDial } from "../../src/sandbox/net-address.ts";
import { named, netHostText, plainHost, readNetHost } from "../../src/sandbox/net-host.ts";
import { deepRuns } from "../support/deep.ts";

const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9_-]{0,8}[a-z0-9_])?$/);
const host = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join(".")),
  fc.domain(),
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom("localhost", "a.example", "b.a.example"),
);
const noise = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .tuple(host, fc.constantFrom("\0", "@", ":", "/", "#", "%", " ", "\u04cf", "\\", "*", ".", "%00"), host)
    .map((t) => t.join("")),
);

describe("hosts by the proxy", () => {
  it("SEC-14: what is a host is one to the URL parser as well, and the same one", () => {
    fc.assert(
      fc.property(fc.oneof(host, noise), (text) => {
        const plain = plainHost(text);
        if (plain === undefined) return;
        expect(plain).toMatch(/^[a-z0-9_.:-]+$/);
        expect(plainHost(plain)).toBe(plain);
        const shown = isIP(plain) === 6 ? `[${plain}]` : plain;
        if (URL.canParse(`http://${shown}/`)) expect(new URL(`http://${shown}/`).hostname).toBe(shown);
      }),
      deepRuns(3000, 1_000_000),
    );
  });

  it("SEC-14: a target is let through only where one entry is the same text, or any host with its port", () => {
    const entry = fc.record({
      host: fc.oneof({ weight: 9, arbitrary: host }, { weight: 1, arbitrary: fc.constant("*") }),
      port: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 4 }),
        fc.oneof(host, noise),
        fc.integer({ min: 1, max: 4 }),
        (list, text, port) => {
          const allowed = list.flatMap((e) => readNetHost(netHostText(e)) ?? []);
          const target = readNetHost(text, port);
          if (target === undefined) return;
          const same = allowed.some((a) => (a.host === "*" || a.host === target.host) && a.port === target.port);
          expect(named(allowed, target)).toBe(same);
          // Whatever is put around a host is another host.
          for (const other of [`${target.host}x`, `x${target.host}`, `x.${target.host}`, `${target.host}.x`]) {
            const strange = readNetHost(other, port);
            if (strange !== undefined && strange.host !== target.host) expect(named([target], strange)).toBe(false);
          }
        },
      ),
      deepRuns(3000, 1_000_000),
    );
  });

  it("SEC-14: an IPv4 address is judged the same in every dress", () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        const kind = addressKind(v4, new Set());
        const [a = 0, b = 0, c = 0, d = 0] = v4.split(".").map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const dress of [`::ffff:${v4}`, `64:ff9b::${v4}`, `2002:${hex}::`])
          expect(addressKind(dress, new Set())).toBe(kind);
        const target = { host: "h.example", port: 1 };
        expect(mayDial(v4, target, [target, { host: "*", port: 1 }], new Set())).toBe(kind === "public");
        expect(mayDial(v4, target, [{ host: v4, port: 1 }], new Set())).toBe(true);
      }),
      deepRuns(2000, 500_000),
    );
  });
});
