import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { liveRules, rulesTold } from "../../../src/session/policy-live.ts";
import { load, newLog, OPENED, place, stateOf } from "../../support/event-log.ts";

const rule = (text: string, source: Rule["source"] = "user"): Rule => ({ action: "allow", text, source });

describe("P6: the rules in force", () => {
  it("those of files with their places; changes of the person's count at once", () => {
    const a = rule("Bash(a)");
    const live = liveRules({ rules: [a, rule("Bash(b)", "cli")], places: new Map([[a, "/s.json:3"]]) });
    expect(live.placeOf(a)).toBe("/s.json:3");
    const c = rule("Bash(c)", "person");
    live.add(c, "/p.json:1");
    live.change(rule("Bash(b)", "cli"));
    live.change(rule("Bash(a)", "person"));
    expect(live.now()).toEqual([a, c]);
    live.change(a, rule("Bash(d)"), "/s.json:4");
    expect(live.now()).toEqual([rule("Bash(d)"), c]);
    expect(live.placeOf(live.now()[0] as Rule)).toBe("/s.json:4");
    live.change(rule("Bash(d)"), c);
    expect(live.now()).toEqual([c]);
    live.replace({ rules: [c], places: new Map() });
    expect([live.now(), live.placeOf(c)]).toEqual([[c], undefined]);
  });
  it("E6: the log says which rules were in force from each opening on, and where they stand", async () => {
    const a = rule("Bash(a)");
    const places = new Map([[a, "/s.json:3"]]);
    expect(rulesTold({ rules: [a], places })).toEqual({ rules: [{ ...a, at: "/s.json:3" }] });
    expect(rulesTold({ rules: [] })).toEqual({});
    const at = place();
    const log = await newLog(at);
    await log.append({
      type: "session.resumed",
      program: "1",
      folder: "/p",
      roots: [],
      ...rulesTold({ rules: [a], places }),
    });
    await log.close();
    expect((await load(at)).events.at(-1)).toMatchObject({ rules: [{ ...a, at: "/s.json:3" }] });
  });
  it("a rule of the session that was taken away is gone from its state; one of a file never was in it", () => {
    const here = rule("Bash(a)", "session");
    const state = stateOf(
      OPENED,
      { type: "rule.added", rule: here },
      { type: "rule.added", rule: rule("Bash(b)", "session") },
      { type: "rule.removed", rule: here },
      { type: "rule.removed", rule: rule("Bash(b)", "user") },
    );
    expect(state.rules.map((r) => r.text)).toEqual(["Bash(b)"]);
  });
});
