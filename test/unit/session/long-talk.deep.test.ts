import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFact, type LogEvent, type SessionEvent } from "../../../src/events/event.ts";
import type { QueryResult, Session } from "../../../src/session/session.ts";
import { png } from "../../support/media.ts";
import {
  contextRows,
  longModel,
  type LongModel,
  notesFiles,
  numberOf,
  type Said,
  wordsOf,
} from "../../support/long-talk.ts";
import { openAt, place } from "../../support/session.ts";

const WINDOW = 40_000;
const TURNS = 300;
const FIRST =
  "I am Ada. The release is called Kestrel. Read every note, then tell me the name, the release, and the numbers of notes 3 and 150.";

const read = (path: string) => ({ name: "Read", input: { file_path: path } });

/** Reads 200 notes, some of them twice in a row, looks at pictures, runs commands; then answers from what it is sent and nothing else. */
function script(n: number, sent: () => string): Said {
  if (n === TURNS) return { text: answerFrom(sent()) };
  if (n === TURNS - 1)
    return { calls: [{ name: "Grep", input: { pattern: "number of note (3|150) is", path: keptIn(sent()) } }] };
  if (n % 25 === 0)
    return { calls: [{ name: "TodoWrite", input: { todos: [{ text: `go on at ${n}`, status: "active" }] } }] };
  if (n % 40 === 7) return { calls: [read("picture.png")] };
  if (n % 60 === 9) return { calls: [read("big.txt")] };
  if (n % 6 === 0 && n < 150)
    return { calls: [read(`notes/n${Math.floor((n / TURNS) * 200) - 1}.md`), read("again.md")] };
  return { calls: [read(`notes/n${Math.floor((n / TURNS) * 200)}.md`)] };
}

/** Where the program says that everything is which was said before. */
function keptIn(sent: string): string {
  return /said before\\nIn (\S+)\/before_\d+\.txt;/.exec(sent)?.[1] ?? "nowhere";
}

/** Looks facts up in what a request holds. */
function answerFrom(sent: string): string {
  const number = (i: number) => new RegExp(`number of note ${i} is (\\d+)`).exec(sent)?.[1] ?? "?";
  const name = /I am (\w+)/.exec(sent)?.[1] ?? "?";
  const release = /release is called (\w+)/.exec(sent)?.[1] ?? "?";
  return `${name}, ${release}, ${number(3)}, ${number(150)}`;
}

async function play(
  auto: boolean,
): Promise<{ session: Session; model: LongModel; events: LogEvent[]; result: QueryResult }> {
  const at = place(`long-${auto ? "with" : "without"}`);
  notesFiles(at.folder, 200, 45);
  writeFileSync(join(at.folder, "again.md"), `The same each time.\n${"word ".repeat(500)}`);
  writeFileSync(join(at.folder, "big.txt"), "a long line of a large file, as they come\n".repeat(700));
  writeFileSync(join(at.folder, "picture.png"), png(40, 40));
  const model = longModel({
    window: WINDOW,
    reply: (n, request) => script(n, () => wordsOf(request)),
    summary: () => ({ blocks: [{ type: "text", text: "## Done\nNotes were read." }] }),
  });
  const session = await openAt(at, {
    model,
    limits: { turns: 400, compact: { at: 0.5, auto, policy: "summary" } },
  });
  onTestFinished(() => session.close());
  const events: LogEvent[] = [];
  const run: AsyncGenerator<SessionEvent, QueryResult> = session.submit(FIRST);
  for (;;) {
    const step = await run.next();
    if (step.done === true) return { session, model, events, result: step.value };
    if (!isFact(step.value)) continue;
    events.push(step.value);
    if (step.value.type.startsWith("context.")) model.changed();
  }
}

describe("300 turns over 200 notes in a window of 40,000 tokens", { timeout: 120_000 }, () => {
  it("C3, C1: each mechanism fires and is in the log with turn, before and after; the answer knows what the first turns held", async () => {
    const { session, model, events, result } = await play(true);
    expect(model.wrong).toEqual([]);
    expect(result).toMatchObject({ reason: "done", turns: TURNS });
    expect(result.text).toBe(`Ada, Kestrel, ${numberOf(3)}, ${numberOf(150)}`);
    expect(new Set(contextRows(events))).toEqual(new Set(["budget", "pictures", "repeated", "old", "summary"]));
    const made = events.filter((e) => e.type === "context.cleared" || e.type === "context.compacted");
    for (const fact of made) {
      expect(fact.turn).toBeGreaterThan(1);
      expect(fact.after).toBeLessThan(fact.before);
    }
    // Rare: each time costs the cache, so much is won.
    expect(contextRows(events).filter((rule) => rule !== "budget").length).toBeLessThan(TURNS / 5);
    const compacted = events.flatMap((e) => (e.type === "context.compacted" ? [e] : []));
    for (const { summary, dropped, usage } of compacted) {
      expect(summary).toContain(FIRST);
      expect(summary).toMatch(/Open todos\n- active: go on at \d+/);
      expect(usage?.input).toBeGreaterThan(0);
      expect(readFileSync(dropped?.file ?? "", "utf8")).toContain("Call Read");
    }
    expect(session.cost().turns.filter((t) => t.outcome === "summary")).toHaveLength(compacted.length);
    expect(Math.max(...model.requests.map((r) => JSON.stringify(r.messages).length / 4))).toBeLessThan(WINDOW);
  });

  it("C3: without any of it the same session ends at the window", async () => {
    const { model, result } = await play(false);
    expect(result).toMatchObject({ reason: "api-error" });
    expect(result.detail).toMatch(/too long.*\/compact/);
    expect(result.turns).toBeLessThan(100);
    expect(model.summaries).toEqual([]);
  });
});
