import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/session/defaults.ts";
import { personSettingsFile, projectSettingsFile, userSettingsFile } from "../../../src/session/rules-files.ts";
import { checkSettings, SettingsError } from "../../../src/session/settings-file.ts";
import { loadSettings, type Flags, type Settings } from "../../../src/session/settings.ts";
import { scratch } from "../../support/scratch.ts";

function load(files: { user?: object; person?: object; project?: object }, flags: Flags = {}): Settings {
  const dir = scratch("checks");
  const options = { configDir: join(dir, "config"), folder: join(dir, "project"), home: "/home/me", flags };
  const paths = {
    user: userSettingsFile(options.configDir),
    person: personSettingsFile(options.configDir, options.folder),
    project: projectSettingsFile(options.folder),
  };
  for (const name of ["user", "person", "project"] as const) {
    if (files[name] === undefined) continue;
    mkdirSync(dirname(paths[name]), { recursive: true });
    writeFileSync(paths[name], JSON.stringify(files[name]));
  }
  return loadSettings(options);
}
function problem(text: string): string {
  try {
    checkSettings("f", text, "user", "/home/me");
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "";
}

describe("completion checks in settings", () => {
  it("S9: commands and files, with names, times and when they concern; the person's own for a project in the user's place", () => {
    const user = { checks: [{ command: "make" }] };
    const person = {
      checks: [
        { command: "npm test\n", name: "tests", timeoutSeconds: 1.5, when: ["src/**"] },
        { command: "npm run lint -- .\necho done" },
        { mustExist: ["dist/a.js"] },
        { mustExist: ["b"] },
        { mustNotChange: ["migrations/**"], name: "locked" },
      ],
    };
    expect(load({ user, person }).checks).toEqual({
      rounds: 3,
      list: [
        { kind: "command", name: "tests", command: "npm test\n", timeoutMs: 1500, when: ["src/**"] },
        { kind: "command", name: "npm run lint -- .", command: "npm run lint -- .\necho done", timeoutMs: 600_000 },
        { kind: "exists", name: "must exist", paths: ["dist/a.js"] },
        { kind: "exists", name: "must exist (2)", paths: ["b"] },
        { kind: "unchanged", name: "locked", paths: ["migrations/**"] },
      ],
    });
    expect(load({ user, person }).notices).toEqual([]);
    expect(load({}).checks).toBeUndefined();
  });

  it("S9, P6: a project's checks add to the person's, are told, and can only shorten the tries", () => {
    const user = { checks: [{ command: "npm test", name: "tests" }], checkRounds: 2 };
    const project = {
      checks: [{ command: "npm test" }, { command: "make lint", name: "tests" }],
      checkRounds: 9,
    };
    const { checks, notices } = load({ user, project });
    expect(checks?.list.map((c) => c.name)).toEqual(["tests", "tests (2)"]);
    // H5: what the folder brings runs only where it is trusted.
    expect(checks?.list.map((c) => c.brought)).toEqual([undefined, true]);
    expect(checks?.rounds).toBe(2);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(
      /completion checks of the project run too, where you trust the folder \(in the copy, without network\): make lint$/,
    );
    expect(load({ user, project: { checkRounds: 1 } }).checks?.rounds).toBe(1);
  });

  it("S9, P9: where commands are asked about first, a project's commands are not run, and that is told", () => {
    const project = { checks: [{ command: "make" }, { mustExist: ["a"] }] };
    const { checks, notices } = load({ user: { permissions: { commands: "before" } }, project });
    expect(checks?.list.map((c) => c.kind)).toEqual(["exists"]);
    expect(notices.some((n) => n.includes("are not run") && n.endsWith(": make"))).toBe(true);
  });

  it.each([
    ['{ "checks": [{}] }', "f:1:14: checks.0: a check has one of command, mustExist and mustNotChange"],
    ['{ "checks": [{ "command": "x", "mustExist": ["a"] }] }', "checks.0: a check has one of command"],
    ['{ "checks": [{ "mustExist": ["a"], "when": ["b"] }] }', "checks.0: timeoutSeconds and when are for a check"],
    ['{ "checks": [{ "comand": "x" }] }', "f:1:16: checks.0.comand: no such key; did you mean command?"],
    ['{ "checks": [{ "mustExist": ["../x"] }] }', "checks.0.mustExist.0: a path can't climb with .."],
    ['{ "checks": [{ "command": "x", "when": [] }] }', "checks.0.when: Too small"],
  ])("S9, U7: %s: %s", (text, expected) => expect(problem(text)).toContain(expected));
});

describe("limits in settings", () => {
  it("S3: of a message and of the session; flags above both, a project only lowers", () => {
    const user = { maxTurns: 9, limits: { usd: 3, session: { tokens: 500, minutes: 2, usd: 9 } } };
    expect(load({ user }).limits).toEqual({
      ...LIMITS,
      turns: 9,
      usd: 3,
      session: { tokens: 500, timeMs: 120_000, usd: 9 },
    });
    expect(load({ user }, { usd: 1, timeMs: 4000, tokens: 8 }).limits).toMatchObject({
      usd: 3,
      tokens: 8,
      timeMs: 4000,
      session: { tokens: 500, usd: 1 },
    });
    const project = { limits: { usd: 1, session: { tokens: 900, turns: 4, minutes: 1 } } };
    expect(load({ user, project }).limits).toMatchObject({
      usd: 1,
      session: { tokens: 500, turns: 4, timeMs: 60_000, usd: 9 },
    });
    expect(load({}).limits).toEqual(LIMITS);
  });
});
