import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { decidedBefore, editWords, keyOf, usesOf } from "../../../src/session/policy-rows.ts";
import { collect, openAt, place } from "../../support/session.ts";

const DENY: Rule = { action: "deny", text: "Bash(cat:*)", source: "user" };

describe("P6: what rules did", () => {
  it("tells when each last decided in the folder's sessions, and how often in this one", async () => {
    const at = place("policy-rows");
    const call = { name: "Bash", input: { command: "cat a" } };
    const session = await openAt(at, { rules: [DENY], script: { turns: [{ calls: [call, call] }, { text: "done" }] } });
    const { events } = await collect(session.submit("go"));
    const facts = events.filter((e) => "seq" in e);
    expect(usesOf(facts, DENY)).toMatchObject({
      uses: 2,
      lastUse: facts.findLast((e) => e.type === "permission.decided")?.at,
    });
    expect(usesOf(facts, { ...DENY, source: "person" })).toEqual({ uses: 0 });
    const sessions = join(at.state, "sessions");
    const found = decidedBefore(sessions, at.folder);
    expect([...found.keys()]).toEqual([keyOf(DENY)]);
    expect(found.get(keyOf(DENY))).toBe(usesOf(facts, DENY).lastUse);
    expect(decidedBefore(sessions, at.folder, session.id).size).toBe(0);
    expect(decidedBefore(sessions, "/elsewhere").size).toBe(0);
    await session.close();
  });
  it("says where those are edited that can't be from here", () => {
    const words = (source: Rule["source"], at?: string) => editWords({ ...DENY, source }, at);
    expect([words("session"), words("person", "/c/p.json:2"), words("user", "/c/s.json:2")]).toEqual([
      true,
      true,
      true,
    ]);
    expect(words("user", "/home/me/.claude/settings.json:2")).toContain("edit /home/me/.claude/settings.json");
    expect(words("project", "/p/.agent/settings.json:2")).toContain("edit /p/.agent/settings.json");
    expect(words("managed", "/etc/understudy/settings.json:2")).toContain("/etc/understudy/settings.json");
    expect(words("cli")).toBe("typed: start without --deny");
  });
});
