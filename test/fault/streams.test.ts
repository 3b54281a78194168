import { describe, expect, it } from "vitest";
import { deep } from "../support/deep.ts";
import { bytesOf, eventsOf } from "../support/api-sse.ts";
import { FAULTS, type FaultCase } from "../support/fault-cases.ts";
import { faultSession, PLACES, rightAnswer, withFault } from "../support/fault-session.ts";
import { documented, faultRow, writeDocumented, type FaultRow } from "../support/fault-table.ts";

/** So many faults befall one session, one after the other. */
const OF_A_SESSION = 12;
const GROUPS = [false, true].flatMap((hasty) => {
  const all = FAULTS.filter((f) => (f.hasty ?? false) === hasty);
  return Array.from({ length: Math.ceil(all.length / OF_A_SESSION) }, (_, i) =>
    all.slice(i * OF_A_SESSION, (i + 1) * OF_A_SESSION),
  );
});
const WRITE = process.env["WRITE_DOCS"] === "1";
const written: FaultRow[] = [];

/** All places in `npm run deep`, else one, another for each fault. */
function placesOf(fault: FaultCase): readonly (typeof PLACES)[number][] {
  const n = FAULTS.indexOf(fault);
  return PLACES.filter((_, i) => deep(i === n % PLACES.length ? 1 : 0, 1) === 1);
}

describe("S10, L5: a fault at any place of a session ends in the right answer or one clear line, and the next message works", () => {
  it.each(GROUPS.map((group) => [`${group[0]?.id} … ${group.at(-1)?.id}`, group] as const))(
    "%s",
    { timeout: deep(240_000, 3_600_000) },
    async (_, group) => {
      const long = await faultSession(group[0]?.hasty);
      for (const fault of group) {
        for (const at of placesOf(fault)) {
          const session = fault.length === true ? await faultSession() : long;
          const told = await withFault(session, fault, at);
          const row = faultRow(fault, told);
          if (WRITE) written.push(row);
          const answered = fault.ends === undefined ? told.out.endsWith(rightAnswer(at)) : told.code > 0;
          const lines = told.err.filter((line) => line.includes("To go on:")).length;
          const next = await session.say("and now?", [{ turn: { text: "Next." } }]);
          expect({
            ...row,
            answered,
            lines,
            next: [next.code, next.out, next.err],
            wrong: session.api.breaches,
          }).toEqual({
            ...(WRITE ? row : documented().find((r) => r.id === fault.id)),
            answered: true,
            lines: fault.ends === undefined ? 0 : 1,
            next: [0, "Next.\n", []],
            wrong: [],
          });
          const end = told.facts.findLast((f) => f.type === "query.finished");
          expect([fault.id, end?.reason]).toEqual([fault.id, fault.ends ?? "done"]);
        }
      }
    },
  );

  it.each(FAULTS.filter((f) => f.length === true).map((fault) => [fault.id, fault] as const))(
    "%s, with turns behind it: they are summed up, and the answer is right",
    { timeout: 240_000 },
    async (_, fault) => {
      for (const at of placesOf(fault)) {
        const session = await faultSession();
        for (const n of [1, 2, 3, 4]) await session.say(`message ${n}`, [{ turn: { text: `Answer ${n}.` } }]);
        const wrong = fault.answers(at.turn, session.api.requests.length + 1);
        const right = [at.turn, ...at.then].map((turn) => ({ turn }));
        const before = at.before.map((turn) => ({ turn }));
        const told = await session.say("go", [...before, ...wrong, { turn: { text: "All of it." } }, ...right]);
        const summed = told.facts.filter((f) => f.type === "context.compacted").length;
        expect([told.code, told.out, summed, session.api.breaches]).toEqual([0, rightAnswer(at), 1, []]);
        const next = await session.say("and now?", [{ turn: { text: "Next." } }]);
        expect([next.code, next.out, next.err, session.api.breaches]).toEqual([0, "Next.\n", [], []]);
      }
    },
  );

  it.each(PLACES.map((at) => [at.name, at] as const))(
    "cut at any byte of %s",
    { timeout: deep(900_000, 3_600_000) },
    async (_, at) => {
      const all = bytesOf(eventsOf(at.turn, "claude-sonnet-5-5", 1)).length;
      const step = deep(Math.ceil(all / 12), 1);
      let session = await faultSession();
      for (let bytes = 1, n = 1; bytes < all; bytes += step, n++) {
        // A conversation that grows makes each request of thousands longer.
        if (n % 40 === 0) session = await faultSession();
        const cut = { turn: at.turn, fault: { kind: "cut" as const, bytes, hard: bytes % 2 === 0 } };
        const right = [at.turn, ...at.then].map((turn) => ({ turn }));
        const { code, out } = await session.say("go", [...at.before.map((turn) => ({ turn })), cut, ...right]);
        const wrong = session.api.breaches;
        expect({ bytes, code, out, wrong }).toEqual({ bytes, code: 0, out: rightAnswer(at), wrong: [] });
      }
    },
  );

  it("L6: a block of an unknown kind goes back with all that its own deltas added to it", async () => {
    const session = await faultSession();
    const fault = FAULTS.find((f) => f.id === "an unknown block with deltas of its own");
    if (fault === undefined) throw new Error("no such fault");
    await withFault(session, fault, PLACES[1]);
    const sent = session.api.requests.at(-1)?.raw ?? "";
    expect(sent).toContain('{"type":"brand_new_tool_result","body":"ab","n":1}');
    expect(session.api.breaches).toEqual([]);
  });

  it("S10: what a void attempt used is in the sums, its output reckoned where its figures never came", async () => {
    const session = await faultSession();
    const turn = { text: "x".repeat(350), usage: { input: 1000, output: 99 } };
    const cut = { turn, fault: { kind: "end" as const, after: eventsOf(turn, "m", 1).length - 2 } };
    const told = await session.say("go", [{ ...cut, fault: { ...cut.fault, after: 20 } }, { turn }]);
    const voided = told.facts.filter((f) => f.type === "reply.voided");
    expect(voided).toMatchObject([{ usage: { input: 1000, output: expect.any(Number) as number } }]);
    expect(voided[0]?.usage.output).toBeGreaterThan(40);
    expect(session.usage()).toEqual({ input: 2000, output: 99 + (voided[0]?.usage.output ?? 0) });
  });

  it("two calls with one id both run, and both have a result", async () => {
    const session = await faultSession();
    const calls = ["a.txt", "none.txt"].map((file_path) => ({ name: "Read", input: { file_path }, id: "toolu_same" }));
    const { facts } = await session.say("go", [{ turn: { calls } }, { turn: { text: "Read." } }]);
    const results = facts.filter((f) => f.type === "call.finished");
    expect(results.map((f) => f.status).toSorted()).toEqual(["error", "ok"]);
    expect(new Set(results.map((f) => f.callId)).size).toBe(2);
    const back = session.api.requests.at(-1)?.raw ?? "";
    expect([back.match(/"tool_use"/g)?.length, back.match(/"tool_result"/g)?.length]).toEqual([2, 2]);
    expect(session.api.breaches).toEqual([]);
  });

  it("docs/streams.md lists every fault, and only those", () => {
    const order = new Map(FAULTS.map((f, i) => [f.id, i]));
    if (WRITE) writeDocumented(written.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0)));
    expect(documented().map((row) => row.id)).toEqual(FAULTS.map((f) => f.id));
  });
});
