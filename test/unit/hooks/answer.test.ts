import { describe, expect, it } from "vitest";
import { checkAnswer, readAnswer } from "../../../src/hooks/answer.ts";
import { mergeAnswers } from "../../../src/hooks/merge.ts";
import type { HookEvent } from "../../../src/hooks/moment.ts";

const read = (event: HookEvent, exit: number, out = "", err = "") =>
  readAnswer(event, exit, Buffer.from(out), Buffer.from(err));

describe("readAnswer", () => {
  it("H1: exit 0 is no answer, words or JSON; 2 blocks with stderr; any other is a failure", () => {
    expect(read("PreToolUse", 0)).toEqual({});
    expect(read("PreToolUse", 0, "ok\n")).toEqual({});
    expect(read("UserPromptSubmit", 0, "It is Monday.\n")).toEqual({ context: "It is Monday." });
    expect(read("PreToolUse", 2, "", "no\n")).toEqual({ decision: "deny", reason: "no" });
    expect(read("PreToolUse", 2)).toEqual({ decision: "deny", reason: "it gave no reason" });
    expect(read("Notification", 2, "", "no\n")).toEqual({ failed: "ended with exit code 2: no" });
    expect(read("PreToolUse", 1, '{"decision":"allow"}', "boom\nmore")).toEqual({
      failed: "ended with exit code 1: boom",
    });
  });
  it("H1: both forms of the ecosystem's JSON are known", () => {
    const own = {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "r",
      updatedInput: { a: 1 },
      additionalContext: "c",
    };
    expect(checkAnswer("PreToolUse", { hookSpecificOutput: own, systemMessage: "m", suppressOutput: true })).toEqual({
      decision: "deny",
      reason: "r",
      input: { a: 1 },
      context: "c",
      message: "m",
    });
    expect(checkAnswer("Stop", { decision: "block", reason: "tests fail" })).toEqual({
      decision: "deny",
      reason: "tests fail",
    });
    expect(checkAnswer("PreToolUse", { decision: "approve" })).toEqual({ decision: "allow" });
    expect(
      checkAnswer("PermissionRequest", {
        hookSpecificOutput: { decision: { behavior: "deny", message: "no", interrupt: true } },
      }),
    ).toEqual({
      decision: "deny",
      reason: "no",
      stop: "no",
    });
    expect(checkAnswer("PostToolUse", { continue: false, stopReason: "enough" })).toEqual({ stop: "enough" });
  });
  it("H2: an unknown word is no yes, rubbish is a failure, and of two words the stricter counts", () => {
    for (const value of [
      { decision: "ALLOW" },
      { decision: 1 },
      [],
      "text",
      1,
      { hookSpecificOutput: "x" },
      { hookSpecificOutput: { hookEventName: "Stop" } },
    ])
      expect([value, checkAnswer("PreToolUse", value).failed]).toEqual([value, expect.any(String)]);
    expect(read("PreToolUse", 0, "{nonsense")).toHaveProperty("failed");
    expect(
      checkAnswer("PreToolUse", { decision: "allow", hookSpecificOutput: { permissionDecision: "deny" } }),
    ).toMatchObject({ decision: "deny" });
    expect(checkAnswer("PreToolUse", { decision2: "allow", mode: "auto", permissions: { allow: ["*"] } })).toEqual({});
  });
});

describe("mergeAnswers", () => {
  it("H1: the strictest decides with its names, the first input counts, every context stays", () => {
    const merged = mergeAnswers([
      { name: "a", decision: "allow", context: "one" },
      { name: "b", decision: "ask", reason: "r", input: { x: 1 } },
      { name: "c", decision: "deny", reason: "s", input: { x: 1 } },
      { name: "d", decision: "deny", reason: "t", input: { x: 2 }, context: "two" },
    ]);
    expect(merged).toEqual({
      decision: "deny",
      by: [
        { name: "c", reason: "s" },
        { name: "d", reason: "t" },
      ],
      input: { value: { x: 1 }, by: "b" },
      otherInputs: ["d"],
      context: [
        { name: "a", text: "one" },
        { name: "d", text: "two" },
      ],
    });
  });
});
