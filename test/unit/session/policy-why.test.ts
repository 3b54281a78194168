import { describe, expect, it } from "vitest";
import type { Effect, Rule } from "../../../src/events/effect.ts";
import type { LogBody } from "../../../src/events/event.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { pastCalls } from "../../../src/session/policy-past.ts";
import { testPolicy } from "../../../src/session/policy-test.ts";
import { findCall, whyOf, type Why } from "../../../src/session/policy-why.ts";
import { events, NO_CHANGES, OPENED, prompt, reply, started, finished, toolUse } from "../../support/event-log.ts";

const NEEDS: Effect = {
  tool: "Bash",
  subject: "curl example.com",
  needs: [{ kind: "network", host: "example.com", port: 443 }],
  contained: true,
};
const EDIT: Effect = {
  tool: "Write",
  subject: "src/a.ts",
  paths: ["src/a.ts"],
  needs: [],
  contained: true,
  changes: {
    ...NO_CHANGES,
    files: 1,
    undoable: true,
    entries: [{ root: 0, path: "src/a.ts", op: "create", type: "file", marks: [] }],
  },
};
const rule = (action: Rule["action"], text: string, source: Rule["source"] = "user"): Rule => ({
  action,
  text,
  source,
});

/** A log in which one call was judged so, under these rules of files. */
function log(
  effect: Effect,
  rules: readonly Rule[],
  more: readonly LogBody[] = [],
  answer?: "yes" | "no" | "nobody",
): LogBody[] {
  const decision = decide(effect, "ask", rules, false);
  const { risk, reason, rule: by, rules: all } = decision;
  const gate = effect.changes === undefined ? "needs" : "changes";
  const more2 = { ...(by === undefined ? {} : { rule: by }), ...(all === undefined ? {} : { rules: all }), effect };
  const asked: LogBody[] =
    decision.action === "ask" ? [{ type: "permission.asked", questionId: "q1", callId: "t1", effect, decision }] : [];
  const outcome = decision.action === "allow" || answer === "yes" ? "allow" : "deny";
  const who =
    decision.action !== "ask" ? (by === undefined ? "policy" : "rule") : answer === "nobody" ? "nobody" : "person";
  return [
    { ...OPENED, mode: "ask", rules: rules.map((r) => ({ ...r, at: `/s.json:${r.text.length}` })) },
    prompt("go"),
    reply([toolUse("t1", effect.tool, { command: effect.subject, file_path: effect.subject, content: "x" })]),
    ...more,
    ...asked,
    ...(decision.action === "ask" && answer === undefined
      ? []
      : [
          {
            type: "permission.decided" as const,
            callId: "t1",
            gate: gate as "needs" | "changes",
            outcome: outcome as "allow" | "deny",
            by: who as "policy",
            reason,
            risk,
            ...(asked.length > 0 ? { questionId: "q1" } : {}),
            ...more2,
          },
        ]),
  ];
}
function startedWith(input: Record<string, unknown>): LogBody {
  return { type: "call.started", callId: "t1", operationId: "op1", attempt: 1, tool: "Write", input };
}
function why(bodies: readonly LogBody[], call?: string): Why {
  const found = findCall(pastCalls(events(bodies)), call);
  if (found === undefined) throw new Error("no such call");
  return whyOf(found);
}

describe("P6: why a call was decided on as it was", () => {
  it("a question about the network: what it needs, who said no, which rule would spare it", () => {
    const told = why(log(NEEDS, [], [], "no"));
    expect(told).toMatchObject({ n: 1, callId: "t1", tool: "Bash", subject: "curl example.com" });
    expect(told.gates).toHaveLength(1);
    expect(told.gates[0]).toMatchObject({ verdict: "ask", outcome: "deny", by: "person", risk: "high", mode: "ask" });
    expect(told.gates[0]?.effect).toEqual(["uses the network: example.com:443"]);
    expect(told.gates[0]?.instead.join("\n")).toMatch(
      /In plan mode it would be denied\.[^]*Network\(example\.com:443\)/,
    );
  });
  it("a deny by a rule: the rule with its place, and what would be without it", () => {
    const [gate] = why(
      log(NEEDS, [rule("deny", "Bash(curl:*)", "project"), rule("allow", "Network(example.com:443)")]),
    ).gates;
    expect(gate).toMatchObject({ verdict: "deny", outcome: "deny", by: "rule" });
    expect(gate?.rules).toEqual([
      { ...rule("deny", "Bash(curl:*)", "project"), at: "/s.json:12", decided: true },
      { ...rule("allow", "Network(example.com:443)"), at: "/s.json:24", decided: false },
    ]);
    expect(gate?.instead[0]).toMatch(/^Without deny Bash\(curl:\*\) .*not from here.* it would be allowed\.$/);
  });
  it("what landed by a rule: the rule, and what would refuse it; what nobody was there to answer", () => {
    const [gate] = why(log(EDIT, [rule("allow", "Edit(src/**)")])).gates;
    expect(gate).toMatchObject({ gate: "changes", verdict: "allow", by: "rule", effect: ["changes 1 file: src/a.ts"] });
    expect(gate?.instead.join("\n")).toMatch(
      /Without allow Edit\(src.*asked about[^]*would refuse it: Edit\(\/src\/a\.ts\)/,
    );
    const [asked] = why(log(EDIT, [], [], "nobody")).gates;
    expect(asked).toMatchObject({ verdict: "ask", outcome: "deny", by: "nobody" });
    expect(asked?.instead.join("\n")).toMatch(/In auto mode it would be allowed\.[^]*Edit\(src\/a\.ts\)/);
  });
  it("P8: what --bypass let through says so, and is no difference by itself", () => {
    const bodies: LogBody[] = [
      { ...OPENED, mode: "ask" },
      { type: "bypass.changed", on: true, by: "flag" },
      prompt("go"),
      reply([toolUse("t1", "Bash", { command: NEEDS.subject })]),
      {
        type: "permission.decided",
        callId: "t1",
        gate: "needs",
        outcome: "allow",
        by: "bypass",
        reason: "r",
        risk: "high",
        effect: NEEDS,
      },
    ];
    const [gate] = why(bodies).gates;
    expect(gate).toMatchObject({ verdict: "ask", outcome: "allow", by: "bypass" });
    const judged = testPolicy([{ session: "s", calls: pastCalls(events(bodies)), rules: [] }]);
    expect(judged.differences).toEqual([]);
  });
  it("H2: a hook's word is told, and that no rule outranks it", () => {
    const hook: LogBody = {
      type: "hook.ran",
      event: "PreToolUse",
      name: "guard",
      callId: "t1",
      exit: 2,
      decision: "ask",
      reason: "look",
    };
    const told = why(log(NEEDS, [rule("allow", "Network(example.com:443)")], [hook], "yes"));
    expect(told.hooks).toEqual([{ event: "PreToolUse", name: "guard", exit: 2, said: "ask: look" }]);
    expect(told.gates.flatMap((g) => g.instead).join()).toContain("The hook guard said ask");
  });
  it("a read that no gate had to judge, an open question, and calls by number, id and its beginning", () => {
    const read = (id: string) => toolUse(id, "Read", { file_path: "/p/a" });
    const bodies = [
      OPENED,
      prompt("go"),
      reply([read("toolu_a"), read("toolu_b")]),
      started("toolu_a"),
      finished("toolu_a"),
    ];
    expect(why(bodies).gates[0]).toMatchObject({ by: "none", verdict: "allow", outcome: "allow" });
    const calls = pastCalls(events(bodies));
    expect(["1", "#1", "toolu_a", "toolu_b", "2"].map((c) => findCall(calls, c)?.n)).toEqual([1, 1, 1, 2, 2]);
    expect([findCall(calls, "toolu"), findCall(calls, "9"), findCall(calls, undefined)?.n]).toEqual([
      undefined,
      undefined,
      1,
    ]);
    expect(why(log(NEEDS, [])).gates[0]).toMatchObject({ outcome: "open", verdict: "ask", by: "none" });
  });
});

describe("agent policy test", () => {
  const judge = (bodies: readonly LogBody[], rules: readonly Rule[], mode?: "auto" | "plan") =>
    testPolicy([{ session: "s", calls: pastCalls(events(bodies)), rules, ...(mode === undefined ? {} : { mode }) }]);

  it("P6: tells which decisions other rules would make, with the rule, and the questions before and after", () => {
    const asked = log(NEEDS, [], [], "yes");
    expect(judge(asked, [])).toMatchObject({ decisions: 1, differences: [], before: { ask: 1 }, after: { ask: 1 } });
    expect(judge(asked, [rule("allow", "Network(example.com:443)", "cli")])).toMatchObject({
      before: { allow: 0, ask: 1 },
      after: { allow: 1, ask: 0 },
      differences: [
        {
          session: "s",
          n: 1,
          callId: "t1",
          then: "ask",
          now: "allow",
          rule: "allow Network(example.com:443) (the command line)",
        },
      ],
    });
    expect(judge(asked, [rule("deny", "Bash(curl:*)")]).differences[0]).toMatchObject({ now: "deny" });
  });
  it("a rule that is gone is named by what it had decided; another mode is tried for all", () => {
    const landed = log(EDIT, [rule("allow", "Edit(src/**)")]);
    expect(judge(landed, []).differences[0]).toMatchObject({
      then: "allow",
      now: "ask",
      rule: "allow Edit(src/**) (your settings)",
    });
    expect(judge(landed, [], "auto").differences).toEqual([]);
    expect(judge(landed, [], "plan").differences[0]).toMatchObject({ now: "deny" });
  });
  it("what is denied before it runs has no changes to differ; what ran unasked is explained by its other gate", () => {
    const bodies = log(EDIT, [rule("allow", "Edit(src/**)")], [startedWith({ file_path: "src/a.ts", content: "x" })]);
    const report = judge(bodies, [], "plan");
    expect(report.differences.map((d) => `${d.gate} ${d.then} ${d.now}`)).toEqual(["needs allow deny"]);
    expect([report.before.allow, report.after]).toEqual([2, { allow: 0, ask: 0, deny: 1 }]);
    expect(why(bodies).gates.map((g) => g.instead.length > 0)).toEqual([false, true]);
  });
  it("what was read unasked is judged too, and what was answered in the session counts as it did", () => {
    const read: LogBody[] = [
      OPENED,
      prompt("go"),
      reply([toolUse("t1", "Read", { file_path: `${OPENED.folder}/secrets/key` })]),
      started("t1"),
      finished("t1"),
    ];
    const [bodies, call] = [
      read.map((b) => (b.type === "call.started" ? { ...b, input: { file_path: `${OPENED.folder}/secrets/key` } } : b)),
      1,
    ];
    expect(judge(bodies, [rule("deny", "Read(secrets/**)")]).differences[0]).toMatchObject({
      n: call,
      then: "allow",
      now: "deny",
    });
    const added: LogBody = { type: "rule.added", rule: rule("allow", "Edit(src/a.ts)", "session") };
    const yes = log(EDIT, [rule("allow", "Edit(src/a.ts)", "session")], [added]);
    expect(judge(yes, []).differences).toEqual([]);
    expect(
      judge([...yes.slice(0, 4), { type: "rule.removed", rule: added.rule }, ...yes.slice(4)], []).differences,
    ).toHaveLength(1);
  });
});
