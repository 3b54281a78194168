import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";
import { nextWork } from "../../../src/session/work-next.ts";
import { scratch } from "../../support/scratch.ts";

describe("long work on the command line", () => {
  it("C8: both verbs take the flags of a run, work in auto mode unless told otherwise, and never open the screen", () => {
    expect(parseArgs(["init-work", "a", "shop", "--max-cost", "2"], "1")).toMatchObject({
      invocation: { verb: "work", stage: "init", wanted: "a shop", options: { print: true, mode: "auto", maxCost: 2 } },
    });
    const words = ["work", "--sessions", "4", "--mode", "ask", "--judge", "strict", "--allow", "Bash(npm test)"];
    expect(parseArgs(words, "1")).toMatchObject({
      invocation: {
        verb: "work",
        stage: "feature",
        sessions: 4,
        options: { mode: "ask", judge: "strict", allow: ["Bash(npm test)"] },
      },
    });
    expect(parseArgs(["work", "--sessions", "0"], "1")).toMatchObject({ ok: false, code: 2 });
  });

  it("C9: --judge names the agent", () => {
    expect(parseArgs(["-p", "--judge", "evaluator", "x"], "1")).toMatchObject({
      invocation: { options: { judge: "evaluator", prompt: "x" } },
    });
  });
});

describe("the next session of long work", () => {
  const feature = (id: string, passes: boolean) => ({ id, title: id, check: `test -e ${id}`, passes });
  function folder(text?: string): string {
    const at = scratch("next-work");
    mkdirSync(join(at, "work"));
    for (const words of text === undefined ? [] : [text]) writeFileSync(join(at, "work/features.json"), words);
    return at;
  }

  it("C8: is for the first feature that doesn't pass, and none where all do", () => {
    const list = (...passes: boolean[]) => JSON.stringify({ features: passes.map((p, n) => feature(`f${n}`, p)) });
    expect(nextWork("feature", folder(list(true, false, false)))).toMatchObject({
      feature: { id: "f1", check: "test -e f1" },
    });
    expect(nextWork("feature", folder(list(true, true)))).toBe("done");
    expect(nextWork("init", folder())).toEqual({ stage: "init", list: "work/features.json" });
  });

  it("C8: without a list that can be used there is none, and the person is told why", () => {
    expect(() => nextWork("feature", folder())).toThrow('agent init-work "what is wanted" makes it');
    expect(() => nextWork("init", folder("{}"))).toThrow("is there already: agent work goes on with it");
    expect(() => nextWork("feature", folder("{}"))).toThrow("work/features.json can't be used: features: ");
    const linked = folder();
    symlinkSync("/etc/hostname", join(linked, "work/features.json"));
    expect(() => nextWork("feature", linked)).toThrow("has to be a file, and no link leads to it");
  });
});
