import { describe, expect, it } from "vitest";
import type { Effect, Rule } from "../../../src/events/effect.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { offer } from "../../../src/permissions/offer.ts";
import { allow, command, landing, entry, needing } from "./effects.ts";

const shaped = ["an earlier command set PATH", "an earlier command wrote ~/.npmrc"];
const judged = (effect: Effect, ...rules: Rule[]) => decide(effect, "ask", rules, true);

describe("P6: what earlier commands made of a command's words", () => {
  const plain = command("npm test");
  const moved = { ...plain, shaped };

  it("an allow of these words doesn't count, and the reason says why", () => {
    expect(judged(plain, allow("Bash(npm test)")).action).toBe("allow");
    expect(judged(moved, allow("Bash(npm test)"))).toMatchObject({
      action: "ask",
      reason:
        "changes 1 file: src/a.ts; Bash(npm test) (your own rules for this project) doesn't count: an earlier command set PATH, an earlier command wrote ~/.npmrc",
    });
    expect(judged({ ...plain, shaped: [] }, allow("Bash(npm test)")).action).toBe("allow");
  });
  it("of no rule that wouldn't have covered it anything is said", () => {
    expect(judged(moved, allow("Bash(npm run lint)")).reason).toBe("changes 1 file: src/a.ts");
  });
  it("an allow of every command, or of the paths, counts: neither is about words", () => {
    expect(judged(moved, allow("Bash")).action).toBe("allow");
    expect(judged(moved, allow("Bash(*)")).action).toBe("allow");
    expect(judged(moved, allow("Edit(src/**)")).action).toBe("allow");
    expect(judged(moved, allow("Bash(npm test)"), allow("Edit(src/**)")).action).toBe("allow");
  });
  it("what changes nothing asks nothing, and auto mode lands as ever", () => {
    expect(judged(landing([], { tool: "Bash", subject: "npm test", shaped }), allow("Bash(npm test)")).action).toBe(
      "allow",
    );
    expect(decide(moved, "auto", [], true).action).toBe("allow");
  });
  it("remembering isn't offered: the rule would answer nothing next time", () => {
    expect(offer(plain, judged(plain))).toEqual({ session: "Bash(npm test)", always: "Bash(npm test)" });
    expect(offer(moved, judged(moved))).toBeUndefined();
  });
  it("neither does it count before a command runs, in the copy or where there is none", () => {
    const before = needing([{ kind: "before", words: "npm test" }], { subject: "npm test" });
    expect(judged(before, allow("Bash(npm test)")).action).toBe("allow");
    expect(judged({ ...before, shaped }, allow("Bash(npm test)"))).toMatchObject({
      action: "ask",
      reason: expect.stringContaining("asks before every command; Bash(npm test) (your own rules") as string,
    });
    expect(judged({ ...before, shaped }, allow("Bash")).action).toBe("allow");
    const bare = needing([{ kind: "uncontained", words: "npm test" }], { subject: "npm test", contained: false });
    expect(judged(bare, allow("Unsandboxed(npm test)")).action).toBe("allow");
    expect(judged({ ...bare, shaped }, allow("Unsandboxed(npm test)"))).toMatchObject({
      action: "ask",
      reason: expect.stringContaining("an earlier command set PATH") as string,
    });
    const outside = needing([{ kind: "unsandboxed", words: "npm test" }], { subject: "npm test", shaped });
    expect(judged(outside, allow("Unsandboxed(npm test)")).action).toBe("allow");
  });
  it("a name that no screen should see raw is made visible", () => {
    const odd = {
      ...landing([entry("a")]),
      tool: "Bash",
      subject: "x",
      shaped: ["an earlier command wrote ~/\u001b[2J"],
    };
    expect(judged(odd, allow("Bash(x)")).reason).not.toContain("\u001b");
  });
});
