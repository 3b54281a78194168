import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseArgs } from "../../src/cli/args.ts";
import { parseRule } from "../../src/permissions/rule-parse.ts";
import { rulesFromElsewhere } from "../../src/session/rules-elsewhere.ts";
import { splitRules } from "../../src/permissions/split-rules.ts";
import { inHome } from "../../src/permissions/rule-roots.ts";
import { checkSettings } from "../../src/session/settings-file.ts";
import { readWords } from "../../src/ui/commands/permissions-words.ts";

const text = readFileSync(join(resolve(import.meta.dirname, "../.."), "docs/permissions.md"), "utf8");
const blocks = (kind: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${kind}\n([^]*?)\`\`\``, "g"))].map((m) => m[1] ?? "");

/** A line of a shell: words, quotes of both kinds. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? "");
}

describe("docs/permissions.md", () => {
  it("every rule that is named is one", () => {
    const named = [...text.matchAll(/`((?:[A-Z]\w+\([^`]+\))|mcp__\w+)`/g)].map((m) => m[1] ?? "");
    expect(named.length).toBeGreaterThan(12);
    for (const rule of named) {
      const parsed = { action: "deny", text: inHome(rule, "/home/me"), source: "user" } as const;
      expect(parseRule(parsed).rule).toBe(parsed);
    }
  });
  it("every settings file is one, with rules that all count", () => {
    const files = blocks("json");
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { rules } = checkSettings("/etc/understudy/settings.json", file, "managed", "/home/me");
      expect(rules.length).toBeGreaterThan(2);
    }
  });
  it("every command line is understood, with its rules", () => {
    const lines = blocks("sh").flatMap((block) => block.trim().split("\n"));
    expect(lines.length).toBeGreaterThan(15);
    for (const line of lines) {
      const parsed = parseArgs(words(line).slice(1), "1");
      expect([line, parsed.ok]).toEqual([line, true]);
      if (!parsed.ok || !("options" in parsed.invocation)) continue;
      const o = parsed.invocation.options as unknown as Record<string, string[] | string | undefined>;
      const added = o["act"] === "add" ? [{ action: o["action"] as "allow", text: String(o["rule"]) }] : [];
      const typed = (["allow", "ask", "deny"] as const).flatMap((action) =>
        [o[action] ?? []].flat().map((rule) => ({ action, text: rule })),
      );
      for (const { action, text: rule } of [...added, ...typed])
        expect(() => parseRule({ action, text: inHome(rule, "/home/me"), source: "cli" })).not.toThrow();
      for (const rule of [o["disallowedTools"] ?? []].flat().flatMap(splitRules))
        expect(rulesFromElsewhere(rule, "deny", { source: "cli", folder: "/p", home: "/h" }).lost).toBeUndefined();
    }
  });
  it("every /permissions line is understood", () => {
    const typed = [...text.matchAll(/`\/permissions ([^`]+)`/g)].map((m) => (m[1] ?? "").replace(" [CALL]", ""));
    expect(typed.length).toBeGreaterThan(5);
    for (const line of typed) expect([line, readWords(line) === undefined]).toEqual([line, false]);
  });
});
