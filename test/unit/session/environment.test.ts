import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { homeOf, programDirs } from "../../../src/session/environment.ts";

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
});
