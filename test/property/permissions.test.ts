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
import { highRisk, riskOf } from "../../src/permissions/risk.ts";
import { landAllowed, readDenied } from "../../src/permissions/rule-match.ts";

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
const hosts = fc.constantFrom("h.test", "evil.invalid", "*", "H.test");
const need: fc.Arbitrary<Need> = fc.oneof(
  fc.record({
    kind: fc.constant("outside" as const),
    access: fc.constantFrom("read" as const, "write" as const),
    path: paths,
  }),
  fc.record({ kind: fc.constant("network" as const), host: hosts, port: fc.constantFrom(80, 443) }),
  fc.record({ kind: fc.constantFrom("unsandboxed" as const, "uncontained" as const, "before" as const), words }),
  fc.record({ kind: fc.constant("change" as const), paths: fc.array(paths, { maxLength: 2 }) }),
  fc.record({ kind: fc.constant("mcp" as const), server: fc.constant("git"), tool: fc.constantFrom("push", "log") }),
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
  .map(({ changes, needs, ...rest }) => ({ ...rest, needs, ...(changes === undefined ? {} : { changes }) }));
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
Land(**)
no rule
Bash(ls *)`;
const ruleText = fc.constantFrom(...RULES.split("\n"));
const rule: fc.Arbitrary<Rule> = fc.record({
  action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
  text: ruleText,
  source: fc.constantFrom(...RuleSource.options),
});
const rules = fc.array(rule, { maxLength: 5 });
const mode = fc.constantFrom(...MODES);
const runs = { numRuns: 1500, maxSkipsPerRun: 1000 };

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
              ["managed", "user", "person", "cli"].includes(r.source) &&
              /^(Delete|Network|Outside|Unsandboxed|mcp__)/.test(r.text) &&
              d.reason.includes(r.text),
          ),
        ).toBe(true);
      }),
      runs,
    );
  });
  it("P3: a session's rules and allows of Bash and Edit never reach high risk", () => {
    fc.assert(
      fc.property(effect, mode, rules, (e, m, all) => {
        fc.pre(riskOf(e) === "high");
        const weak = all.filter((r) => r.action !== "allow" || r.source === "session" || /^(Bash|Edit)/.test(r.text));
        expect(decide(e, m, weak, true).action).not.toBe("allow");
      }),
      runs,
    );
  });
  it("P4: more than 10 files are never allowed", () => {
    fc.assert(
      fc.property(effect, mode, rules, (e, m, all) => {
        fc.pre((e.changes?.files ?? 0) > 10);
        expect(decide(e, m, all, true).action).not.toBe("allow");
      }),
      runs,
    );
  });
  it("is pure: the same twice, and the order of rules of one source changes no action", () => {
    fc.assert(
      fc.property(effect, mode, rules, (e, m, all) => {
        const first = decide(e, m, all, true);
        expect(decide(structuredClone(e), m, structuredClone(all), true)).toEqual(first);
        expect(decide(e, m, all.toReversed(), true).action).toBe(first.action);
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
      { numRuns: 10_000 },
    );
  });
});
