import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Mark,
  RuleSource,
  type ChangeEntry,
  type Decision,
  type Effect,
  type Need,
  type Rule,
} from "../../src/events/effect.ts";
import { MODES } from "../../src/events/mode.ts";
import { decide } from "../../src/permissions/decide.ts";
import type { Verdict } from "../../src/permissions/lattice.ts";
import { highRisk, riskOf } from "../../src/permissions/risk.ts";
import { landAllowed, readDenied } from "../../src/permissions/rule-match.ts";
import { deepRuns } from "../support/deep.ts";

const STRICT = { allow: 0, ask: 1, deny: 2 } as const;
const strict = (d: Decision) => STRICT[d.action];

const paths = fc.constantFrom(
  "a.txt",
  "src/a.ts",
  "src/b/c.ts",
  "docs",
  "secrets/key",
  "SRC/a.ts",
  "src/../x",
  "/etc/hosts",
  "/srv/x/y",
  "we ird\u202e",
  "",
);
const words = fc.constantFrom(
  "make",
  "make clean",
  "rm -rf x",
  "git push",
  "env rm -rf x",
  "echo $x",
  "ls )",
  "make && rm -rf x",
  "make > a",
  "bash -c 'rm -rf x'",
  "",
);
const hosts = fc.constantFrom(
  "h.test",
  "evil.invalid",
  "*",
  "H.test",
  "a.h.test",
  "127.0.0.1",
  "2130706433",
  "::1",
  "h.test\0.x",
);
const pins = fc.constantFrom("ab".repeat(32), "cd".repeat(32), undefined);
const need: fc.Arbitrary<Need> = fc.oneof(
  fc.record({
    kind: fc.constant("outside" as const),
    access: fc.constantFrom("read" as const, "write" as const),
    path: paths,
  }),
  fc.record(
    {
      kind: fc.constant("network" as const),
      host: hosts,
      port: fc.constantFrom(80, 443),
      get: fc.constantFrom("http" as const, "https" as const),
    },
    { requiredKeys: ["kind", "host"] },
  ),
  fc.record({ kind: fc.constant("port" as const), port: fc.constantFrom(80, 443) }),
  fc.record({ kind: fc.constantFrom("unsandboxed" as const, "uncontained" as const, "before" as const), words }),
  fc.record({ kind: fc.constant("change" as const), paths: fc.array(paths, { maxLength: 2 }) }),
  fc
    .record({ server: fc.constantFrom("git", "hub"), tool: fc.constantFrom("push", "log"), pin: pins })
    .map(({ pin, ...rest }) => ({ kind: "mcp" as const, ...rest, ...(pin === undefined ? {} : { pin }) })),
);
const entry: fc.Arbitrary<ChangeEntry> = fc.record(
  {
    root: fc.nat(1),
    path: paths,
    op: fc.constantFrom(
      "create" as const,
      "modify" as const,
      "delete" as const,
      "rename" as const,
      "chmod" as const,
      "link" as const,
      "type" as const,
    ),
    type: fc.constantFrom("file" as const, "folder" as const, "link" as const, "special" as const),
    marks: fc.uniqueArray(fc.constantFrom(...Mark.options), { maxLength: 3 }),
    from: paths,
    files: fc.nat(20),
  },
  { requiredKeys: ["root", "path", "op", "type", "marks"] },
);
const effect: fc.Arbitrary<Effect> = fc
  .record({
    tool: fc.constantFrom("Bash", "Write", "Edit", "Delete", "Read", "Grep", "WebFetch", "mcp__git__push"),
    subject: fc.oneof(words, paths),
    paths: fc.array(paths, { maxLength: 2 }),
    needs: fc.array(need, { maxLength: 3 }),
    contained: fc.boolean(),
    earlier: fc.option(fc.record({ files: fc.nat(14), paths: fc.array(paths, { maxLength: 3 }) }), { nil: undefined }),
    changes: fc.option(
      fc.record({
        entries: fc.array(entry, { maxLength: 4 }),
        files: fc.nat(14),
        git: fc.array(fc.record({ text: fc.constant("commit"), high: fc.boolean() }), { maxLength: 2 }),
        regenerable: fc.constant([]).map(() => []),
        manifestHash: fc.constant(""),
        undoable: fc.boolean(),
      }),
      { nil: undefined },
    ),
  })
  .map(({ changes, earlier, needs, ...rest }) => ({
    ...rest,
    needs,
    ...(changes === undefined ? {} : { changes }),
    ...(earlier === undefined ? {} : { earlier }),
  }));
const RULES = `Bash
Bash(make)
Bash(make:*)
Bash(rm -rf:*)
Bash(make > a)
Edit
Edit(src/**)
Edit(a.txt)
Edit(**)
Read(secrets)
Delete(**)
Delete(src)
Network(h.test:443)
Network(*:*)
Network(evil.invalid)
Outside(/etc/hosts)
Outside(/srv)
Unsandboxed(git push)
Unsandboxed(make:*)
mcp__git__push
mcp__git
WebFetch
WebFetch(https://h.test)
WebFetch(http://h.test)
WebFetch(domain:h.test)
Network([::1]:443)
Network(127.0.0.1)
mcp__git__push@${"ab".repeat(32)}
mcp__*
mcp__git__*
Land(**)
no rule
Bash(*)
Bash(r*)
Bash(make *)`;
const ruleText = fc.constantFrom(...RULES.split("\n"));
const rule: fc.Arbitrary<Rule> = fc.record({
  action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
  text: ruleText,
  source: fc.constantFrom(...RuleSource.options),
});
const rules = fc.array(rule, { maxLength: 5 });
const hooks: fc.Arbitrary<Verdict[]> = fc.array(
  fc.record(
    {
      action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
      reason: fc.constantFrom("", "because"),
      hook: fc.constantFrom("lint", "a\u202eb"),
    },
    { requiredKeys: ["action", "reason"] },
  ),
  { maxLength: 4 },
);
const mode = fc.constantFrom(...MODES);
const runs = { ...deepRuns(700, 100_000), maxSkipsPerRun: 1000 };

describe("P2: the decision, whatever the effect and the rules", () => {
  it("P6: adding a deny or an ask never allows more", () => {
    fc.assert(
      fc.property(effect, mode, rules, rule, fc.nat(5), (e, m, before, extra, at) => {
        fc.pre(extra.action !== "allow");
        const after = before.toSpliced(Math.min(at, before.length), 0, extra);
        expect(strict(decide(e, m, after, true))).toBeGreaterThanOrEqual(strict(decide(e, m, before, true)));
      }),
      runs,
    );
  });
  it("P6: adding an allow never tightens, and a project's allow changes nothing", () => {
    fc.assert(
      fc.property(effect, mode, rules, rule, (e, m, before, extra) => {
        const added: Rule = { ...extra, action: "allow" };
        const was = decide(e, m, before, true);
        expect(strict(decide(e, m, [...before, added], true))).toBeLessThanOrEqual(strict(was));
        expect(decide(e, m, [...before, { ...added, source: "project" }], true)).toEqual(was);
      }),
      runs,
    );
  });
  it("P6: no allow of any source outranks a deny", () => {
    fc.assert(
      fc.property(effect, mode, rules, (e, m, all) => {
        const tight = all.filter((r) => r.action !== "allow");
        const denied = decide(e, m, tight, true).action === "deny";
        fc.pre(denied);
        expect(decide(e, m, all, true).action).toBe("deny");
      }),
      runs,
    );
  });
  it("P1: plan is never looser than ask, ask never looser than auto", () => {
    fc.assert(
      fc.property(effect, rules, (e, all) => {
        const [plan, asked, auto] = MODES.map((m) => strict(decide(e, m, all, true)));
        expect(plan).toBeGreaterThanOrEqual(asked ?? 0);
        expect(asked).toBeGreaterThanOrEqual(auto ?? 0);
      }),
      runs,
    );
  });
  it("P1: plan mode lets nothing land that changes anything", () => {
    fc.assert(
      fc.property(effect, rules, (e, all) => {
        fc.pre(riskOf(e) !== "low" && e.changes !== undefined);
        expect(decide(e, "plan", all, true).action).toBe("deny");
      }),
      runs,
    );
  });
  it("P3: high risk is allowed only with a lifting rule of the person's, which is told", () => {
    fc.assert(
      fc.property(effect, mode, rules, (e, m, all) => {
        const d = decide(e, m, all, true);
        expect(d.risk).toBe(highRisk(e).length > 0 ? "high" : d.risk);
        if (d.action !== "allow" || d.risk !== "high") return;
        expect(d.rule?.action).toBe("allow");
        expect(
          all.some(
            (r) =>
              r.action === "allow" &&
              (["managed", "user", "person", "cli"].includes(r.source) || isRemembered(r)) &&
              /^(Delete|Network|WebFetch|Outside|Unsandboxed|mcp__)/.test(r.text) &&
              d.reason.includes(r.text),
          ),
        ).toBe(true);
      }),
      runs,
    );
  });
  it("P3: a session's rules and allows of Bash and Edit never reach high risk, but for pages and pinned tools", () => {
    fc.assert(
      fc.property(effect, mode, rules, (e, m, all) => {
        fc.pre(riskOf(e) === "high");
        const weak = all.filter(
          (r) => r.action !== "allow" || (r.source === "session" && !isRemembered(r)) || /^(Bash|Edit)/.test(r.text),
        );
        expect(decide(e, m, weak, true).action).not.toBe("allow");
      }),
      runs,
    );
  });
  it("P4: more than 10 files are never allowed, in one step or with earlier ones of the turn", () => {
    fc.assert(
      fc.property(effect, mode, rules, (e, m, all) => {
        const files = e.changes?.files ?? 0;
        fc.pre(files > 0 && files + (e.earlier?.files ?? 0) > 10);
        expect(decide(e, m, all, true).action).not.toBe("allow");
      }),
      runs,
    );
  });
  it("H2: a hook never loosens: with hooks the outcome is the strictest of theirs and of what it is without them", () => {
    fc.assert(
      fc.property(effect, mode, rules, hooks, (e, m, all, verdicts) => {
        const without = decide(e, m, all, true);
        const given = decide(e, m, all, true, verdicts);
        expect(strict(given)).toBe(Math.max(strict(without), ...verdicts.map((v) => STRICT[v.action])));
        expect(given.risk).toBe(without.risk);
        expect(decide(e, m, all, true, [...verdicts].reverse()).action).toBe(given.action);
        const yes: Verdict = { action: "allow", reason: "fine", hook: "yes" };
        expect(decide(e, m, all, true, [yes, ...verdicts, yes])).toEqual(given);
      }),
      runs,
    );
  });
  it("P6: removing an allow, or giving it to the project, never allows more", () => {
    fc.assert(
      fc.property(effect, mode, rules, fc.nat(4), (e, m, all, at) => {
        const found = all[at];
        fc.pre(found?.action === "allow");
        const was = strict(decide(e, m, all, true));
        expect(strict(decide(e, m, all.toSpliced(at, 1), true))).toBeGreaterThanOrEqual(was);
        const theirs = all.map((r, i): Rule => (i === at ? { ...r, source: "project" } : r));
        expect(strict(decide(e, m, theirs, true))).toBeGreaterThanOrEqual(was);
      }),
      runs,
    );
  });
  it("P6: a project's rules only tighten, trusted or not, and its asks and denies count like anybody's", () => {
    fc.assert(
      fc.property(effect, mode, rules, rules, (e, m, own, theirs) => {
        const project = theirs.map((r): Rule => ({ ...r, source: "project" }));
        const both = decide(e, m, [...own, ...project], true);
        expect(strict(both)).toBeGreaterThanOrEqual(strict(decide(e, m, own, true)));
        expect(decide(e, m, [...own, ...project], false)).toEqual(both);
        const tight = theirs.filter((r) => r.action !== "allow").map((r): Rule => ({ ...r, source: "user" }));
        expect(decide(e, m, [...own, ...tight], true).action).toBe(both.action);
      }),
      runs,
    );
  });
  it("is pure: the same twice, and in whatever order rules stand", () => {
    fc.assert(
      fc.property(effect, mode, rules, fc.infiniteStream(fc.nat(1000)), (e, m, all, keys) => {
        const first = decide(e, m, all, true);
        expect(decide(structuredClone(e), m, structuredClone(all), true)).toEqual(first);
        const shuffled = all.map((r) => ({ r, key: keys.next().value ?? 0 })).toSorted((a, b) => a.key - b.key);
        const again = decide(
          e,
          m,
          shuffled.map(({ r }) => r),
          true,
        );
        expect([again.action, again.risk]).toEqual([first.action, first.risk]);
        expect(first.reason).not.toBe("");
      }),
      runs,
    );
  });
  it("SEC-G4: never throws on any command, path or rule", () => {
    const bits = fc.constantFrom(
      "$(",
      ")",
      "`",
      "'",
      '"',
      "\\",
      "<<A",
      "\n",
      ";",
      "&&",
      "|",
      "{",
      "}",
      "[[",
      "((",
      "))",
      "a",
      " ",
      "=",
      "*",
      "?",
      "[",
      "~",
      "#",
      "!",
      "\0",
      "\r",
      "é",
      "if",
      "fi",
      "case",
      "esac",
      "for",
      "do",
      "done",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(bits, { maxLength: 40 }).map((b) => b.join("")),
    );
    fc.assert(
      fc.property(text, text, (command, inner) => {
        const all: Rule[] = [
          { action: "allow", text: `Bash(${inner})`, source: "cli" },
          { action: "deny", text: `Edit(${inner})`, source: "project" },
          { action: "ask", text: "Bash(rm -rf:*)", source: "user" },
        ];
        for (const e of [
          { tool: "Bash", subject: command, needs: [], contained: true },
          {
            tool: "Read",
            subject: command,
            paths: [command],
            needs: [{ kind: "outside" as const, access: "read" as const, path: command }],
            contained: true,
          },
        ])
          expect(["allow", "ask", "deny"]).toContain(decide(e, "ask", all, false).action);
        readDenied(all)(command);
        landAllowed(all)(command);
      }),
      deepRuns(2000, 200_000),
    );
  });
});

/** What P3 lets a session remember of high risk. */
function isRemembered({ text, source }: Rule): boolean {
  return source === "session" && (text.startsWith("WebFetch(") || text.includes("@"));
}
