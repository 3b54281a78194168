import { describe, expect, it } from "vitest";
import { type Call, rememberedAs, wouldAsk } from "../../../bench/questions/baseline.ts";

const bash = (command: string, more: Call["input"] = {}): Call => ({ name: "Bash", input: { command, ...more } });
const onFile = (name: string): Call => ({ name, input: { file_path: "a" } });

describe("what a program with a list of commands would ask about", () => {
  it.each([
    "ls -la | head",
    "git status --short && git log --oneline",
    "find . -name '*.js' | wc -l",
    "grep -rn x src; cat a",
    "node --version",
  ])("not about %s", (command) => expect(wouldAsk(bash(command))).toBe(false));

  it.each([
    "npm test",
    "ls > a",
    "find . -delete",
    "git diff --output=x",
    "sed -i s/a/b/ a",
    "X=1 ls",
    "sort -o a a",
    "node x.js",
    "sort $X >b",
  ])("about %s", (command) => expect(wouldAsk(bash(command))).toBe(true));

  it("about every write, no read, every command that goes on or leaves", () => {
    expect(
      [onFile("Write"), onFile("Edit"), onFile("Delete"), bash("ls", { network: true })].map(wouldAsk),
    ).not.toContain(false);
    expect(wouldAsk(onFile("Read"))).toBe(false);
  });

  it("remembers all edits, and commands by their first two words", () => {
    expect(rememberedAs(onFile("Edit"))).toBe(rememberedAs(onFile("Write")));
    expect(rememberedAs(bash("npm test -- a | tail"))).toBe(rememberedAs(bash("npm test")));
    expect([onFile("Delete"), bash("npm view x", { network: ["x:443"] })].map(rememberedAs)).toEqual([
      undefined,
      undefined,
    ]);
  });
});
