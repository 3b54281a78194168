import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRule, RuleError } from "../../../src/permissions/rule-parse.ts";
import { allow, ask, deny } from "./effects.ts";

describe("P6: rules are understood or say what to write instead", () => {
  it.each([
    [
      "Bash(npm test)",
      { kind: "command", of: "Bash", command: { text: "npm test", words: ["npm", "test"], prefix: false } },
    ],
    ["Bash(npm test:*)", { kind: "command", command: { words: ["npm", "test"], prefix: true } }],
    ["Bash(a && b)", { kind: "command", command: { text: "a && b", prefix: false } }],
    ["Bash", { kind: "command", of: "Bash" }],
    ["Unsandboxed(git push)", { kind: "command", of: "Unsandboxed" }],
    ["Edit(src/**)", { kind: "path", of: "Edit" }],
    ["Write(src/**)", { kind: "path", of: "Edit" }],
    ["Delete(tmp/**)", { kind: "path", of: "Delete" }],
    ["Land(node_modules)", { kind: "path", of: "Land" }],
    ["Outside(/srv/x)", { kind: "path", of: "Outside" }],
    ["Network(Host.TEST.:443)", { kind: "network", host: "host.test", port: 443 }],
    ["Network([::1]:80)", { kind: "network", host: "::1", port: 80 }],
    ["mcp__git__push", { kind: "mcp", server: "git", tool: "push" }],
    ["mcp__my-server__a_b", { kind: "mcp", server: "my-server", tool: "a_b" }],
  ])("%s", (text, parsed) => {
    expect(parseRule(allow(text))).toMatchObject(parsed);
  });
  it.each([
    ["Read(secrets/**)", { kind: "path", of: "Read" }],
    ["Network(evil.invalid)", { kind: "network", host: "evil.invalid" }],
    ["mcp__git", { kind: "mcp", server: "git" }],
    ["WebFetch", { kind: "tool", name: "WebFetch" }],
    ["Delete", { kind: "path", of: "Delete" }],
  ])("to tighten: %s", (text, parsed) => {
    expect(parseRule(deny(text))).toMatchObject(parsed);
    expect(parseRule(ask(text))).toMatchObject(parsed);
  });
  it.each([
    ["", "not a rule; write Bash(words)"],
    ["npm test", "not a rule"],
    ["Bash(npm", "not a rule"],
    ["bash(npm)", "did you mean Bash?"],
    ["Edti(src)", "did you mean Edit?"],
    ["Frobnicate(x)", "is no kind of rule; write Bash(words)"],
    ["Bash()", "the parentheses are empty"],
    ["Bash(ls *)", "end the rule with :*"],
    ["Bash(echo $HOME)", "can't be matched"],
    ["Bash(a > x:*)", "without redirections"],
    ["Bash(a; b:*)", "without redirections"],
    ["Bash(ls ))", "can't be read as a command"],
    ["Bash('ls)", "can't be read as a command"],
    ["Bash(# x)", "can't be read as a command"],
    ["Edit(!src)", "can't begin with !"],
    ["Edit(../x)", "can't climb"],
    ["Read(src)", "needs no rule; for a path outside write Outside(path)"],
    ["Delete", "names exactly what it lifts; write Delete(…)"],
    ["Network", "names exactly"],
    ["Network(ho*st.test:443)", "in front for all names below one"],
    ["Network(*host.test:443)", "in front for all names below one"],
    ["Network(host.test)", "name the port, such as Network(host.test:443)"],
    ["Network(http://host.test/)", "write Network(host:port)"],
    ["Network(user@host.test:443)", "write Network(host:port)"],
    ["Network(host.test:99999)", "there is no port 99999"],
    ["Outside(tmp/x)", "a path outside is absolute"],
    ["WebFetch", "write Network(host:port)"],
    ["WebFetch(domain:x)", "write Network(host:port)"],
    ["Grep(x)", "write Read(glob)"],
    ["TodoWrite", "by itself never asks"],
    ["mcp__git", "names one tool"],
    ["mcp__", "write mcp__server__tool"],
  ])("an allow of %j is refused: %s", (text, why) => {
    expect(() => parseRule(allow(text))).toThrow(RuleError);
    expect(() => parseRule(allow(text))).toThrow(why);
  });
  it("any text is a rule or a RuleError", () => {
    const pieces = fc.constantFrom(
      "Bash",
      "Edit",
      "Network",
      "(",
      ")",
      ":*",
      ":",
      "*",
      "**",
      "[",
      "{",
      ",",
      "}",
      "/",
      " ",
      "mcp__",
      "a",
      "\\",
      "$",
      "\n",
      "\0",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 12 }).map((p) => p.join("")),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(allow, ask, deny), (t, make) => {
        try {
          parseRule(make(t));
        } catch (error) {
          expect(error).toBeInstanceOf(RuleError);
        }
      }),
      { numRuns: 10_000 },
    );
  });
});
