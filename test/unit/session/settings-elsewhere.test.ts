import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { rulesFromElsewhere } from "../../../src/session/rules-elsewhere.ts";
import { loadSettings } from "../../../src/session/settings.ts";
import { scratch } from "../../support/scratch.ts";

function bench(files: Record<string, string | object>) {
  const dir = scratch("elsewhere");
  const options = { configDir: join(dir, "config"), folder: join(dir, "home/project"), home: join(dir, "home") };
  for (const [name, content] of Object.entries(files)) {
    const path = join(options.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  mkdirSync(options.folder, { recursive: true });
  return { ...options, load: () => loadSettings(options) };
}
const texts = (rules: readonly { source: string; action: string; text: string }[]) =>
  rules.map((r) => `${r.source} ${r.action} ${r.text}`);
const read = (path: string) => ({ tool: "Read", subject: path, paths: [path], needs: [], contained: true });

describe("P6: rules of .claude/", () => {
  it("denies and asks of a project's two files count, trusted or not; allows and modes don't", () => {
    const b = bench({
      "project/.claude/settings.json":
        '{ // team\n"permissions": { "allow": ["Bash"], "defaultMode": "bypassPermissions",\n "deny": ["Read(./.env)", "Bash(curl:*)"] } }',
      "project/.claude/settings.local.json": { permissions: { ask: ["Bash(git push:*)"] }, env: { A: "b" } },
    });
    const { rules, places, notices, mode } = b.load();
    expect(texts(rules)).toEqual([
      "project deny Read(./.env)",
      "project deny Bash(curl:*)",
      "project ask Bash(git push:*)",
    ]);
    expect(places.get(rules[0] as (typeof rules)[0])).toBe(`${b.folder}/.claude/settings.json:3`);
    expect([notices, mode]).toEqual([[], "ask"]);
    expect(decide(read(".env"), "auto", rules, false).action).toBe("deny");
  });
  it("the person's own denies in ~/.claude count too, and who forbids running unasked forbids it here", () => {
    const b = bench({
      ".claude/settings.json": {
        permissions: { deny: ["Read(~/.ssh/**)", "Read(~/**/.env)"], disableBypassPermissionsMode: "disable" },
      },
    });
    const { rules, noBypass } = b.load();
    expect(texts(rules)).toEqual([
      `user deny Read(/${b.home}/.ssh/**)`,
      `user deny Outside(${b.home}/.ssh/**)`,
      "user deny Read(**/.env)",
      `user deny Read(/${b.home}/**/.env)`,
      `user deny Outside(${b.home}/**/.env)`,
    ]);
    expect(noBypass).toBe(`${b.home}/.claude/settings.json:1`);
    const key = `${b.home}/.ssh/id`;
    expect(
      decide({ ...read(key), needs: [{ kind: "outside", access: "read", path: key }] }, "ask", rules, true).action,
    ).toBe("deny");
    expect(decide(read("sub/.env"), "ask", rules, true).action).toBe("deny");
  });
  it("a deny that can't be understood asks for its tool and is told with its line; an unknown tool is told", () => {
    const b = bench({
      "project/.claude/settings.json":
        '{"permissions":{"deny":[\n"Bash(for x in; do)",\n"Read(!a)",\n"Frobnicate(x)"]}}',
    });
    const { rules, notices } = b.load();
    expect(texts(rules)).toEqual(["project ask Bash", "project ask Read"]);
    expect(notices).toHaveLength(3);
    expect(notices[0]).toMatch(
      /settings\.json:2: deny "Bash\(for x in; do\)" can't be understood \(.*\); instead every Bash asks/,
    );
    expect(notices[2]).toMatch(/:4: deny "Frobnicate\(x\)".*it doesn't count here/);
  });
  it("one that can't be read could hold any deny: reads, commands and changes ask, and it is told", () => {
    for (const text of [
      "{",
      "[]",
      '{"permissions":{"deny":"Bash"}}',
      '{"permissions":{"deny":[1]}}',
      '{"permissions":[]}',
    ]) {
      const { rules, notices } = bench({ "project/.claude/settings.json": text }).load();
      expect(texts(rules)).toEqual(["project ask Read", "project ask Bash", "project ask Edit"]);
      expect(notices.join()).toMatch(/settings\.json.*reads, commands and changes ask/);
    }
  });
  it("no link of a project is followed, neither the file nor its folder", () => {
    const b = bench({ "elsewhere/settings.json": { permissions: { deny: ["Bash(x)"] } } });
    symlinkSync(join(b.home, "elsewhere"), join(b.folder, ".claude"));
    expect(b.load().notices.join()).toContain("is a link");
    expect(texts(b.load().rules)).not.toContain("project deny Bash(x)");
    const c = bench({ "real.json": { permissions: { deny: ["Bash(x)"] } }, "project/.claude/x": "" });
    symlinkSync(join(c.home, "real.json"), join(c.folder, ".claude/settings.json"));
    expect(texts(c.load().rules)).toEqual(["project ask Read", "project ask Bash", "project ask Edit"]);
  });
  it("the person's own, written for another program, is told and left out where it can't be read or understood", () => {
    const broken = bench({ ".claude/settings.json": "{" }).load();
    expect([broken.rules, broken.notices.join()]).toEqual([[], expect.stringContaining("don't count here")]);
    const odd = bench({ ".claude/settings.json": { permissions: { deny: ["Read(!a)"] } } }).load();
    expect([odd.rules, odd.notices.join()]).toEqual([[], expect.stringContaining("it doesn't count here")]);
  });
});

describe("rulesFromElsewhere", () => {
  const place = { source: "cli", folder: "/home/me/project", home: "/home/me" } as const;
  const deny = (text: string) => rulesFromElsewhere(text, "deny", place);
  it.each([
    ["Read(//etc/passwd)", ["Read(//etc/passwd)", "Outside(/etc/passwd)"]],
    ["Edit(~/project/src/**)", ["Edit(/src/**)"]],
    ["Write(/home/me/x)", ["Edit(/home/me/x)"]],
    ["Read(//home/me/project)", ["Read", "Read(//home/me/project)", "Outside(/home/me/project)"]],
    ["Read(~)", ["Read", "Read(//home/me)", "Outside(/home/me)"]],
    ["Read(//**)", ["Read(**)", "Read(//**)", "Outside(/**)"]],
    ["Read(~/*/key)", ["Read", "Read(//home/me/*/key)", "Outside(/home/me/*/key)"]],
    ["Read(../other/**)", ["Read(//home/me/other/**)", "Outside(/home/me/other/**)"]],
    ["Glob(*)", ["Read"]],
    ["Grep(secrets/**)", ["Read(secrets/**)"]],
    ["MultiEdit(a.ts)", ["Edit(a.ts)"]],
    ["mcp__hub__*", ["mcp__hub"]],
    ["Bash(rm *)", ["Bash(rm *)"]],
    ["Edit", ["Edit"]],
  ])("%s", (written, expected) => {
    const { rules, lost } = deny(written);
    expect([rules.map((r) => r.text), lost]).toEqual([expected, undefined]);
    expect(rules.every((r) => r.action === "deny" && r.source === "cli")).toBe(true);
  });
  it("an allow is taken as it stands or not at all", () => {
    const allow = (text: string) => rulesFromElsewhere(text, "allow", place);
    expect(allow("Edit(src/**)").rules.map((r) => r.text)).toEqual(["Edit(src/**)"]);
    for (const text of ["Read", "WebSearch", "Bash(npm*)", "Frobnicate"]) {
      const { rules, lost } = allow(text);
      expect([text, rules, lost === undefined]).toEqual([text, [], false]);
    }
  });
});
