import { describe, expect, it } from "vitest";
import { exitOf, type ExitParts } from "../../../src/sandbox/exit.ts";

function exitIn(cwd: string, left: readonly string[] = []) {
  const parts: ExitParts = {
    command: {
      operationId: "op_1",
      command: "x",
      cwd: "/tmp/project/lib",
      env: {},
      mode: "auto",
      network: false,
      layers: [],
      limits: { timeoutMs: 1000, processes: 9, fileSizeMb: 9, layerMb: 9 },
    },
    ending: { reason: "exit", code: 0, signal: null, errors: "" },
    state: { started: true, ended: true, lost: false, cwd, env: new Map(), left: [...left] },
    collected: { text: "", bytes: 0 },
    base: {},
    fallback: "/tmp/project/lib",
    roots: ["/tmp/project/lib", "/tmp/added"],
    durationMs: 1,
    walls: true,
  };
  return exitOf(parts);
}

describe("processes that a command left running", () => {
  it("T7: are told by name and number, the first few of them, with what to use instead", () => {
    expect(exitIn("/usr").hints).toEqual([]);
    expect(exitIn("/usr", ["sleep"]).hints).toEqual([
      "1 process was left running and was ended with the command: sleep; what has to go on needs run_in_background",
    ]);
    expect(exitIn("/usr", ["node", "node", "a\u001b[1m", "b", "c", "d", "e"]).hints).toEqual([
      "7 processes were left running and were ended with the command: node, a\\u{1b}[1m, b, c, d, and 1 more; what has to go on needs run_in_background",
    ]);
  });
});

describe("where the next command starts", () => {
  it("T7: a root outlasts the command, also one that lies below /tmp", () => {
    for (const cwd of ["/tmp/project/lib/in", "/tmp/added", "/tmp/added/in", "/usr"]) {
      expect(exitIn(cwd)).toMatchObject({ cwd, hints: [] });
    }
  });

  it("T7: what lies in a folder of the command's own is gone, and that is told", () => {
    for (const cwd of ["/tmp", "/tmp/project", "/tmp/added-not", "/run/x"]) {
      const exit = exitIn(cwd);
      expect(exit.cwd).toBe("/tmp/project/lib");
      expect(exit.hints.join()).toContain(`${cwd} is thrown away after each command`);
    }
  });
});
