import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Need } from "../../../src/events/effect.ts";
import { leaving, leavingNeeds, sideEffects } from "../../../src/tools/leaving.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";
import { scratch } from "../../support/scratch.ts";
import { toolBench } from "../../support/tool-context.ts";

function bench(more: { contained?: boolean; allowed?: Need[] } = {}): { ctx: ToolContext; folder: string } {
  const { ctx, folder } = toolBench();
  const sandbox = { ...ctx.sandbox, contained: more.contained ?? true };
  return { ctx: { ...ctx, sandbox, ...(more.allowed === undefined ? {} : { allowed: more.allowed }) }, folder };
}

describe("what a command asks for beyond its copy", () => {
  it("P3: each host is a need of its own, in one form, once", async () => {
    const { ctx } = bench();
    const input = { network: ["Registry.Example:443", "registry.example.", "[::1]:80", "*:8443"] };
    expect(await leavingNeeds("x", input, ctx)).toEqual([
      { kind: "network", host: "registry.example", port: 443 },
      { kind: "network", host: "::1", port: 80 },
      { kind: "network", host: "*", port: 8443 },
    ]);
    expect(await leaving("x", input, ctx)).toEqual({
      network: false,
      hosts: [
        { host: "registry.example", port: 443 },
        { host: "::1", port: 80 },
        { host: "*", port: 8443 },
      ],
    });
    expect(await leavingNeeds("x", { network: true }, ctx)).toEqual([{ kind: "network", host: "*" }]);
    expect(await leavingNeeds("x", { network: false }, ctx)).toEqual([]);
  });

  it.each([
    "https://h.example",
    "h.example:443/x",
    "h\u00e9.example:443",
    "2130706433:80",
    "a b:1",
    "h.example:0",
    "*",
  ])("L8: %j is no host, nothing is asked and the call says how to write it", async (text) => {
    const { ctx } = bench();
    if (text === "*") {
      expect(await leavingNeeds("x", { network: [text] }, ctx)).toEqual([{ kind: "network", host: "*", port: 443 }]);
      return;
    }
    expect(await leavingNeeds("x", { network: ["ok.example:1", text] }, ctx)).toEqual([]);
    expect(await leaving("x", { network: ["ok.example:1", text] }, ctx)).toContain("Write host:port");
  });

  it("P3: a path outside is asked about where it really leads; inside needs nothing", async () => {
    const { ctx, folder } = bench();
    const out = scratch("outside");
    mkdirSync(join(out, "data"));
    writeFileSync(join(out, "file"), "");
    symlinkSync(join(out, "data"), join(folder, "link"));
    mkdirSync(join(folder, "in"));
    const outside = [
      { path: "link", access: "read" },
      { path: join(out, "file"), access: "write" },
      { path: "in", access: "write" },
    ] as const;
    const needs = await leavingNeeds("x", { outside: [...outside] }, ctx);
    expect(needs).toEqual([
      { kind: "outside", access: "read", path: join(out, "data") },
      { kind: "outside", access: "write", path: join(out, "file") },
    ]);
    expect(await leaving("x", { outside: [...outside] }, ctx)).toEqual({
      network: false,
      outside: [
        { path: join(out, "data"), access: "read" },
        { path: join(out, "file"), access: "write" },
      ],
    });
    // Both wanted: it is written.
    const both = [
      { path: out, access: "write" },
      { path: out, access: "read" },
    ] as const;
    expect(await leavingNeeds("x", { outside: [...both] }, ctx)).toMatchObject([{ access: "write", path: out }]);
  });

  it.each([
    ["/", "can't be shown"],
    ["/proc/self", "can't be shown"],
    ["/run", "can't be shown"],
    ["/dev/null", "neither a file nor a folder"],
    ["/nonexistent/x", "is not there"],
  ])("SANDBOX-H10: %s is refused with what to do", async (path, why) => {
    const { ctx } = bench();
    const outside = [{ path, access: "read" as const }];
    expect(await leavingNeeds("x", { outside }, ctx)).toEqual([]);
    expect(await leaving("x", { outside }, ctx)).toContain(why);
  });

  it("P3: only what was allowed is given, also when a link moved meanwhile", async () => {
    const out = scratch("outside");
    const allowed: Need[] = [{ kind: "network", host: "a.example", port: 443 }];
    const { ctx } = bench({ allowed });
    expect(await leaving("x", { network: ["a.example:443"] }, ctx)).toHaveProperty("hosts");
    for (const more of [
      { network: ["a.example:443", "b.example:443"] },
      { network: ["a.example:80"] },
      { network: true },
      { outside: [{ path: out, access: "read" as const }] },
      { unsandboxed: true },
    ])
      expect(await leaving("x", more, ctx)).toContain("Try again");
  });

  it("P10: out of the copy is one need, whatever else is named; without a copy there is nothing to leave", async () => {
    const { ctx } = bench();
    const input = { unsandboxed: true, network: ["a.example:443"] };
    expect(await leavingNeeds("docker ps", input, ctx)).toEqual([{ kind: "unsandboxed", words: "docker ps" }]);
    expect(await leaving("docker ps", input, ctx)).toEqual({ network: true, unsandboxed: true });
    expect(await leaving("x", input, bench({ contained: false }).ctx)).toEqual({ network: false });
  });
});

describe("what no undo takes back", () => {
  it("P5: what was reached, the whole network, writes outside, a run outside", () => {
    const use = { host: "a.example", port: 443, up: 1, down: 2 };
    expect(sideEffects({ network: false }, {})).toEqual([]);
    expect(sideEffects({ network: false, hosts: [{ host: "a.example", port: 443 }] }, { reached: [use] })).toEqual([
      { kind: "network", ...use },
    ]);
    expect(sideEffects({ network: true }, {})).toEqual([{ kind: "whole-network" }]);
    const outside = [
      { path: "/r", access: "read" },
      { path: "/w", access: "write" },
    ] as const;
    expect(sideEffects({ network: false, outside: [...outside] }, {})).toEqual([{ kind: "outside", path: "/w" }]);
    expect(sideEffects({ network: true, unsandboxed: true }, {})).toEqual([{ kind: "unsandboxed" }]);
  });
});
