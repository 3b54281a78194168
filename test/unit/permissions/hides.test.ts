import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { hidesOf } from "../../../src/permissions/hides.ts";

const rules = (...texts: string[]): Rule[] => texts.map((text) => ({ text, action: "deny", source: "user" }));
const touched = (rule: string, ...paths: string[]) => paths.map((path) => hidesOf(rules(rule))?.touches(path));

describe("what Read denies hide in the copy", () => {
  it("P6: nothing without such a rule; the tool's own name alone, other actions and other tools hide nothing", () => {
    expect(hidesOf([])).toBeUndefined();
    expect(hidesOf(rules("Read", "Edit(.env)", "Grep"))).toBeUndefined();
    expect(hidesOf([{ text: "Read(.env)", action: "ask", source: "user" }])).toBeUndefined();
    // A project's own files tighten too.
    expect(hidesOf([{ text: "Read(.env)", action: "deny", source: "project" }])?.touches(".env")).toBe("yes");
  });
  it("P6: a path, what lies below it, and the folders on the way to it", () => {
    expect(touched("Read(.env)", ".env", "a/b/.env", "a", ".envrc", ".ENV")).toEqual([
      "yes",
      "yes",
      "below",
      "below",
      "yes",
    ]);
    expect(touched("Read(/keys/*.pem)", "keys", "keys/a.pem", "keys/a.txt", "other")).toEqual([
      "below",
      "yes",
      "no",
      "no",
    ]);
    expect(touched("Read(/keys/**)", "keys", "keys/a", "app/keys")).toEqual(["yes", "yes", "no"]);
  });
  it("P6: a rule on names alone leaves git's own files alone, one that says where does not", () => {
    expect(touched("Read(*.pem)", ".git", ".git/refs/heads/x.pem", "sub/.git/x.pem", "a.pem")).toEqual([
      "no",
      "no",
      "no",
      "yes",
    ]);
    expect(touched("Read(**/config)", ".git/config")).toEqual(["no"]);
    expect(touched("Read(/.git/config)", ".git", ".git/config")).toEqual(["below", "yes"]);
  });
  it("P6: the key tells sets of rules apart", () => {
    expect(hidesOf(rules("Read(a)"))?.key).not.toBe(hidesOf(rules("Read(b)"))?.key);
  });
});
