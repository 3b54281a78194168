import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { hidesOf } from "../../../src/permissions/hides.ts";
import { MOST_OF_A_KIND, withoutCrowds } from "../../../src/permissions/rule-crowd.ts";
import { placeOf } from "../../../src/session/jsonc.ts";
import { projectSettingsFile, userSettingsFile } from "../../../src/session/rules-files.ts";
import { loadSettings } from "../../../src/session/settings.ts";
import { scratch } from "../../support/scratch.ts";
import { command, entry, landing, needing } from "../permissions/effects.ts";

const many = (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => text(i));

function load(files: Record<string, object>) {
  const dir = scratch("crowd");
  const folder = join(dir, "p");
  const place = { configDir: join(dir, "c"), folder, home: join(dir, "home") };
  for (const [name, permissions] of Object.entries(files)) {
    const file = name === "user" ? userSettingsFile(place.configDir) : join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ permissions }, undefined, 1));
  }
  expect(projectSettingsFile(folder)).toBe(join(folder, ".agent/settings.json"));
  return loadSettings(place);
}

describe("P6: a project with more rules than can be looked at one by one", () => {
  it("denies everything of the kind, says so in one line, and other kinds count one by one", () => {
    const { rules, notices } = load({
      ".agent/settings.json": { deny: [...many(20_000, (i) => `Bash(a${i} *)`), "Edit(b)"], ask: ["Read(c)"] },
    });
    expect(rules.map((r) => `${r.action} ${r.text}`).toSorted()).toEqual(["ask Read(c)", "deny Bash", "deny Edit(b)"]);
    expect(notices).toEqual([
      expect.stringMatching(
        /settings\.json:4: 20,000 deny rules that begin as Bash does are more than 300: everything of that kind is denied until there are fewer$/,
      ),
    ]);
    expect(decide(command("ls"), "auto", rules, true).action).toBe("deny");
    expect(decide(landing([entry("a")]), "auto", rules, true).action).toBe("allow");
  });
  it("of reads the copy shows nothing either, also where the file is another program's", () => {
    for (const file of [".agent/settings.json", ".claude/settings.json"]) {
      const { rules } = load({ [file]: { deny: many(600, (i) => `Read(k${i}/**)`) } });
      expect(rules.map((r) => r.text)).toEqual(["Read(**)"]);
      expect(hidesOf(rules)?.touches("any/file")).toBe("yes");
    }
  });
  it("hosts, servers' tools and asks alike; as many as are looked at stay what they are", () => {
    const ask = [...many(301, (i) => `Network(h${i}.test:443)`), ...many(301, (i) => `mcp__s__t${i}`)];
    const { rules } = load({ ".agent/settings.json": { ask, deny: many(MOST_OF_A_KIND, (i) => `Edit(f${i})`) } });
    expect(rules.filter((r) => r.action === "ask").map((r) => r.text)).toEqual(["Network", "mcp__*"]);
    expect(rules.filter((r) => r.action === "deny")).toHaveLength(MOST_OF_A_KIND);
    const net = needing([{ kind: "network", host: "x.test", port: 443 }]);
    expect(
      decide(net, "auto", [...rules, { action: "allow", text: "Network(x.test:443)", source: "cli" }], true),
    ).toMatchObject({ action: "ask" });
  });
  it("files together count as one", () => {
    const deny = (name: string) => ({ deny: many(200, (i) => `Edit(${name}${i})`) });
    const { rules, notices } = load({ ".agent/settings.json": deny("a"), ".claude/settings.json": deny("b") });
    expect(rules.map((r) => r.text)).toEqual(["Edit"]);
    expect(notices.join()).toContain("The project's settings together: 400 deny rules that begin as Edit does");
  });
  it("names that are none are one mistake, not thousands; the person's own are all looked at", () => {
    expect(() => load({ ".agent/settings.json": { deny: many(600, (i) => `Raed(${i})`) } })).toThrow(
      /^[^\n]*Raed[^\n]*$/,
    );
    expect(load({ user: { deny: many(600, (i) => `Edit(a${i})`) } }).rules).toHaveLength(600);
  });
  it("nothing is made of few", () => {
    const rules = [{ action: "deny", text: "Bash(a)" } as const];
    expect(withoutCrowds(rules)).toEqual({ kept: rules, crowds: [] });
  });
  it("lines and columns are those of a plain count, wherever it is asked", () => {
    for (const text of ["", "a", "a\nbc\n\nd", "\n"])
      for (let at = 0; at <= text.length; at++) {
        const before = text.slice(0, at).split("\n");
        expect(placeOf(text, at)).toEqual({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
      }
  });
});
