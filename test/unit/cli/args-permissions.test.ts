import { describe, expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";
import { refuseBad } from "../../../src/cli/refuse-bad.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";
import { ELSEWHERE } from "../../../src/permissions/rule-elsewhere.ts";
import { areRules, splitRules } from "../../../src/permissions/split-rules.ts";
import { toolNames } from "../../../src/permissions/tool-rules.ts";
import { typedRules } from "../../../src/session/settings-flags.ts";

const options = (...argv: string[]): unknown => {
  const parsed = parseArgs(argv, "1");
  return parsed.ok ? (parsed.invocation as { options: unknown }).options : parsed.err;
};

describe("P6: flags by which scripts for other programs run", () => {
  it.each([
    ["plan", { mode: "plan", allow: [] }],
    ["default", { mode: "ask", allow: [] }],
    ["manual", { mode: "ask", allow: [] }],
    ["acceptEdits", { mode: "ask", allow: ["Edit"] }],
    ["auto", { mode: "auto", allow: [] }],
    ["dontAsk", { mode: "ask", allow: [] }],
  ])("--permission-mode %s", (mode, expected) => {
    expect(options("-p", "x", "--permission-mode", mode)).toMatchObject(expected);
  });
  it("P8: what would run without questions needs --bypass; a mistyped mode names those that there are", () => {
    expect(options("--permission-mode", "bypassPermissions", "x")).toContain("needs --bypass");
    expect(options("--dangerously-skip-permissions", "-p", "x")).toContain("needs --bypass");
    expect(options("--permission-mode", "bypassPermissions", "--bypass", "-p", "x")).toMatchObject({
      mode: "auto",
      bypass: true,
    });
    expect(options("--permission-mode", "acceptedits", "x")).toContain("acceptEdits");
    expect(options("--permission-mode", "plan", "--mode", "ask", "x")).toContain("cannot be used with");
  });
  it("--allowedTools and --disallowedTools, in both spellings, with commas, blanks or words", () => {
    expect(
      options("-p", "x", "--allowedTools", "Bash(git log:*),Edit", "Read", "--disallowed-tools", "Bash(rm *)"),
    ).toMatchObject({ prompt: "x", allowedTools: ["Bash(git log:*),Edit", "Read"], disallowedTools: ["Bash(rm *)"] });
    expect(options("-p", "x", "--allowed-tools=Edit", "--allowedTools", "Read")).toMatchObject({
      allowedTools: ["Edit", "Read"],
    });
    expect(splitRules(" Bash(git log:*, a),Edit  Read,, mcp__a__b ")).toEqual([
      "Bash(git log:*, a)",
      "Edit",
      "Read",
      "mcp__a__b",
    ]);
  });
  it("U4: a prompt behind the rules is the prompt, from the first word that is no rule", () => {
    expect(options("-p", "--allowedTools", "Read", "Write", "do this")).toMatchObject({
      prompt: "do this",
      allowedTools: ["Read", "Write"],
    });
    expect(options("--disallowed-tools", "Bash(rm *),WebSearch", "Foo,mcp__a__b", "fix", "Read")).toMatchObject({
      prompt: "fix Read",
      disallowedTools: ["Bash(rm *),WebSearch", "Foo,mcp__a__b"],
    });
    expect(options("-p", "--allowedTools", "Explain")).toMatchObject({ prompt: "Explain", allowedTools: [] });
    // With a prompt of its own every word is meant as a rule, and what is none is told.
    expect(options("-p", "x", "--allowedTools", "Read", "raed")).toMatchObject({
      prompt: "x",
      allowedTools: ["Read", "raed"],
    });
  });
  it("every name that a rule may begin with is known by its form, words of a prompt aren't", () => {
    const names = [...toolNames(), ...ELSEWHERE.keys(), "Land(x)", "Outside(/a b)", "mcp__s__t", "Read Edit(a, b)"];
    expect(names.filter((name) => !areRules(name))).toEqual([]);
    const prompts = ["", "Read the docs", "Explain", "fix(parser): a bug", "Read, then write", "Why Bash?", "Fix A"];
    expect(prompts.filter(areRules)).toEqual([]);
  });
  it("their rules are those of the command line; what has no counterpart is told, a deny then asks for its tool", () => {
    const problems: string[] = [];
    const flags = {
      allow: ["Bash(a)"],
      ask: ["Bash(b)"],
      allowedTools: ["Bash(git log:*) Read Edit(src/**) Bash(npm*)"],
      disallowedTools: ["Read(//etc/**),Bash(for x in; do)", "WebSearch"],
    };
    const { rules, notices } = typedRules(flags, { folder: "/p", home: "/home/me" }, problems);
    expect(rules.map((r) => `${r.source} ${r.action} ${r.text}`)).toEqual([
      "cli allow Bash(a)",
      "cli ask Bash(b)",
      "cli allow Bash(git log:*)",
      "cli allow Edit(src/**)",
      "cli deny Read(//etc/**)",
      "cli deny Outside(/etc/**)",
      "cli ask Bash",
      "cli deny WebSearch",
    ]);
    expect(notices).toHaveLength(2);
    expect(notices[0]).toMatch(/^--allowedTools: allow "Bash\(npm\*\)".*it doesn't count here$/);
    expect(notices[1]).toMatch(/^--disallowedTools: deny "Bash\(for x in; do\)".*every Bash asks$/);
    typedRules({ ask: ["Bahs(x)"] }, { folder: "/p", home: "/" }, problems);
    expect(problems.join()).toMatch(/^--ask: rule "Bahs\(x\)".*Bash\?/);
  });
  it("U2: a typed text that is no rule is a mistake of usage, with what to write", () => {
    expect(() => refuseBad({ action: "deny", text: "Bahs(x)", source: "person" }, "")).toThrow(UsageError);
    expect(() => refuseBad({ action: "deny", text: "Bahs(x)", source: "cli" }, "--deny: ")).toThrow(
      /^--deny: .*Bash\?/,
    );
    expect(() => refuseBad({ action: "deny", text: "Bash(x)", source: "cli" }, "")).not.toThrow();
  });
  it("agent permissions, why and policy test", () => {
    expect(parseArgs(["permissions", "deny", "Read(x)", "--user"], "1")).toMatchObject({
      invocation: { verb: "permissions", options: { act: "add", action: "deny", rule: "Read(x)", source: "user" } },
    });
    expect(parseArgs(["why", "3", "--json"], "1")).toMatchObject({
      invocation: { verb: "why", options: { call: "3", json: true, list: false } },
    });
    expect(parseArgs(["policy", "test", "--deny", "Bash(a)", "--last", "3", "--mode", "auto"], "1")).toMatchObject({
      invocation: {
        verb: "policy-test",
        options: { deny: ["Bash(a)"], allow: [], last: 3, mode: "auto", failOnChange: false },
      },
    });
    expect(parseArgs(["policy", "test", "--all", "--last", "3"], "1")).toMatchObject({ ok: false, code: 2 });
  });
});
