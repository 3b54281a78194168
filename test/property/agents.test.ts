import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Effect, Rule } from "../../src/events/effect.ts";
import { MODES } from "../../src/events/mode.ts";
import { initialState } from "../../src/events/reduce.ts";
import { gateNow, type Gate } from "../../src/loop/above.ts";
import { decideNow } from "../../src/loop/decide-now.ts";
import type { LoopDeps } from "../../src/loop/deps.ts";
import { deepRuns } from "../support/deep.ts";

const STRICT = { allow: 0, ask: 1, deny: 2 } as const;
const paths = fc.constantFrom("a.txt", "src/a.ts", "secrets/key", "docs/b.md");
const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({
    tool: fc.constantFrom("Bash", "Write", "Read"),
    subject: fc.constantFrom("make", "rm -rf x", "git push", "a.txt"),
    needs: fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant("network" as const), host: fc.constantFrom("h.test", "b.test") }),
        fc.record({
          kind: fc.constantFrom("unsandboxed" as const, "before" as const),
          words: fc.constantFrom("make", "git push"),
        }),
        fc.record({
          kind: fc.constant("outside" as const),
          access: fc.constantFrom("read" as const, "write" as const),
          path: fc.constant("/etc/hosts"),
        }),
      ),
      { maxLength: 3 },
    ),
    contained: fc.boolean(),
  }),
  fc
    .record({ op: fc.constantFrom("create" as const, "modify" as const, "delete" as const), path: paths })
    .map(({ op, path }): Effect => ({
      tool: "Write",
      subject: path,
      needs: [],
      contained: true,
      changes: {
        entries: [{ root: 0, path, op, type: "file", marks: [] }],
        git: [],
        regenerable: [],
        files: 1,
        manifestHash: "x",
        undoable: true,
      },
    })),
);
const rule: fc.Arbitrary<Rule> = fc.record({
  action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
  text: fc.constantFrom(
    "Edit(src/**)",
    "Edit",
    "Delete(*.txt)",
    "Read(/etc/**)",
    "Bash(make)",
    "Bash(*)",
    "Network(h.test)",
    "Bash",
    "Write",
  ),
  source: fc.constantFrom("person" as const, "session" as const, "project" as const),
});
const side = fc.record({
  mode: fc.constantFrom(...MODES),
  files: fc.array(rule, { maxLength: 3 }),
  own: fc.array(rule, { maxLength: 3 }),
  trusted: fc.boolean(),
  bypass: fc.boolean(),
});
type Side = typeof side extends fc.Arbitrary<infer S> ? S : never;
type Deps = Pick<LoopDeps, "log" | "rules" | "above">;

/** A session as decisions see it; `up`: the one that started it. */
function depsOf({ mode, files, own, trusted, bypass }: Side, up?: Deps): Deps {
  const state = { ...initialState("s"), mode, rules: own, trusted, bypass };
  const gate = (): Gate => gateNow(up ?? depsOf({ mode, files, own, trusted, bypass }));
  const above = { agentId: "a", agent: "general", gate, stop: () => undefined, left: () => ({}) };
  return { log: { state } as unknown as LoopDeps["log"], rules: () => files, ...(up === undefined ? {} : { above }) };
}

describe("what a sub-agent may", () => {
  it("C5: is never more than what the session above may, at any depth, whatever its own mode, rules, trust and bypass say", () => {
    fc.assert(
      fc.property(effect, side, fc.array(side, { minLength: 1, maxLength: 3 }), (what, top, below) => {
        let deps = depsOf(top);
        for (const one of below) {
          const next = depsOf(one, deps);
          expect(STRICT[decideNow(what, next).action]).toBeGreaterThanOrEqual(STRICT[decideNow(what, deps).action]);
          deps = next;
        }
      }),
      deepRuns(1000, 20_000),
    );
  });
});
