import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { traceLines } from "../../../src/cli/trace-text.ts";
import { isFact, type LogBody, type LogEvent } from "../../../src/events/event.ts";
import { traceOf } from "../../../src/session/trace.ts";
import { stringWidth } from "../../../src/ui/term/width.ts";
import { anyHistory } from "../../support/event-arbitrary.ts";
import { events, finished, OPENED, prompt, reply, started, toolUse } from "../../support/event-log.ts";
import { answers, collect, openAt, place, type SessionInput } from "../../support/session.ts";

/** The facts of a real session's one query. */
async function traced(input: SessionInput, files: Record<string, string>): Promise<LogEvent[]> {
  const at = place("trace");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.folder, name), text);
  const session = await openAt(at, input);
  try {
    const run = session.submit([{ type: "text", text: "tidy up" }], new AbortController().signal);
    return (await collect(run)).events.filter(isFact);
  } finally {
    await session.close();
  }
}

function stable(...bodies: LogBody[]): string[] {
  return traceLines(traceOf(events([OPENED, ...bodies])), { stable: true });
}

const NETWORK = {
  tool: "Bash",
  subject: "npm publish",
  needs: [{ kind: "network" as const, host: "example.com", port: 443 }],
  contained: true,
};
const ALLOWED: LogBody = {
  type: "permission.decided",
  callId: "t1",
  questionId: "q1",
  gate: "needs",
  outcome: "allow",
  by: "person",
  reason: "uses the network: example.com:443",
  risk: "high",
  effect: NETWORK,
};

describe("E6: the table of agent trace", () => {
  it("E6, P-3: tells what the model asked for where the person ran something else", () => {
    const lines = stable(
      prompt("go"),
      reply([toolUse("t1", "Bash", { command: "npm test" })]),
      { type: "call.edited", callId: "t1", questionId: "q1", input: { command: "npm test -- --ci" } },
      {
        type: "call.started",
        callId: "t1",
        operationId: "op_t1",
        attempt: 1,
        tool: "Bash",
        input: { command: "npm test -- --ci" },
      },
      finished("t1"),
    ).join("\n");
    expect(lines).toContain('Bash {"command":"npm test -- --ci"}');
    expect(lines).toContain('in your words; the model asked for {"command":"npm test"}');
  });
  it("E6: says of each turn what was sent, decided and done, and of each call its verdict and result", async () => {
    const read = { name: "Read", input: { file_path: "a.txt" } };
    const edit = { name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } };
    const curl = { name: "Bash", input: { command: "curl example.com", network: ["example.com:443"] } };
    const facts = await traced(
      {
        asker: answers("yes", { kind: "no", note: "keep it" }, { kind: "no", note: "stay here" }),
        script: {
          turns: [
            { text: "I'll look.", calls: [read, { name: "Nope" }], usage: { input: 3000, output: 40 } },
            { calls: [edit], usage: { input: 5450, output: 41 } },
            { calls: [{ name: "Bash", input: { command: "rm b.txt" } }], usage: { input: 6080, output: 42 } },
            { calls: [curl], usage: { input: 6420, output: 43 } },
            { text: "Done.", usage: { input: 6480, output: 12 } },
          ],
        },
      },
      { "a.txt": "one\n", "b.txt": "b\n" },
    );
    // How long a refusal of the program's is depends on its words.
    const lines = traceLines(traceOf(facts), { stable: true }).map((l) => l.replace(/\b\d{2,} char/, "N char"));
    expect(lines).toEqual([
      "turn   context   cached  written     out     cost  the model",
      "",
      "> tidy up",
      "   1     3,000        0        0      40        0  text, 2 calls",
      '    "I\'ll look."',
      '    Read {"file_path":"a.txt"}',
      "      ran unasked, low risk",
      "      ok, 5 characters",
      "    Nope {}",
      "      not run",
      "      error, N characters",
      "   2     5,450        0        0      41        0  1 call",
      '    Edit {"file_path":"a.txt","old_string":"one","new_string":"two"}',
      "      changes: asked, yes (medium): changes 1 file: a.txt",
      "      ok, landed 1 file, N characters",
      "   3     6,080        0        0      42        0  1 call",
      '    Bash {"command":"rm b.txt"}',
      "      changes: asked, no (high): the person said no (deletes 1 file: b.txt),",
      '        "keep it"',
      "      denied, nothing landed, N characters",
      "   4     6,420        0        0      43        0  1 call",
      '    Bash {"command":"curl example.com","network":["example.com:443"]}',
      "      before: asked, no (high): the person said no (uses the network:",
      '        example.com:443), "stay here"',
      "      denied, N characters",
      "   5     6,480        0        0      12        0  text",
      '    "Done."',
      "= done after 5 turns",
      "",
      "   5    27,430        0        0     178        0  in all",
      "5 calls, asked 3 (1 yes, 2 no), 2 denied, 1 failed, landed 1 file in 1 step;",
      "  ended: done",
    ]);
  });

  it("E6: cache and price stand in columns of their own; a model without a price is no free one", () => {
    const usage = { input: 1000, output: 200, cacheRead: 30_000, cacheWrite: 4000 };
    const log = events([OPENED, prompt("go"), reply([{ type: "text", text: "hi" }], { usage, durationMs: 1500 })]);
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const turnLine = (rows: ReturnType<typeof traceOf>): string | undefined => traceLines(rows)[4];
    expect(turnLine(traceOf(log))).toBe("   1    35,000   30,000    4,000     200        ?    1.5 s  text");
    expect(turnLine(traceOf(log, { m: price }))).toBe(
      "   1    35,000   30,000    4,000     200  $0.0300    1.5 s  text",
    );
    const total = traceOf(log, { m: price }).at(-1);
    expect(total).toMatchObject({ kind: "total", context: 35_000, cacheRead: 30_000, end: "open" });
  });

  it("P6: a call has the number that agent why takes", () => {
    const two = [toolUse("t1", "Read", { file_path: "a" }), toolUse("t2", "Read", { file_path: "b" })];
    const rows = traceOf(events([OPENED, prompt("go"), reply(two)]));
    expect(traceLines(rows).filter((line) => line.includes("#"))).toEqual([
      '    #1 Read {"file_path":"a"}',
      '    #2 Read {"file_path":"b"}',
    ]);
  });
  it("E3: a call of unknown effect is told as such, and one that left the copy unfinished too", () => {
    const call = [prompt("publish"), reply([toolUse("t1", "Bash", { command: "npm publish" })]), ALLOWED];
    const begun = started("t1", "op_1", "Bash");
    expect(stable(...call, begun).slice(-7)).toEqual([
      "    Bash {}",
      "      before: asked, yes (high): uses the network: example.com:443",
      "      no result yet; if resumed, it would be told as unknown and not run",
      "        again: it had begun outside the copy; what it did there can't be seen",
      "",
      "   1         0        0        0       0        ?  in all",
      "1 call, asked nothing, nothing landed; ended: open",
    ]);
    const text = stable(...call, begun, finished("t1", "lost", "unknown"));
    expect(text).toContain("      unknown, it may have had effects; never run again, 4 characters");
    expect(text.at(-1)).toBe("1 call, asked nothing, 1 of unknown effect, nothing landed; ended: open");
  });

  it("S4: counts the failures of one tool in a row; its success and a new prompt begin anew", () => {
    const draft = (n: number, status: "ok" | "error"): LogBody[] => [
      reply([toolUse(`t${n}`, "Draft")], { turn: n, stopReason: "tool_use" }),
      started(`t${n}`, `op_${n}`, "Draft"),
      finished(`t${n}`, "x", status),
    ];
    const text = stable(
      prompt("a"),
      ...draft(1, "error"),
      ...draft(2, "error"),
      ...draft(3, "ok"),
      ...draft(4, "error"),
    );
    expect(text.filter((line) => /error|ok,/.test(line))).toEqual([
      "      error, 1 character",
      "      error, failure 2 in a row, 1 character",
      "      ok, 1 character",
      "      error, 1 character",
    ]);
    expect(stable(prompt("a"), ...draft(1, "error"), prompt("b"), ...draft(2, "error")).join("\n")).not.toContain(
      "in a row",
    );
  });

  it("E6: a reply that broke off, the person's words meanwhile, modes and undone steps have their lines", () => {
    const cut: LogBody = {
      type: "reply.cut",
      turn: 1,
      model: "m",
      blocks: [{ type: "text", text: "half" }],
      usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 },
      reason: "the stream broke",
    };
    const voided: LogBody = {
      type: "reply.voided",
      turn: 1,
      model: "m",
      usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 },
      reason: "overloaded",
    };
    const text = stable(
      prompt("go"),
      voided,
      cut,
      prompt("and tests", "steer"),
      { type: "mode.changed", mode: "plan", by: "person" },
      { type: "changes.undone", operationId: "op_1", by: "person", paths: ["/p/a", "/p/b"] },
      { type: "query.finished", reason: "api-error", detail: "no answer", turns: 1, durationMs: 5 },
    );
    expect(text.slice(2)).toEqual([
      "> go",
      "   1        10        0        0       1        ?  nothing, void: overloaded",
      "   1        10        0        0       2        ?  text, cut: the stream broke",
      '    "half"',
      "",
      "> meanwhile: and tests",
      "  - mode plan (by person)",
      "  - undone: 2 files (by person)",
      "= api-error after 1 turn: no answer",
      "",
      "   1        20        0        0       3        ?  in all",
      "0 calls, asked nothing, nothing landed; ended: api-error",
    ]);
  });

  it("E6: whatever a log holds, no line is wider than 80 columns or moves the cursor", () => {
    fc.assert(
      fc.property(anyHistory, (bodies) => {
        for (const line of traceLines(traceOf(events([OPENED, ...bodies])))) {
          expect(stringWidth(line)).toBeLessThanOrEqual(80);
          expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
        }
      }),
      { numRuns: 60 },
    );
  });
});
