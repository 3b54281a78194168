import { describe, expect, it } from "vitest";
import type { Effect, Mode, Need, Rule } from "../../../src/events/effect.ts";
import { MODES } from "../../../src/events/mode.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { stricter } from "../../../src/permissions/lattice.ts";
import { allow, ask, deny, entry, landing, marked, needing } from "./effects.ts";

const by = (effect: Effect, mode: Mode, rules: readonly Rule[] = [], hooks: Parameters<typeof decide>[4] = []) =>
  decide(effect, mode, rules, false, hooks, true);

const NEEDS: readonly Need[] = [
  { kind: "outside", access: "read", path: "/etc/hosts" },
  { kind: "outside", access: "write", path: "/srv/x" },
  { kind: "network", host: "example.test", port: 443 },
  { kind: "unsandboxed", words: "docker ps" },
  { kind: "uncontained", words: "ls" },
  { kind: "before", words: "ls" },
  { kind: "port", port: 3000 },
  { kind: "mcp", server: "s", tool: "t" },
];
const LANDINGS: readonly Effect[] = [
  landing([entry("a.txt", { op: "create" })]),
  landing([marked("a.txt", "delete")]),
  landing([marked(".envrc", "control")]),
  landing(Array.from({ length: 11 }, (_, n) => entry(`f${n}`))),
  landing([], {}, { git: [{ text: "moves main", high: true }] }),
];
const EFFECTS = [...NEEDS.map((need) => needing([need])), ...LANDINGS];

describe("--bypass (P8)", () => {
  it.each(EFFECTS.map((effect, n) => [n, effect] as const))(
    "P8: what the policy would ask is allowed, and marked as not asked: effect %i",
    (_n, effect) => {
      for (const mode of ["ask", "auto"] as const) {
        const plain = decide(effect, mode, [], false);
        const bypassed = by(effect, mode);
        expect(bypassed.action).toBe("allow");
        expect(bypassed.bypassed).toBe(plain.action === "ask" ? true : undefined);
        expect(bypassed.risk).toBe(plain.risk);
        if (plain.action === "ask") expect(bypassed.reason).toContain("not asked: --bypass");
      }
    },
  );

  it("P8, P1: plan mode denies what it denies without it", () => {
    for (const effect of EFFECTS) {
      const plain = decide(effect, "plan", [], false);
      if (plain.action === "deny") expect(by(effect, "plan")).toEqual(plain);
      else expect(by(effect, "plan").action).toBe("allow");
    }
  });

  it.each(["managed", "user", "person", "project", "cli", "session"] as const)(
    "P8: what a rule of %s asks or denies stays asked or denied",
    (source) => {
      const effect = needing([], { subject: "git push origin" });
      expect(by(effect, "auto", [{ action: "deny", text: "Bash(git push:*)", source }])).toMatchObject({
        action: "deny",
      });
      const asked = by(effect, "auto", [{ action: "ask", text: "Bash(git push:*)", source }]);
      expect(asked).toMatchObject({ action: "ask" });
      expect(asked.bypassed).toBeUndefined();
    },
  );

  it("P8, H2: what a hook asks or denies stays so", () => {
    const effect = landing([marked("a.txt", "delete")]);
    const hook = (action: "ask" | "deny") => by(effect, "auto", [], [{ action, reason: "no", hook: "guard" }]);
    expect(hook("deny")).toMatchObject({ action: "deny", hook: "guard" });
    expect(hook("ask")).toMatchObject({ action: "ask", hook: "guard" });
    expect(hook("ask").bypassed).toBeUndefined();
  });

  it("P8: a rule that can't be understood asks, a deny that may be concerned too", () => {
    const effect = landing([entry("a.txt", { op: "create" })]);
    expect(by(effect, "auto", [ask("Nonsense((")]).action).toBe("ask");
    const folder = landing([entry("src", { op: "create", type: "folder", files: 3 })]);
    expect(by(folder, "auto", [deny("Edit(src/secret.txt)")]).action).not.toBe("allow");
  });

  it("P8: it never makes anything stricter, and an allow of a rule is not called bypassed", () => {
    for (const effect of EFFECTS)
      for (const mode of MODES) {
        const plain = decide(effect, mode, [], false).action;
        expect(stricter(plain, by(effect, mode).action)).toBe(plain);
      }
    const lifted = by(needing([{ kind: "network", host: "example.test", port: 443 }]), "auto", [
      allow("Network(example.test:443)"),
    ]);
    expect(lifted.bypassed).toBeUndefined();
    expect(lifted.rule?.text).toBe("Network(example.test:443)");
  });
});
