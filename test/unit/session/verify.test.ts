import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { LogBody, LogEvent, LogEventOf } from "../../../src/events/event.ts";
import { loadKey } from "../../../src/events/key.ts";
import { loadLog } from "../../../src/events/load.ts";
import { openStore } from "../../../src/session/store.ts";
import type { Claim } from "../../../src/session/verify-claim.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import { systemClock } from "../../../src/util/system.ts";
import { savedSteps } from "../../../src/workspace/open.ts";
import type { JournalStep } from "../../../src/workspace/workspace.ts";
import { events as numbered, finished, OPENED, prompt, reply, started, toolUse } from "../../support/event-log.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

interface Real {
  events: readonly LogEvent[];
  journal: readonly JournalStep[];
}

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

/** A session that landed a new file by policy, a deletion by an answer, another by two rules, and was denied a third; then the person deleted a file. */
async function record(): Promise<Real> {
  const at = place("verify");
  for (const name of ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]) writeFileSync(join(at.folder, name), `${name}\n`);
  const session = await openAt(at, {
    asker: answers("yes", { kind: "no", note: "not that one" }),
    rules: [
      { action: "allow", text: "Delete(b.txt)", source: "user" },
      { action: "allow", text: "Delete(c.txt)", source: "cli" },
    ],
    script: {
      turns: [bash("echo new > n.txt"), bash("rm a.txt"), bash("rm b.txt c.txt"), bash("rm d.txt"), { text: "Done." }],
    },
    more: { mode: "auto" },
  });
  await collect(session.submit([{ type: "text", text: "go" }], new AbortController().signal));
  const typed = session.shell("rm e.txt", new AbortController().signal);
  while ((await typed.next()).done !== true);
  await session.close();
  const { sessions, content, key, folders } = openStore({ config: at.config, state: at.state });
  const { events } = await loadLog({
    sessionsDir: sessions,
    contentDir: content,
    sessionId: session.id,
    key: loadKey(key),
  });
  return { events, journal: savedSteps(folders, [{ path: at.folder, kind: "folder" }], systemClock) ?? [] };
}

let known: Promise<Real> | undefined;
let real: Real;
beforeEach(async () => {
  real = await (known ??= record());
});

function claims(
  events: readonly LogEvent[],
  journal: readonly JournalStep[] | string = "no journal",
): Map<string, Claim> {
  const [first] = events;
  const id = first?.type === "session.opened" ? first.sessionId : "";
  return new Map(verifyLog({ events: [...events], torn: 0 }, id, journal).map((claim) => [claim.name, claim]));
}
/** Claims that fail, with their first breach. */
function failing(events: readonly LogEvent[], journal?: readonly JournalStep[]): Record<string, string> {
  const failed = [...claims(events, journal)].filter(([, claim]) => claim.breaches.length > 0);
  return Object.fromEntries(
    failed.map(
      ([
        name,
        {
          breaches: [b],
        },
      ]) => [name, `${b?.seq}: ${b?.what}`],
    ),
  );
}

/** The real log with some events changed (undefined: taken out), seqs as they were. */
function forged(change: (event: LogEvent) => LogEvent | undefined): LogEvent[] {
  return real.events.flatMap((event) => change(event) ?? []);
}
function find<T extends LogEvent["type"]>(type: T, nth: number): LogEventOf<T> {
  const found = real.events.filter((e): e is LogEventOf<T> => e.type === type)[nth];
  if (found === undefined) throw new Error(`there is no ${type} ${nth}`);
  return found;
}
/** Without what the chain says of holes: forged logs have them. */
function but(failed: Record<string, string>): Record<string, string> {
  const { chain: _, ...rest } = failed;
  return rest;
}

describe("E6: what a log proves", () => {
  it("E6: a real session: each claim holds, with its counts, rules by name and source", () => {
    const all = [...claims(real.events, real.journal)].map(
      ([name, c]) => `${name}: ${c.breaches.map((b) => b.what).join() || c.text}`,
    );
    expect(all).toEqual([
      `chain: ${real.events.length} events, each sealed behind the one before, none missing`,
      "high risk: 3 change sets landed, 1 asked and answered yes, 1 lifted by rule: Delete(b.txt) (your settings), Delete(c.txt) (the command line), 1 typed by the person",
      "decided: 4 change sets landed, each proposed and decided on before, or typed by the person (1)",
      "plan mode: no write landed in it",
      "outside: nothing left the copy",
      "results: 4 calls, one result each",
      "operations: 4 runs, each with its operation id",
      "journal: 4 landings as the journal has them",
    ]);
  });

  it("E6: high risk that landed by policy, by a rule that doesn't name it, or unasked is found at its event", () => {
    const asked = find("permission.asked", 0);
    const landed = find("changes.landed", 1);
    const at = (what: string): Record<string, string> => ({
      "high risk": `${landed.seq}: deletes 1 file: a.txt: ${what}`,
    });
    const decided = (more: Partial<LogEventOf<"permission.decided">>) =>
      forged((e) => (e.type === "permission.decided" && e.callId === asked.callId ? { ...e, ...more } : e));
    expect(failing(decided({ by: "policy" }))).toEqual(at("landed by policy alone"));
    expect(failing(decided({ by: "hook" }))).toEqual(at("landed by hook alone"));
    const rule = (text: string, source: "user" | "session") => ({ action: "allow" as const, text, source });
    expect(failing(decided({ by: "rule", rule: rule("Delete(b.txt)", "user") }))).toEqual(
      at("no rule that is named lifts it"),
    );
    expect(failing(decided({ by: "rule", rule: rule("Delete(a.txt)", "session") }))).toEqual(
      at("no rule that is named lifts it"),
    );
    expect(failing(decided({ by: "rule", rule: rule("Delete(a.txt)", "user") }))).toEqual({});
    expect(but(failing(forged((e) => (e === asked ? undefined : e))))).toEqual(
      at("the yes answers no question that was asked before"),
    );
    const late = forged((e) => (e === asked ? { ...e, seq: landed.seq } : e)).toSorted((a, b) => a.seq - b.seq);
    expect(but(failing(late))).toEqual(at("the yes answers no question that was asked before"));
  });

  it("E6: a yes to another change set than the one that landed is none", () => {
    const asked = find("permission.asked", 0);
    const landed = find("changes.landed", 1);
    const other = (effect: LogEventOf<"permission.asked">["effect"]) => ({
      ...effect,
      ...(effect.changes === undefined ? {} : { changes: { ...effect.changes, manifestHash: "00" } }),
    });
    expect(failing(forged((e) => (e === asked ? { ...asked, effect: other(asked.effect) } : e)))).toEqual({
      "high risk": `${landed.seq}: deletes 1 file: a.txt: the question was on another change set`,
    });
    const changed = forged((e) =>
      e.type === "permission.decided" && e.callId === asked.callId && e.effect !== undefined
        ? { ...e, effect: other(e.effect) }
        : e,
    );
    expect(failing(changed)).toEqual({
      "high risk": `${landed.seq}: deletes 1 file: a.txt: the decision was on another change set`,
    });
  });

  it("E6: a write without a decision, without a proposal, or with more than was proposed is found", () => {
    const made = find("changes.landed", 0);
    const call = made.callId;
    expect(but(failing(forged((e) => (e.type === "permission.decided" && e.callId === call ? undefined : e))))).toEqual(
      {
        decided: `${made.seq}: no yes stands between its proposal and its landing`,
      },
    );
    expect(but(failing(forged((e) => (e.type === "changes.proposed" && e.callId === call ? undefined : e))))).toEqual({
      decided: `${made.seq}: it was never proposed`,
    });
    const entry = { root: 0, path: "x.txt", op: "modify" as const, type: "file" as const, marks: [] };
    const more = { ...made.summary, entries: [...made.summary.entries, entry] };
    expect(failing(forged((e) => (e === made ? { ...made, summary: more } : e)))).toEqual({
      decided: `${made.seq}: x.txt landed and was not proposed so`,
    });
    const denied = forged((e) =>
      e.type === "permission.decided" && e.callId === call ? { ...e, outcome: "deny" as const } : e,
    );
    expect(failing(denied)["decided"]).toBe(`${made.seq}: no yes stands between its proposal and its landing`);
  });

  it("E2: of a fork only what it did itself is judged", () => {
    const made = find("changes.landed", 0);
    const without = forged((e) =>
      e.type === "permission.decided" && e.callId === made.callId ? { ...e, type: "fork.left", kind: e.type } : e,
    );
    const fork = (seq: number) =>
      without.map((e) =>
        e.type === "session.opened" ? { ...e, forkedFrom: { sessionId: "ses_parent", seq, mac: "m" } } : e,
      );
    expect(failing(fork(made.seq - 1))["decided"]).toBe(
      `${made.seq}: no yes stands between its proposal and its landing`,
    );
    expect(failing(fork(made.seq))).toEqual({});
    expect(claims(fork(made.seq)).get("chain")?.text).toContain(
      `those up to ${made.seq} are taken over from session ses_parent`,
    );
  });

  it("E6, P1: a write that landed in plan mode is found", () => {
    const made = find("changes.landed", 0);
    expect(failing(forged((e) => (e.type === "session.opened" ? { ...e, mode: "plan" } : e)))["plan mode"]).toBe(
      `${made.seq}: n.txt landed in plan mode`,
    );
  });

  it("E6, L4: a call without a result, with two, with one of a stranger's is found", () => {
    const first = find("call.finished", 0);
    const asking = find("reply.completed", 0);
    expect(but(failing(forged((e) => (e === first ? undefined : e))))).toEqual({
      results: `${asking.seq}: call ${first.callId} has no result`,
    });
    const last = real.events.length;
    const again = { ...first, seq: last + 1 };
    expect(failing([...real.events, again])["results"]).toBe(
      `${last + 1}: a second result of call ${first.callId}, after event ${first.seq}`,
    );
    expect(failing([...real.events, { ...again, callId: "t9" }])["results"]).toBe(
      `${last + 1}: a result of call t9, which no reply asked for`,
    );
  });

  it("E6, E4: what landed before the folder was moved is told, and no breach: its journal belongs to the old name", () => {
    const { length } = real.events;
    const resumed = (folder: string, seq: number) => {
      const [first] = real.events;
      return {
        ...first,
        seq,
        type: "session.resumed",
        program: "t",
        folder,
        roots: [{ path: folder, kind: "folder" }],
      } as LogEvent;
    };
    const moved = [...real.events, resumed("/moved/here", length + 1)];
    const claim = claims(moved, []).get("journal");
    expect([claim?.breaches, claim?.text]).toEqual([
      [],
      "0 landings as the journal has them; 4 in another folder, not looked at",
    ]);
    const folder = real.events.flatMap((e) => (e.type === "session.opened" ? [e.folder] : []))[0] ?? "";
    const back = [...moved, resumed(folder, length + 2)];
    expect(claims(back, real.journal).get("journal")).toMatchObject({
      breaches: [],
      text: "4 landings as the journal has them",
    });
    expect(claims(back, []).get("journal")?.breaches).toHaveLength(4);
  });

  it("E6, W8: where log and journal don't agree on what landed, it is said at which event", () => {
    const made = find("changes.landed", 0);
    const { journal } = real;
    const change = (more: Partial<JournalStep>) =>
      journal.map((step) => (step.operationId === made.operationId ? { ...step, ...more } : step));
    const without = journal.filter((step) => step.operationId !== made.operationId);
    expect(failing(real.events, without)).toEqual({
      journal: `${made.seq}: step ${made.operationId} is not in the journal`,
    });
    expect(failing(real.events, change({ status: "undone" }))["journal"]).toContain(
      "is landed in the log, undone in the journal",
    );
    expect(failing(real.events, change({ status: "rolled-back" }))["journal"]).toContain(
      "was rolled back, says the journal",
    );
    expect(failing(real.events, change({ changes: [] }))["journal"]).toContain("the log has n.txt in step");
    const other = journal.flatMap((step) => step.changes).filter((c) => c.op === "delete");
    const both = journal.flatMap((step) => step.changes);
    expect(other.length).toBeGreaterThan(0);
    expect(failing(real.events, change({ changes: both }))["journal"]).toMatch(
      /the journal has \w\.txt in step .* the log does not/,
    );
    const strange = { ...journal[0], operationId: "op_strange" } as JournalStep;
    expect(failing(real.events, [...journal, strange])["journal"]).toContain(
      "step op_strange of this session is in the journal",
    );
    expect(claims(real.events, "the folder /x is not on this machine").get("journal")?.skipped).toContain("/x");
  });
});

describe("E6, E3: what left the copy", () => {
  const network = {
    tool: "Bash",
    subject: "x",
    needs: [{ kind: "network" as const, host: "example.com", port: 443 }],
    contained: true,
  };
  const asked: LogBody = {
    type: "permission.asked",
    questionId: "q1",
    callId: "t1",
    effect: network,
    decision: { action: "ask", risk: "high", reason: "uses the network: example.com:443" },
  };
  const yes: LogBody = {
    type: "permission.decided",
    callId: "t1",
    questionId: "q1",
    gate: "needs",
    outcome: "allow",
    by: "person",
    reason: "uses the network: example.com:443",
    risk: "high",
    effect: network,
  };
  const result: LogBody = {
    ...(finished("t1") as Extract<LogBody, { type: "call.finished" }>),
    sideEffects: [{ kind: "network", host: "example.com", port: 443, up: 1, down: 2 }],
  };
  const run = [started("t1", "op_1", "Bash"), result];
  const log = (...bodies: LogBody[]) => numbered([OPENED, prompt("go"), reply([toolUse("t1", "Bash")]), ...bodies]);

  it("E6: asked and answered yes before it began: holds; by policy, unasked, or unforeseen: found", () => {
    expect(claims(log(asked, yes, ...run)).get("outside")).toMatchObject({
      breaches: [],
      text: "1 call, 1 asked and answered yes",
    });
    const rule = { action: "allow" as const, text: "Network(example.com:443)", source: "user" as const };
    expect(claims(log({ ...yes, by: "rule", rule }, ...run)).get("outside")).toMatchObject({
      breaches: [],
      text: "1 call, 0 asked and answered yes, 1 lifted by rule: Network(example.com:443) (your settings)",
    });
    expect(failing(log({ ...yes, by: "rule", rule: { ...rule, source: "project" } }, ...run))["outside"]).toBe(
      "4: no rule that is named lifts it",
    );
    expect(failing(log({ ...yes, by: "policy" }, ...run))["outside"]).toBe(
      "4: allowed by policy alone: uses the network: example.com:443",
    );
    expect(failing(log(yes, ...run))["outside"]).toBe("4: the yes answers no question that was asked before");
    const other = { ...asked, effect: { ...network, needs: [{ ...network.needs[0]!, host: "other.example" }] } };
    expect(failing(log(other, yes, ...run))["outside"]).toBe("5: the question was on other needs");
    expect(failing(log(...run))["outside"]).toBe(
      "5: it had effects beyond the copy that nobody allowed before it began",
    );
    expect(failing(log(started("t1", "op_1", "Bash"), asked, yes, result))["outside"]).toContain(
      "nobody allowed before it began",
    );
  });

  it("E3: begun outside and run again is found, and so is an operation id that two calls share", () => {
    const twice = { ...(started("t1", "op_1", "Bash") as Extract<LogBody, { type: "call.started" }>), attempt: 2 };
    expect(failing(log(asked, yes, started("t1", "op_1", "Bash"), twice, result))["operations"]).toBe(
      "7: call t1 had begun outside the copy, and was run again",
    );
    expect(failing(log(started("t1", "op_1", "Bash"), twice, finished("t1")))).toEqual({});
    expect(failing(log(started("t1", "op_1"), { ...twice, operationId: "op_2" }, finished("t1")))["operations"]).toBe(
      "5: call t1 began as operation op_1, and again as op_2",
    );
    const two = numbered([
      OPENED,
      prompt("go"),
      reply([toolUse("t1"), toolUse("t2")]),
      started("t1", "op_1"),
      started("t2", "op_1"),
      finished("t1"),
      finished("t2"),
    ]);
    expect(failing(two)["operations"]).toBe("5: operation op_1 is that of call t1");
    const unknown = log(asked, yes, started("t1", "op_1", "Bash"), finished("t1", "lost", "unknown"));
    expect(claims(unknown).get("operations")?.text).toBe(
      "1 run, each with its operation id; 1 of unknown effect, none of them repeated",
    );
  });

  it("E6: calls of the newest reply may wait for their results, in a query without an end or one that waits", () => {
    expect(claims(log(started("t1", "op_1"))).get("results")).toMatchObject({
      breaches: [],
      text: "1 call, one result each; 1 still without, a resume settles them",
    });
    const end = (reason: "done" | "waiting"): LogBody => ({ type: "query.finished", reason, turns: 1, durationMs: 1 });
    expect(failing(log(end("waiting")))).toEqual({});
    expect(failing(log(end("done")))["results"]).toBe("3: call t1 has no result");
  });
});
