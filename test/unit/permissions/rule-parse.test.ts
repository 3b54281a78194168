import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRule, RuleError } from "../../../src/permissions/rule-parse.ts";
import { deepRuns } from "../../support/deep.ts";
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
    ["Bash(ls *.ts)", "end the rule with :*"],
    ["Bash(git * main)", "end the rule with :*"],
    ["Bash(* --version)", "end the rule with :*"],
    ["Bash(ls*)", "end the rule with :*"],
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
    ["Network(http://host.test/)", "no scheme here; write Network(host.test:80)"],
    ["Network(https://host.test:8443/x)", "no scheme here; write Network(host.test:8443)"],
    ["Network(https://host.test)", "no scheme here; write Network(host.test:443)"],
    ["Network(http://)", "no scheme here; write host:port"],
    ["Network(user@host.test:443)", "write host:port, such as example.com:443"],
    ["Network(host.test:0)", "there is no port 0"],
    ["Network(2130706433:80)", 'programs read "2130706433" as 127.0.0.1; write that'],
    ["Network(0x7f.1:80)", "as 127.0.0.1; write that"],
    ["Network(b\u00fccher.test:443)", "as xn--bcher-kva.test; write that"],
    ["Network(docs.examp\u04cfe.test:443)", "as docs.xn--exampe-0kg.test; write that"],
    ["Network([::ffff:1.2.3.4%1]:443)", "is no host's name or address"],
    ["Network(*.10.0.0.1:443)", "is no host's name or address"],
    ["Network(*.b\u00fccher.test:443)", "is no host's name or address"],
    ["Network(-:443)", "is no host's name or address"],
    ["WebFetch", "write WebFetch(https://host)"],
    ["WebFetch(https://host.test/page)", "names a host, not a page or a user; write WebFetch(https://host)"],
    ["WebFetch(https://user@host.test)", "not a page or a user"],
    ["WebFetch(https://*.host.test)", "an allow names one host"],
    ["WebFetch(https://*)", "an allow names one host"],
    ["WebFetch(https://)", "not a page or a user"],
    ["WebFetch(https://host.test:0)", "there is no port 0"],
    ["WebFetch(domain:host.test)", "write WebFetch(https://host.test)"],
    ["WebFetch(host.test:8080)", "write WebFetch(https://host.test)"],
    ["WebFetch(ftp://host.test)", "write WebFetch(https://host)"],
    ["WebFetch(domain:[::1])", "write WebFetch(https://[::1])"],
    ["WebFetch(*)", "an allow names scheme and host"],
    ["Network(host.test:99999)", "there is no port 99999"],
    ["Outside(tmp/x)", "a path outside is absolute"],
    ["Grep(x)", "write Read(glob), which counts for Glob and Grep too"],
    ["LS(src)", "reading inside the folder needs no rule"],
    ["Read(//tmp/**)", "for a path outside write Outside(/tmp/**)"],
    ["Task(Explore)", "Task takes nothing in parentheses; write Task alone"],
    ["Task", "nothing to allow here: Task by itself never asks"],
    ["Edit(~/x)", "~ stands for your home in settings files alone; write Edit(//path/of/it)"],
    ["Outside(~/x)", "a path outside is absolute"],
    ["Unsandboxed(*)", "names exactly what it lifts; write Unsandboxed(words)"],
    ["mcp__git__push@12ab", "behind @ stand 32 to 64 digits"],
    ["mcp__git__*", "an allow names one tool"],
    ["mcp__*", "an allow names one tool"],
    ["mcp__*__push", "an allow names one tool"],
    ["TodoWrite", "by itself never asks"],
    ["mcp__git", "names one tool"],
    ["mcp__", "write mcp__server__tool"],
  ])("an allow of %j is refused: %s", (text, why) => {
    expect(() => parseRule(allow(text))).toThrow(RuleError);
    expect(() => parseRule(allow(text))).toThrow(why);
  });
  it("P6: what people have in the settings of other programs means the same, or is told in our words", () => {
    const same = (theirs: string, ours: string) => {
      for (const make of [ask, deny]) {
        const { rule: _, ...parsed } = parseRule(make(theirs));
        const { rule: __, ...wanted } = parseRule(make(ours));
        expect({ theirs, ...parsed }).toEqual({ theirs, ...wanted });
      }
    };
    same("Bash(*)", "Bash");
    same("Bash(:*)", "Bash");
    same("Bash(npm run test *)", "Bash(npm run test:*)");
    same("MultiEdit(/src/**)", "Edit(/src/**)");
    same("NotebookEdit(a.ipynb)", "Edit(a.ipynb)");
    same("Write(./a)", "Edit(./a)");
    same("LS(./secrets/**)", "Read(./secrets/**)");
    same("NotebookRead(x)", "Read(x)");
    same("KillBash", "KillShell");
    same("AskUserQuestion", "AskUser");
    same("WebFetch(*)", "WebFetch");
    same("WebFetch(domain:*)", "WebFetch");
    same("WebFetch(domain:*.host.test)", "WebFetch(*.host.test)");
    same("mcp__git__*", "mcp__git");
    same(" mcp__git__push ", "mcp__git__push");
    for (const name of ["Task", "Agent", "Skill", "SlashCommand", "WebSearch", "ExitPlanMode", "ToolSearch"])
      expect(parseRule(deny(name))).toMatchObject({ kind: "tool", name });
    expect(parseRule(allow("Bash(*)"))).toMatchObject({ kind: "command", of: "Bash" });
    expect(parseRule(allow("Bash(npm run test *)"))).toMatchObject({
      command: { words: ["npm", "run", "test"], prefix: true },
    });
    expect(parseRule(allow("Bash(ls '*')"))).toMatchObject({ command: { words: ["ls", "*"], prefix: false } });
    expect(parseRule(deny("Bash(git push * --force)"))).toMatchObject({ command: { prefix: false } });
    expect(() => parseRule(deny("Bash(rm $X *)"))).toThrow("can't be matched");
    expect(() => parseRule(deny("Bash(rm ?)"))).toThrow("can't be matched");
    expect(() => parseRule(deny("Bash(a; b *)"))).toThrow("without redirections");
    expect(() => parseRule(deny("Unsandboxed(a > *)"))).toThrow("can't be read as a command");
  });
  it.each([
    ["WebFetch(https://Host.TEST./)", { kind: "fetch", scheme: "https", host: "host.test", port: 443 }],
    ["WebFetch(HTTP://host.test)", { kind: "fetch", scheme: "http", host: "host.test", port: 80 }],
    ["WebFetch(https://[::0:1]:8443)", { kind: "fetch", scheme: "https", host: "::1", port: 8443 }],
    ["mcp__git__push@0123456789abcdef0123456789abcdef", { kind: "mcp", pin: "0123456789abcdef0123456789abcdef" }],
  ])("P3: an allow that may be remembered: %s", (text, parsed) => {
    expect(parseRule(allow(text))).toMatchObject(parsed);
  });
  it.each([
    ["WebFetch(domain:host.test)", { kind: "fetch", host: "host.test", below: true }],
    ["WebFetch(host.test)", { kind: "fetch", host: "host.test" }],
    ["WebFetch(host.test:81)", { kind: "fetch", host: "host.test", port: 81 }],
    ["WebFetch(https://*)", { kind: "fetch", host: "*", scheme: "https" }],
    ["Network(2130706433)", { kind: "network", host: "127.0.0.1" }],
    ["Network(b\u00fccher.test)", { kind: "network", host: "xn--bcher-kva.test" }],
    ["mcp__*", { kind: "mcp", server: "*" }],
    ["mcp__*__push", { kind: "mcp", server: "*", tool: "push" }],
    ["mcp__git__push@0123456789abcdef0123456789abcdef", { kind: "mcp", pin: "0123456789abcdef0123456789abcdef" }],
  ])("P6: to tighten hosts and servers: %s", (text, parsed) => {
    expect(parseRule(deny(text))).toMatchObject(parsed);
    expect(parseRule(ask(text))).toMatchObject(parsed);
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
      deepRuns(2000, 300_000),
    );
  });
});
