import { describe, expect, it } from "vitest";
import { worthRetry } from "../../../src/sandbox/retry.ts";
import type { ShellExit } from "../../../src/sandbox/sandbox.ts";

const exit: ShellExit = {
  code: 1,
  signal: null,
  reason: "exit",
  output: "rename: Invalid cross-device link\n",
  outputBytes: 1,
  cwd: "/w",
  env: {},
  durationMs: 30_000,
  changes: { operationId: "op", stepFolder: "/s", since: "0", changes: [] },
  hints: [],
};
const command = { network: false, mode: "auto" as const };

describe("what is run again on a clone", () => {
  it.each([
    "fatal: renaming 'd' failed: Invalid cross-device link",
    "Error: EXDEV: cross-device link not permitted, rename 'd' -> 'e'",
    "OSError: [Errno 18] Invalid cross-device link: 'd' -> 'e'",
    "rename d e: invalid cross-device link",
    'Os { code: 18, kind: CrossesDevices, message: "Invalid cross-device link" }',
    "error: failed to rename (os error 18)",
    "bash: line 1: f: Value too large for defined data type",
    "EOVERFLOW: value too large for defined data type, open 'f'",
    "touch: (os error 75)",
  ])("SANDBOX-H3, SANDBOX-H6: %s", (output) => {
    expect(worthRetry({ ...exit, output }, command)).toBe(true);
  });
  it.each<[string, Partial<ShellExit>]>([
    ["it ended well", { code: 0 }],
    ["it was stopped", { reason: "interrupted", code: null }],
    ["it ran out of time", { reason: "timeout", code: null }],
    ["it took longer than 30 s", { durationMs: 30_001 }],
    ["it failed by itself", { output: "os error 181, value too small\n" }],
  ])("SANDBOX-0.7: not when %s", (_, more) => {
    expect(worthRetry({ ...exit, ...more }, command)).toBe(false);
  });
  it("SANDBOX-0.7: not when nothing is known of its changes", () => {
    const { changes: _, ...rest } = exit;
    expect(worthRetry(rest, command)).toBe(false);
  });
  it("SANDBOX-0.7: not with a granted need, nor in plan mode", () => {
    expect(worthRetry(exit, { ...command, network: true })).toBe(false);
    expect(worthRetry(exit, { ...command, hosts: [] })).toBe(false);
    expect(worthRetry(exit, { ...command, outside: [] })).toBe(false);
    expect(worthRetry(exit, { ...command, mode: "plan" })).toBe(false);
  });
});
