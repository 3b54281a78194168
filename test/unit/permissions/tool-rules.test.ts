import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { offer } from "../../../src/permissions/offer.ts";
import { parseRule } from "../../../src/permissions/rule-parse.ts";
import type { Tool } from "../../../src/tools/tool.ts";
import { allow, ask, deny, entry, landing, needing } from "./effects.ts";

type Builtin = typeof import("../../../src/tools/builtin.ts");

/** The list with four more: all that adding a tool may take. */
vi.mock("../../../src/tools/builtin.ts", async (original) => {
  const { builtinTools } = await original<Builtin>();
  const like = (name: string, rules?: Tool["rules"]) => ({ name, ...(rules === undefined ? {} : { rules }) });
  return {
    builtinTools: [
      ...builtinTools,
      like("Peek", "read"),
      like("Fish", "command"),
      like("Patch", "change"),
      like("Muse"),
    ],
  };
});

describe("T2: rules know a tool by what it declares", () => {
  it("one that reads is under Read(…)", () => {
    const peek = needing([], { tool: "Peek", subject: "secrets/a", paths: ["secrets/a"] });
    expect(decide(peek, "ask", [deny("Read(secrets/)")], true).action).toBe("deny");
    expect(() => parseRule(deny("Peek(secrets)"))).toThrow(
      "write Read(glob), which counts for Glob and Grep and Peek too",
    );
    expect(parseRule(deny("Peek"))).toMatchObject({ kind: "tool", name: "Peek" });
  });
  it("one that runs commands has rules of words under its own name", () => {
    expect(parseRule(allow("Fish(make test:*)"))).toMatchObject({ kind: "command", of: "Fish" });
    const made = landing([entry("a")], { tool: "Fish", subject: "make test x" });
    expect(decide(made, "ask", [allow("Fish(make test:*)")], true).action).toBe("allow");
    expect(decide(made, "ask", [allow("Bash(make test:*)")], true).action).toBe("ask");
    expect(decide(needing([], { tool: "Fish", subject: "rm -rf x" }), "auto", [deny("Fish(rm:*)")], true).action).toBe(
      "deny",
    );
    expect(offer(made, decide(made, "ask", [], true))?.session).toBe("Fish(make test x)");
    expect(decide(needing([], { tool: "Fish", subject: "x", contained: false }), "plan", [], true).action).toBe("deny");
  });
  it("one that changes files is under Edit(…)", () => {
    expect(parseRule(allow("Patch(src/**)"))).toMatchObject({ kind: "path", of: "Edit" });
    const patch = needing([], { tool: "Patch", subject: "x", paths: ["docs/a.md"] });
    expect(decide(patch, "auto", [deny("Edit(docs/)")], true).action).toBe("deny");
    const made = landing([entry("src/a.ts")], { tool: "Patch" });
    expect(offer(made, decide(made, "ask", [], true))?.always).toBe("Edit(src/a.ts)");
  });
  it("one that declares nothing is known by its name", () => {
    expect(decide(needing([], { tool: "Muse" }), "auto", [ask("Muse")], true).action).toBe("ask");
    expect(() => parseRule(allow("Muse"))).toThrow("Muse by itself never asks");
    expect(() => parseRule(deny("Mose"))).toThrow("did you mean Muse?");
  });
  it("no file of permissions names a tool that is none of the kinds of effects", () => {
    const folder = new URL("../../../src/permissions/", import.meta.url);
    const texts = readdirSync(folder)
      .filter((name) => name !== "rule-elsewhere.ts")
      .map((name) => [name, readFileSync(new URL(name, folder), "utf8")] as const);
    const names = "Bash BashOutput KillShell Write Grep AskUser TodoWrite Task Skill".split(" ");
    expect(texts.flatMap(([file, text]) => names.filter((n) => text.includes(`"${n}"`)).map((n) => [file, n]))).toEqual(
      [],
    );
  });
});
