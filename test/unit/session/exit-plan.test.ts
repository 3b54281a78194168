import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/events/block.ts";
import { isFact } from "../../../src/events/event.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { answers, collect, openAt, place, type Place } from "../../support/session.ts";

const exit = { text: "1. Write w.txt", calls: [{ name: "ExitPlan", input: { title: "Write w.txt" } }] };
const write = { calls: [{ name: "Write", input: { file_path: "w.txt", content: "w\n" } }] };
const ACCEPT = ["Go on, asking before changes", "Go on in auto"];

/** A session in plan mode on a model that plans, then writes; `say`: what the person answers to the plan. */
async function planned(at: Place, say: string | undefined, ...gate: ("yes" | "no")[]) {
  const asker = answers(...gate);
  const asked: string[] = [];
  const session = await openAt(at, {
    model: scriptedModel({ turns: [exit, write, { text: "end" }] }),
    asker: {
      ...asker,
      askPerson: ({ question, options }) => {
        asked.push([question, ...options.map((o) => o.label)].join("|"));
        return Promise.resolve(say);
      },
    },
    more: { mode: "plan" },
  });
  return { session, asker, asked };
}
const written = (at: Place) => existsSync(join(at.folder, "w.txt"));

describe("ExitPlan", () => {
  it("P1: an accepted plan goes on in auto, in the very same message, as a fact of the plan's", async () => {
    const at = place();
    const { session, asked, asker } = await planned(at, ACCEPT[1]);
    const { events, result } = await collect(session.submit("go"));
    expect(asked).toEqual([
      "Carry out this plan? Write w.txt|Go on, asking before changes|Go on in auto|Keep planning",
    ]);
    expect([result.reason, session.state().mode, written(at), asker.asked.length]).toEqual(["done", "auto", true, 0]);
    const facts = events.filter(isFact).map((e) => e.type);
    expect(facts.indexOf("mode.changed")).toBeLessThan(facts.indexOf("call.finished"));
    expect(events.find((e) => isFact(e) && e.type === "mode.changed")).toMatchObject({ mode: "auto", by: "plan" });
    // The model is told once more what the mode means.
    expect(JSON.stringify(events.filter((e) => isFact(e) && e.type === "note.added"))).toContain("Mode: auto");
    await session.close();
  });
  it("P1: accepted for ask, every change is still asked about", async () => {
    const at = place();
    const { session, asker } = await planned(at, ACCEPT[0], "yes");
    await collect(session.submit("go"));
    expect([session.state().mode, written(at), asker.asked.length]).toEqual(["ask", true, 1]);
    await session.close();
  });
  it.each(["Keep planning", "Use x.txt instead", "auto", "Go on in auto, but carefully"])(
    "P1: %s keeps plan mode, and nothing is written",
    async (say) => {
      const at = place();
      const { session } = await planned(at, say);
      const { events } = await collect(session.submit("go"));
      expect([session.state().mode, written(at)]).toEqual(["plan", false]);
      const told = events.find((e) => isFact(e) && e.type === "call.finished");
      expect(told?.type === "call.finished" ? textOf(told.content) : "").toContain("the mode stays plan");
      await session.close();
    },
  );
  it("S6: with nobody there the plan waits, and the answer of another day goes on with it", async () => {
    const at = place();
    const first = await planned(at, undefined);
    const { result } = await collect(first.session.submit("go"));
    expect([result.reason, first.session.state().mode]).toEqual(["waiting", "plan"]);
    const id = first.session.id;
    expect(first.session.questions()).toMatchObject([{ question: "Carry out this plan? Write w.txt" }]);
    await first.session.close();
    const later = await openAt(at, {
      model: scriptedModel({ turns: [exit, write, { text: "end" }] }),
      more: { resume: id },
    });
    await collect(later.goOn(undefined, [ACCEPT[1] ?? ""]));
    expect([later.state().mode, written(at)]).toEqual(["auto", true]);
    await later.close();
  });
  it("P1: outside of plan mode nobody is asked, and the mode stays", async () => {
    const at = place();
    const { session, asked } = await planned(at, ACCEPT[1], "yes");
    await session.setMode("ask");
    await collect(session.submit("go"));
    expect([asked, session.state().mode]).toEqual([[], "ask"]);
    await session.close();
  });
});
