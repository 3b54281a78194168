import { describe, expect, it } from "vitest";
import { rememberedAs, wouldAsk } from "../../../bench/questions/baseline.ts";
import { bash, del, edit, read, write } from "../../../bench/questions/call.ts";

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
    expect([write("a", ""), edit("a", "b", "c"), del("a"), bash("ls", { network: true })].map(wouldAsk)).not.toContain(
      false,
    );
    expect(wouldAsk(read("a"))).toBe(false);
  });

  it("remembers all edits, and commands by their first two words", () => {
    expect(rememberedAs(edit("a", "b", "c"))).toBe(rememberedAs(write("b", "")));
    expect(rememberedAs(bash("npm test -- a | tail"))).toBe(rememberedAs(bash("npm test")));
    expect([del("a"), bash("npm view x", { network: ["x:443"] })].map(rememberedAs)).toEqual([undefined, undefined]);
  });
});
