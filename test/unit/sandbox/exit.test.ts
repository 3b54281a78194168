import { describe, expect, it } from "vitest";
import { exitOf, type ExitParts } from "../../../src/sandbox/exit.ts";

function exitIn(cwd: string) {
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
    state: { started: true, ended: true, lost: false, cwd, env: new Map() },
    collected: { text: "", bytes: 0 },
    base: {},
    fallback: "/tmp/project/lib",
    roots: ["/tmp/project/lib", "/tmp/added"],
    durationMs: 1,
    walls: true,
  };
  return exitOf(parts);
}

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
