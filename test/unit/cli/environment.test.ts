import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";
import { homeOf, programDirs } from "../../../src/cli/environment.ts";

describe("environment", () => {
  it("a HOME that is empty or relative never makes the project's folder the program's", () => {
    expect(homeOf({ HOME: "/home/x" })).toBe("/home/x");
    for (const HOME of ["", "x", "./x", undefined]) {
      expect(homeOf({ HOME })).toBe(userInfo().homedir);
      expect(programDirs({ HOME, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "state" })).toEqual({
        config: `${userInfo().homedir}/.config/understudy`,
        state: `${userInfo().homedir}/.local/state/understudy`,
      });
    }
  });
  it("U2: the help tells defaults only where they say something", () => {
    const help = parseArgs(["--help"], "1");
    expect(help.ok ? "" : help.out.match(/\(default: (?:false|\[\])\)/g)).toBeNull();
    const parsed = parseArgs(["--allow", "Bash(a)", "--allow", "Bash(b)", "x"], "1");
    expect(parsed.ok && parsed.invocation).toMatchObject({
      options: { allow: ["Bash(a)", "Bash(b)"], deny: [], print: false },
    });
  });
});
