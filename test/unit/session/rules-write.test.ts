import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RuleError } from "../../../src/permissions/rule-parse.ts";
import { personSettingsFile } from "../../../src/session/rules-files.ts";
import { saveRule } from "../../../src/session/rules-write.ts";
import { checkSettings, SettingsError } from "../../../src/session/settings-file.ts";
import { parseJsonc, toValue } from "../../../src/session/jsonc.ts";
import { startProcess } from "../../../src/util/process.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";
import { scratch } from "../../support/scratch.ts";

function bench(content?: string) {
  const configDir = join(scratch("rules"), "config");
  const folder = "/home/me/project";
  const file = personSettingsFile(configDir, folder);
  if (content !== undefined) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
  }
  const save = (rule: string) =>
    saveRule(rule, { configDir, folder, home: "/home/me", clock: systemClock, makeId: randomId });
  const text = () => readFileSync(file, "utf8");
  return { configDir, folder, file, save, text, names: () => readdirSync(dirname(file)) };
}

describe("P6: the person's own rules", () => {
  it("DESIGN-5: lie outside the folder, by the hash of its real path", () => {
    expect(personSettingsFile("/c", "/home/me/project")).toBe("/c/projects/225df3094012a213.json");
  });
  it("a first rule makes the file: 0600 in a folder 0700, nothing else left", async () => {
    const b = bench();
    expect(await b.save("Bash(npm test)")).toEqual({ action: "allow", text: "Bash(npm test)", source: "person" });
    expect(toValue(parseJsonc(b.text()))).toEqual({ folder: b.folder, permissions: { allow: ["Bash(npm test)"] } });
    expect(statSync(b.file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(b.file)).mode & 0o777).toBe(0o700);
    expect(b.names()).toHaveLength(1);
  });
  it("set-jsonc-kept: comments, order, blanks and other keys stay byte by byte", async () => {
    const b = bench(
      '{\n  // mine\n  "permissions": { "allow": ["Bash(ls:*)",], "deny": ["Bash(curl:*)"] },\n  "model": "x",\n}\n',
    );
    await b.save("Bash(npm test)");
    expect(b.text()).toBe(
      '{\n  // mine\n  "permissions": { "allow": ["Bash(ls:*)", "Bash(npm test)",], "deny": ["Bash(curl:*)"] },\n  "model": "x",\n}\n',
    );
  });
  it.each([
    ["{}", '{ "permissions": { "allow": ["Edit(a/b)"] } }'],
    ["{ // c\n}", '{ "permissions": { "allow": ["Edit(a/b)"] }  // c\n}'],
    ['{"model":"x"}', '{ "permissions": { "allow": ["Edit(a/b)"] },"model":"x"}'],
    ['{"permissions":{}}', '{"permissions":{ "allow": ["Edit(a/b)"] }}'],
    ['{"permissions":{"deny":[]}}', '{"permissions":{ "allow": ["Edit(a/b)"],"deny":[]}}'],
    ['{"permissions":{"allow":[/* none */]}}', '{"permissions":{"allow":["Edit(a/b)"/* none */]}}'],
    [
      '{"permissions":{"allow":[\n  "Bash(a)" // why\n]}}',
      '{"permissions":{"allow":[\n  "Bash(a)",\n  "Edit(a/b)" // why\n]}}',
    ],
  ])("into %j", async (before, after) => {
    const b = bench(before);
    await b.save("Edit(a/b)");
    expect(b.text()).toBe(after);
  });
  it("a rule that is there already is not written again", async () => {
    const b = bench('{"permissions":{"allow":["Bash(a)"]}}');
    await b.save("Bash(a)");
    expect(b.text()).toBe('{"permissions":{"allow":["Bash(a)"]}}');
  });
  it("U7: a file with a mistake is never written", async () => {
    for (const text of ['{"permissions":{"allow":["Bash(a)"', '{"unknownKey":1}', "[]"]) {
      const b = bench(text);
      await expect(b.save("Bash(b)")).rejects.toBeInstanceOf(SettingsError);
      expect(b.text()).toBe(text);
      expect(b.names()).toHaveLength(1);
    }
  });
  it("a text that is no rule is not saved, and no file is made", async () => {
    const b = bench();
    await expect(b.save("Bash(")).rejects.toBeInstanceOf(RuleError);
    await expect(b.save("Read(x)")).rejects.toBeInstanceOf(RuleError);
    expect(existsSync(b.file)).toBe(false);
  });
  it("SEC-20: a projects folder that is a planted link is not written through", async () => {
    const b = bench();
    const elsewhere = scratch("elsewhere");
    mkdirSync(b.configDir, { recursive: true });
    symlinkSync(elsewhere, dirname(b.file));
    await expect(b.save("Bash(a)")).rejects.toThrow("symbolic link");
    expect(readdirSync(elsewhere)).toEqual([]);
  });
  it("what a killed process left is swept, other files are not", async () => {
    const b = bench("{}");
    writeFileSync(`${b.file}.save_abc.tmp`, "half");
    writeFileSync(join(dirname(b.file), "other.json"), "{}");
    await b.save("Bash(a)");
    expect(new Set(b.names())).toEqual(new Set([b.file.split("/").at(-1), "other.json"]));
  });
  it("any offered rule goes in and comes back as it was", async () => {
    const b = bench();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("'", '"', "\\\\", "é", "日", "a b", "\n", "//", "/*", ","),
        fc.nat(1e9),
        async (bit, n) => {
          const rule = `Bash(echo ${bit === '"' || bit === "'" ? bit + n + bit : `'${bit}${n}'`})`;
          await b.save(rule);
          // A rule that is there already is not added again.
          expect(checkSettings(b.file, b.text(), "person", "/").rules.map((r) => r.text)).toContain(rule);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("set-two-writers", () => {
  it("six processes save at once, two are killed: every read is whole, the living ones' rules are all there", async () => {
    const b = bench('{ "permissions": { "deny": ["Bash(curl:*)"] } }');
    const writer = join(import.meta.dirname, "rules-writer.ts");
    const children = Array.from({ length: 6 }, (_, i) =>
      startProcess(process.execPath, [writer, b.configDir, b.folder, `w${i}`, "20"], {
        cwd: "/",
        env: {},
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    const errors: string[] = [];
    for (const child of children) child.stderr?.on("data", (d: Buffer) => errors.push(d.toString()));
    const ends = children.map((child) => once(child, "close"));
    // Killed as soon as they have saved something, so in the midst of the next save.
    for (const child of children.slice(0, 2)) child.stdout?.once("data", () => child.kill("SIGKILL"));
    let running = true;
    const all = Promise.all(ends).finally(() => (running = false));
    let reads = 0;
    while (running) {
      checkSettings(b.file, b.text(), "person", "/");
      reads++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    expect(errors.join("")).toBe("");
    expect(reads).toBeGreaterThan(0);
    const { rules } = checkSettings(b.file, b.text(), "person", "/");
    const texts = new Set(rules.map((r) => r.text));
    for (const w of ["w2", "w3", "w4", "w5"]) for (let i = 0; i < 20; i++) expect(texts).toContain(`Bash(${w} ${i})`);
    expect(texts).toContain("Bash(curl:*)");
    expect(texts.size).toBe(rules.length);
    await b.save("Bash(last)");
    expect(b.names()).toEqual([b.file.split("/").at(-1)]);
  }, 60_000);
});
