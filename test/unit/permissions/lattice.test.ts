import { describe, expect, it } from "vitest";
import type { Verdict } from "../../../src/permissions/lattice.ts";
import type { Decision } from "../../../src/events/effect.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { stricter, strictest } from "../../../src/permissions/lattice.ts";
import { allow, deny, entry, landing, needing } from "./effects.ts";

const ACTIONS = ["allow", "ask", "deny"] as const;

describe("lattice", () => {
  it("P2: allow < ask < deny, in every pair and order", () => {
    const table = ACTIONS.map((a) => ACTIONS.map((b) => stricter(a, b)));
    expect(table).toEqual([
      ["allow", "ask", "deny"],
      ["ask", "ask", "deny"],
      ["deny", "deny", "deny"],
    ]);
  });

  it("P2: each verdict decides alone: one that is stricter than all others is the outcome, and is named", () => {
    for (const [at, action] of ACTIONS.entries())
      for (const others of [[], ...ACTIONS.slice(0, at).map((a) => [a]), ACTIONS.slice(0, at)]) {
        const all = others.map((a): Verdict => ({ action: a, reason: `other ${a}` }));
        const one: Verdict = { action, reason: "this", hook: "h" };
        expect(strictest([...all, one])).toEqual({ action, reason: "this", hook: "h" });
        expect(strictest([one, ...all])).toEqual({ action, reason: "this", hook: "h" });
      }
    expect(strictest([])).toEqual({ action: "allow", reason: "" });
  });

  it("P2: reasons, rules and the first hook are those that decided, each once", () => {
    const [a, b] = [deny("Read(a)"), deny("Read(b)")];
    const verdict = strictest([
      { action: "ask", reason: "weaker", hook: "weak" },
      { action: "deny", reason: "x", rule: a },
      { action: "deny", reason: "x", rule: a },
      { action: "deny", reason: "", rule: allow("unsaid") },
      { action: "deny", reason: "y", rule: b },
      { action: "deny", reason: "z", hook: "first" },
      { action: "deny", reason: "z", hook: "second" },
    ]);
    expect(verdict).toEqual({ action: "deny", reason: "x; y; z", rule: a, rules: [a, b], hook: "first" });
  });
});

describe("hooks among the verdicts", () => {
  const inside = needing([], { subject: "ls" });
  const net = needing([{ kind: "network", host: "a.test", port: 443 }], { subject: "curl a.test" });
  const of = (effect: typeof net, hooks: readonly Verdict[], rules = [deny("Read(x)")]): Decision =>
    decide(effect, "ask", rules, true, hooks);

  it("H2: a hook asks and denies what policy and rules allow, and is named", () => {
    expect(of(inside, [])).not.toHaveProperty("hook");
    expect(of(inside, [{ action: "ask", reason: "look\n first ", hook: "lint" }])).toMatchObject({
      action: "ask",
      reason: "the hook lint asks: look first",
      hook: "lint",
    });
    expect(of(inside, [{ action: "deny", reason: "", hook: "a\u202eb" }])).toMatchObject({
      action: "deny",
      reason: "the hook a\\u{202e}b denies",
    });
    expect(of(inside, [{ action: "deny", reason: "no" }])).toMatchObject({ reason: "a hook denies: no", hook: "" });
  });

  it("H2: a hook's allow changes neither outcome nor reason, whatever else was said", () => {
    const yes: Verdict = { action: "allow", reason: "fine", hook: "yes" };
    const no: Verdict = { action: "deny", reason: "no", hook: "no" };
    for (const effect of [inside, net, landing([entry("a.ts")])])
      for (const mode of ["plan", "ask", "auto"] as const)
        for (const hooks of [[], [no]])
          expect(decide(effect, mode, [], true, [yes, ...hooks])).toEqual(decide(effect, mode, [], true, hooks));
  });

  it("P2: where a rule and a hook deny, both reasons are told and the rule is named", () => {
    const rule = deny("Network(a.test)");
    expect(of(net, [{ action: "deny", reason: "no", hook: "h" }], [rule])).toEqual({
      action: "deny",
      risk: "high",
      reason: "denied by Network(a.test) (your own rules for this project); the hook h denies: no",
      rule,
      hook: "h",
    });
  });
});
