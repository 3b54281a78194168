import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { Asker } from "../../../src/permissions/asker.ts";
import { questionsOf } from "../../../src/tools/ask-user.ts";
import type { PersonQuestion } from "../../../src/tools/tool.ts";
import { agentAsker } from "../../../src/session/spawn-asker.ts";
import type { LiveParts } from "../../../src/session/live-parts.ts";
import { personHead } from "../../../src/ui/prompt/person.ts";
import { systemClock } from "../../../src/util/system.ts";
import { collect, openAt, place, type ScriptInput } from "../../support/session.ts";

const never = () => new AbortController().signal;
const ask = (input: Record<string, unknown>) => ({ name: "AskUser", input });
const three = ask({
  question: "Which?",
  options: [{ label: "Linux" }, { label: "macOS", description: "newer" }],
  multiple: true,
  also: [{ question: "Name?" }, { question: "Sure?", options: [{ label: "Yes" }] }],
});

/** Answers in turn, and what was asked. */
function person(...list: string[]): Asker & { asked: PersonQuestion[] } {
  const asked: PersonQuestion[] = [];
  return {
    asked,
    ask: () => Promise.resolve({ kind: "no" }),
    askPerson: (question) => {
      asked.push(question);
      return Promise.resolve(list.shift());
    },
  };
}

async function run(script: ScriptInput, asker: Asker) {
  const session = await openAt(place("ask"), { script, asker });
  const ran = await collect(session.submit([text("go")], never()));
  await session.close();
  const results = ran.events.flatMap((e) => (e.type === "call.finished" ? [e] : []));
  return { ...ran, results, session };
}

describe("AskUser", () => {
  it("S6: several questions of a call are asked one after another, and answered together", async () => {
    const asker = person("Linux; macOS", "agent", "Yes");
    const { results } = await run({ turns: [{ calls: [three] }, { text: "ok" }] }, asker);
    expect(asker.asked.map((q) => [q.question, q.multiple, q.place])).toEqual([
      ["Which?", true, { n: 1, of: 3 }],
      ["Name?", undefined, { n: 2, of: 3 }],
      ["Sure?", undefined, { n: 3, of: 3 }],
    ]);
    expect(results[0]?.content).toEqual([text("Which?\n→ Linux; macOS\n\nName?\n→ agent\n\nSure?\n→ Yes")]);
  });

  it("C5, S6: a sub-agent's question comes under its name, and the screen says it", async () => {
    const asker = person("yes");
    const { asker: child } = agentAsker(asker, { options: {} } as LiveParts, { clock: systemClock }, "review\u001b[2J");
    expect(await child.askPerson({ question: "Sure?", options: [] }, never())).toBe("yes");
    expect(asker.asked.map((q) => q.agent)).toEqual(["review\u001b[2J"]);
    const rows = asker.asked.flatMap((q) => personHead(q, 60)).map((row) => row.map((span) => span.text).join(""));
    expect(rows.join("\n")).toMatch(/^asked by review\P{Cc}*: Sure\?$/u);
  });

  it.each([
    [{ question: " " }, "question is empty."],
    [{ question: "x", also: [{ question: "" }] }, "question is empty."],
    [{ question: "x", options: [{ label: "" }] }, "An option has no label."],
    [{ question: "x", options: [{ label: "a" }, { label: "a " }] }, "Two options have the same label."],
  ])("S6: %j is told to the model, not to the person", async (input, words) => {
    const asker = person("never");
    const { results } = await run({ turns: [{ calls: [ask(input)] }, { text: "ok" }] }, asker);
    expect([results[0]?.status, results[0]?.content, asker.asked]).toEqual(["error", [text(words)], []]);
  });

  it("S6: all questions of a reply wait together, and are answered together days later", async () => {
    const at = place("ask");
    const calls = [ask({ question: "A?" }), { name: "Glob", input: { pattern: "*" } }, three];
    const script = { turns: [{ calls }, { text: "Thanks." }] };
    const first = await openAt(at, { script });
    const { result, events } = await collect(first.submit([text("go")], never()));
    await first.close();
    expect(result.reason).toBe("waiting");
    expect(result.questions?.map((q) => q.question)).toEqual(["A?", "Which?", "Name?", "Sure?"]);
    // What was no question is done.
    expect(events.filter((e) => e.type === "call.finished").map((e) => e.status)).toEqual(["ok"]);
    const second = await openAt(at, { script, more: { resume: first.id } });
    expect(second.questions()).toEqual(result.questions);
    const later = await collect(second.goOn(never(), ["yes", "Linux", "x", "Yes"]));
    expect(later.result).toMatchObject({ reason: "done", text: "Thanks." });
    const answered = later.events.flatMap((e) => (e.type === "call.finished" ? [JSON.stringify(e.content)] : []));
    expect(answered[0]).toContain("yes");
    expect(answered[1]).toContain("Name?\\n→ x");
    expect(second.questions()).toEqual([]);
    await second.close();
  });

  it("S6: too few answers leave the rest open", async () => {
    const at = place("ask");
    const script = { turns: [{ calls: [ask({ question: "A?" }), ask({ question: "B?" })] }, { text: "Thanks." }] };
    const session = await openAt(at, { script });
    await collect(session.submit([text("go")], never()));
    const one = await collect(session.goOn(never(), "a"));
    expect(one.result).toMatchObject({ reason: "waiting", questions: [{ question: "B?" }] });
    const two = await collect(session.goOn(never(), ["b"]));
    expect(two.result.reason).toBe("done");
    await session.close();
  });

  it("S7: an interrupt while the person is asked gives the call its result", async () => {
    const abort = new AbortController();
    const asker: Asker = {
      ask: () => Promise.resolve({ kind: "no" }),
      askPerson: (_question, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(undefined));
          abort.abort();
        }),
    };
    const session = await openAt(place("ask"), {
      script: { turns: [{ calls: [ask({ question: "A?" })] }, { text: "Here." }] },
      asker,
    });
    const { result, events } = await collect(session.submit([text("go")], abort.signal));
    expect(result.reason).toBe("interrupted");
    expect(events.filter((e) => e.type === "call.finished").map((e) => e.status)).toEqual(["interrupted"]);
    expect(session.questions()).toEqual([]);
    const next = await collect(session.submit([text("hi")], never()));
    expect(next.result.text).toBe("Here.");
    await session.close();
  });

  it("S6: no questions are read out of an input that the tool doesn't take", () => {
    expect(questionsOf({ question: 5 })).toEqual([]);
    expect(questionsOf({ question: "a", options: [], multiple: true })).toEqual([{ question: "a", options: [] }]);
  });
});
