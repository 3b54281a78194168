import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RuleError } from "../../../src/permissions/rule-parse.ts";
import { parseJsonc, toValue } from "../../../src/session/jsonc.ts";
import { withoutRule, withRule } from "../../../src/session/rules-edit.ts";
import { personSettingsFile, userSettingsFile } from "../../../src/session/rules-files.ts";
import { addRule, changeRule } from "../../../src/session/rules-write.ts";
import { SettingsError } from "../../../src/session/settings-file.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";
import { scratch } from "../../support/scratch.ts";

const bash = (command: string) => ({ action: "allow", text: `Bash(${command})`, source: "user" }) as const;

function bench(content?: string) {
  const dir = scratch("rules-edit");
  const deps = {
    configDir: join(dir, "config"),
    folder: "/p",
    home: "/home/me",
    clock: systemClock,
    makeId: randomId,
  };
  const file = userSettingsFile(deps.configDir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (content !== undefined) writeFileSync(file, content, { mode: 0o600 });
  return { dir, deps, file, text: () => readFileSync(file, "utf8") };
}

describe("P6: rules of the person's files", () => {
  it.each([
    ['{"permissions":{"allow":["Bash(a)"]}}', '{"permissions":{"allow":[]}}'],
    ['{"permissions":{"allow":["Bash(a)", "Bash(b)"]}}', '{"permissions":{"allow":["Bash(b)"]}}'],
    ['{"permissions":{"allow":["Bash(b)", "Bash(a)"]}}', '{"permissions":{"allow":["Bash(b)"]}}'],
    ['{"permissions":{"allow":["Bash(b)", "Bash(a)", /* end */]}}', '{"permissions":{"allow":["Bash(b)", /* end */]}}'],
    [
      '{"permissions":{"allow":[\n  "Bash(b)", // one, two\n  "Bash(a)", // gone\n  "Bash(c)"\n]}}',
      '{"permissions":{"allow":[\n  "Bash(b)", // one, two\n  // gone\n  "Bash(c)"\n]}}',
    ],
    [
      '{"permissions":{"allow":[\n  "Bash(b)", // one, two\n  "Bash(a)"\n]}}',
      '{"permissions":{"allow":[\n  "Bash(b)" // one, two\n]}}',
    ],
    ['{"permissions":{"allow":["Bash(a)","Bash(a)","Bash(c)"]}}', '{"permissions":{"allow":["Bash(c)"]}}'],
  ])("taken out of %j, every other byte stays", async (before, after) => {
    const b = bench(before);
    await changeRule(bash("a"), undefined, b.deps);
    expect(b.text()).toBe(after);
  });
  it("one becomes another in its place, comments and order stay; what is there already is not doubled", async () => {
    const b = bench('{ // mine\n"permissions":{"allow":["Bash(a)"/*x*/, "Bash(b)"], "deny": ["Bash(a)"]},\n}\n');
    await changeRule(bash("a"), "Bash(c)", b.deps);
    expect(b.text()).toBe('{ // mine\n"permissions":{"allow":["Bash(c)"/*x*/, "Bash(b)"], "deny": ["Bash(a)"]},\n}\n');
    await changeRule(bash("c"), "Bash(b)", b.deps);
    expect(b.text()).toBe('{ // mine\n"permissions":{"allow":[/*x*/ "Bash(b)"], "deny": ["Bash(a)"]},\n}\n');
  });
  it("a deny or an ask is added to its own list, in the user's file and in the person's own for the project", async () => {
    const b = bench('{"model":"x"}');
    await addRule({ action: "deny", text: "Read(secrets/**)", source: "user" }, b.deps);
    expect(b.text()).toBe('{ "permissions": { "deny": ["Read(secrets/**)"] },"model":"x"}');
    await addRule({ action: "ask", text: "Bash(git push:*)", source: "person" }, b.deps);
    const own = readFileSync(personSettingsFile(b.deps.configDir, "/p"), "utf8");
    expect(toValue(parseJsonc(own))).toEqual({ folder: "/p", permissions: { ask: ["Bash(git push:*)"] } });
  });
  it("what is no rule, and what is not there, changes nothing", async () => {
    const b = bench('{"permissions":{"allow":["Bash(a)"]}}');
    await expect(changeRule(bash("b"), undefined, b.deps)).rejects.toBeInstanceOf(SettingsError);
    await expect(changeRule(bash("a"), "Bahs(b)", b.deps)).rejects.toThrow("did you mean Bash?");
    await expect(addRule({ action: "deny", text: "Read(", source: "user" }, b.deps)).rejects.toBeInstanceOf(RuleError);
    expect(b.text()).toBe('{"permissions":{"allow":["Bash(a)"]}}');
  });
  it("a path below the home is found and kept as it is written", async () => {
    const b = bench('{"permissions":{"allow":["Outside(~/notes)"]}}');
    const rule = { action: "allow", text: "Outside(/home/me/notes)", source: "user" } as const;
    await changeRule(rule, "Outside(~/other)", b.deps);
    expect(b.text()).toBe('{"permissions":{"allow":["Outside(~/other)"]}}');
    expect(await addRule({ ...rule, text: "Outside(~/more)" }, b.deps)).toEqual({
      ...rule,
      text: "Outside(/home/me/more)",
    });
  });
  it("settings that are a link into a folder of dotfiles stay one", async () => {
    const b = bench();
    const target = join(b.dir, "dotfiles.json");
    writeFileSync(target, "{}");
    symlinkSync(target, b.file);
    await addRule(bash("a"), b.deps);
    expect(readFileSync(target, "utf8")).toContain("Bash(a)");
    expect(statSync(b.file).mode & 0o777).toBe(0o600);
  });
  it("what was added and taken out again leaves the same rules, whatever stands around it", () => {
    const gap = fc.constantFrom("", " ", "\n  ", " /* a, b */ ", " // c, d\n ");
    const one = fc
      .tuple(
        gap,
        fc.nat(9).map((n) => `"Bash(${n})"`),
        gap,
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), fc.constantFrom("", ","), fc.nat(4), (items, tail, at) => {
        const text = `{"permissions":{"allow":[${items.join(",")}${items.length > 0 ? tail : ""}]}}`;
        const rules = (t: string) => JSON.stringify(toValue(parseJsonc(t)));
        const added = withRule(text, parseJsonc(text), "allow", "Bash(new)");
        expect(rules(withoutRule(added, parseJsonc(added), "allow", items.length))).toBe(rules(text));
        const left = items.filter((_, i) => i !== at).map((i) => /"[^"]*"/.exec(i)?.[0]);
        expect(rules(withoutRule(text, parseJsonc(text), "allow", at))).toBe(
          `{"permissions":{"allow":[${left.join(",")}]}}`,
        );
      }),
    );
  });
});
