import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notShown, shownNow } from "../../../src/sandbox/shown.ts";
import { scratch } from "../../support/scratch.ts";

function place(names: readonly string[]) {
  const dir = scratch("shown");
  for (const each of ["me/.ssh", "me/state", "me/config", "me/p/in", "me/sdk"])
    mkdirSync(join(dir, each), { recursive: true });
  writeFileSync(join(dir, "me/one"), "");
  symlinkSync(join(dir, "me/.ssh"), join(dir, "me/keys"));
  symlinkSync(join(dir, "me/sdk"), join(dir, "me/link"));
  const personHome = join(dir, "me");
  const at = (name: string) => (name.startsWith("/") ? name : join(dir, name));
  return {
    at,
    shown: names.map(at),
    roots: [{ path: at("me/p"), kind: "folder" as const }],
    personHome,
    stateDir: at("me/state"),
    configDir: at("me/config"),
  };
}

describe("what settings show to commands", () => {
  it("W1: files and folders by their real paths, each once; what a root shows needs no place of its own", () => {
    const p = place(["me/link", "me/sdk", "me/one", "me/p/in", "me/p"]);
    expect(shownNow(p)).toEqual([
      { path: p.at("me/sdk"), access: "read" },
      { path: p.at("me/one"), access: "read" },
    ]);
    expect(notShown(p)).toEqual([]);
  });
  it.each([
    ["/", "the copy has one of its own there"],
    ["/proc", "the copy has one of its own there"],
    ["/etc/ssl", "what everybody may read in /etc is there"],
    ["me", "it holds your whole home"],
    ["me/state", "it belongs to this program"],
    ["me/config", "it belongs to this program"],
    ["me/.ssh", "it holds keys of yours"],
    ["me/keys", "it holds keys of yours"],
    ["me/gone", "it is not there"],
  ])("SEC-G5: %s is not shown, and why is said", (name, why) => {
    const p = place([name]);
    expect(shownNow(p)).toEqual([]);
    expect(notShown(p)).toEqual([expect.stringContaining(`commands don't see ${p.at(name)}: ${why}`)]);
  });
});
