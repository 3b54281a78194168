import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { PathPattern } from "../../../src/permissions/glob.ts";
import { inHome, inRoots } from "../../../src/permissions/rule-roots.ts";
import { deepRuns } from "../../support/deep.ts";
import { allow, ask, deny, entry, landing, needing } from "./effects.ts";

const texts = (rule: ReturnType<typeof deny>, ...roots: string[]) => inRoots([rule], roots).map((r) => r.text);

describe("P6: absolute paths of rules inside of the roots", () => {
  it.each([
    ["Read(//home/me/app/secrets/**)", ["Read(/secrets/**)"]],
    ["Read(//home/me/app/secrets)", ["Read(/secrets/)"]],
    ["Read(//home/me/**)", ["Read(**)"]],
    ["Read(//home/me)", ["Read(**)"]],
    ["Read(//home/me/app)", ["Read(**)"]],
    ["Read(//HOME/Me/App/x*)", ["Read(/x*)"]],
    ["Read(//home/*/app/[a-c!]?.{k,l})", ["Read(/[a-c!]?.k)", "Read(/[a-c!]?.l)"]],
    ["Read(//**/.env)", ["Read(/**/.env/)", "Read(/.env/)"]],
    ["Edit(//home/me/app/a\\*b/[!x])", ["Edit(/a\\*b/[!x])"]],
    ["Delete(//home/{me,you}/app/x)", ["Delete(/x/)"]],
    ["Read(//home/you/app/x)", []],
    ["Read(//home/me/apple/x)", []],
    ["Read(/secrets)", []],
    ["Outside(/home/me/app/x)", []],
    ["Bash(rm:*)", []],
    ["no rule", []],
  ])("a deny of %s is one of %j too", (text, more) => {
    const [first, ...rest] = texts(deny(text), "/home/me/app");
    expect(first).toBe(text);
    expect(rest.toSorted()).toEqual(more.toSorted());
    expect(inRoots([deny(text)], ["/home/me/app"]).every((r) => r.action === "deny" && r.source === "person")).toBe(
      true,
    );
  });
  it("an allow is as narrow as it is written", () => {
    expect(texts(allow("Edit(//home/me/app/src/**)"), "/home/me/app")).toEqual([
      "Edit(//home/me/app/src/**)",
      "Edit(/src/**)",
    ]);
    expect(texts(allow("Edit(//home/me)"), "/home/me/app")).toContain("Edit(**)");
    for (const text of ["Edit(//HOME/me/app/x)", "Edit(//home/me/*)", "Edit(//home/me/app/../x)"])
      expect(texts(allow(text), "/home/me/app")).toEqual([text]);
  });
  it("each root counts, and the same list gives the same rules again", () => {
    const rules = [deny("Read(//srv/**/key)")];
    const all = inRoots(rules, ["/srv/a", "/srv/b"]);
    expect(all.map((r) => r.text)).toEqual(["Read(//srv/**/key)", "Read(/**/key/)", "Read(/key/)"]);
    expect(inRoots(rules, ["/srv/a", "/srv/b"])).toBe(all);
    expect(inRoots(rules, ["/opt"])).toEqual(rules);
  });
  it("so a deny of the home holds in a folder below it", () => {
    const rules = (text: string) =>
      inRoots([ask("Edit(//home/me/app/a)"), deny(inHome(text, "/home/me"))], ["/home/me/app"]);
    const read = needing([], { tool: "Read", subject: "x", paths: ["secrets/k"] });
    expect(decide(read, "ask", rules("Read(~/app/secrets/**)"), true).action).toBe("deny");
    expect(decide(read, "ask", rules("Read(~/.ssh/**)"), true).action).toBe("allow");
    expect(decide(landing([entry("a")]), "auto", rules("Read(~/x)"), true).action).toBe("ask");
  });
  it.each([
    ["Outside(~/x)", "Outside(/h/m*)", "Outside(/h/m\\*/x)"],
    ["Read(~/.ssh/**)", "/h", "Read(//h/.ssh/**)"],
    ["  Write ( ~/a )", "/h", "  Write ( //h/a )"],
    ["MultiEdit(~)", "/h", "MultiEdit(//h)"],
    ["Bash(~/bin/x)", "/h", "Bash(~/bin/x)"],
    ["Read(~x)", "/h", "Read(~x)"],
    ["Read(a/~/x)", "/h", "Read(a/~/x)"],
    ["Nothing(~/x)", "/h", "Nothing(~/x)"],
    ["Read", "/h", "Read"],
  ])("~ in %s is the home", (text, home, meant) => {
    expect(inHome(text, home.startsWith("Outside") ? "/h/m*" : home)).toBe(meant);
  });
  it("a path below the root is denied by the one exactly where the absolute path is denied by the other", () => {
    const part = fc.constantFrom("a", "b", "A", "*", "**", "?", "a*", "[a-b]", "{a,b}", ".x");
    const name = fc.constantFrom("a", "b", "ab", "A", ".x", "c");
    const pattern = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `//${parts.join("/")}`);
    const paths = fc.array(name, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pattern, paths, paths, fc.boolean(), (text, root, below, tighten) => {
        const folder = `/${root.join("/")}`;
        const whole = `${folder}/${below.join("/")}`;
        const absolute = new PathPattern(text);
        const inside = absolute.within(folder, tighten).map((one) => new PathPattern(one));
        if (tighten)
          expect(inside.some((p) => p.touches(below.join("/")) === "yes")).toBe(absolute.touches(whole) === "yes");
        else expect(inside.some((p) => p.covers(below.join("/")))).toBe(absolute.covers(whole));
      }),
      deepRuns(2000, 300_000),
    );
  });
});
