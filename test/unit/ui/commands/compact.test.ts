import { describe, expect, it } from "vitest";
import type { LogBody } from "../../../../src/events/event.ts";
import { denyAll } from "../../../../src/permissions/asker.ts";
import { receiptsOf } from "../../../../src/session/receipts.ts";
import type { Session } from "../../../../src/session/session.ts";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { previewLines } from "../../../../src/ui/commands/compact.ts";
import { commandNamed } from "../../../../src/ui/commands/find.ts";
import { contextWords } from "../../../../src/ui/render/context-words.ts";
import { lineWidth, textOfLine } from "../../../../src/ui/render/spans.ts";
import { events } from "../../../support/event-log.ts";
import { playScript } from "../../../support/fake-script.ts";
import { fakeSession } from "../../../support/fake-session.ts";

/** What commands say to a session, and what they ask of its context. */
function front(more: Partial<Session["context"]> = {}) {
  const fake = fakeSession({ asker: denyAll("test"), script: playScript });
  const said: string[] = [];
  const session: Session = { ...fake, context: { ...fake.context, ...more } };
  const context = { session, say: (rows) => void said.push(...rows(100).map(textOfLine)) } as CommandContext;
  return { said, run: async (name: string, args = "") => commandNamed(name)?.run(args, context) };
}

const DROPPED = { from: 1, to: 9, prompts: 1, replies: 4, results: 3, file: "/r/before_9.txt" };
const FACTS: readonly LogBody[] = [
  { type: "context.cleared", callIds: ["a", "b"], before: 900, after: 500, turn: 7, rule: "old" },
  { type: "context.compacted", summary: "s", keptFrom: 9, before: 800, after: 300, turn: 9, dropped: DROPPED },
  { type: "context.compacted", summary: "t", keptFrom: 12, before: 700, after: 200, turn: 0, handoff: "H.md" },
];

describe("/compact, /pin, /handoff", () => {
  it("C4: what stands behind /compact is what the person wants kept; --preview and --restore are words of their own", async () => {
    const { said, run } = front();
    await run("compact");
    await run("compact", "the names and --dates");
    await run("compact", "--restore");
    await run("compact", "--restore 2");
    await run("compact", "--nonsense");
    expect(said.join("\n")).toMatch(
      /Summed up\.[^]*Summed up, the names and --dates\.[^]*Back again\.[^]*Back again 2\./,
    );
    expect(said.at(-1)).toContain("Not understood: --nonsense");
    await run("compact", "--preview");
    expect(said.join("\n")).toMatch(
      /begins at 100,000[^]*30,000 tokens, in exchange for a summary: 2 messages of yours[^]*· the last turn, whole/,
    );
  });
  it("C4: a preview where nothing would go says so, in any width", () => {
    const none = { tokens: 10, window: 1000, threshold: 500, stays: ["x"] };
    expect(previewLines(none, 100).map(textOfLine).join()).toContain("Nothing would be dropped");
    for (const width of [80, 40, 20])
      for (const row of previewLines({ ...none, drops: { words: "a b c", tokens: 1 } }, width))
        expect(lineWidth(row)).toBeLessThanOrEqual(width);
  });
  it("C3: /pin takes a text or the newest answer, lists and takes away", async () => {
    const { said, run } = front();
    await run("pin", "list");
    expect(said.at(-1)).toContain("Nothing is pinned");
    await run("pin", "the door is blue");
    await run("pin", "list");
    expect(said.at(-1)).toContain("p1  the door is blue");
    await run("pin", "remove p1");
    expect(said.at(-1)).toBe("Unpinned p1.");
  });
  it("C7: /handoff names the file that it is given", async () => {
    const { said, run } = front();
    await run("handoff", "H.md");
    await run("handoff");
    expect(said.join("\n")).toMatch(/afresh from H\.md[^]*afresh from results/);
  });
  it("C3, C4: /context lists what was taken out, with turn, before and after", async () => {
    const { said, run } = front({ receipts: () => receiptsOf(events(FACTS)) });
    await run("context");
    const words = said.join("\n");
    expect(words).toContain("From 100,000 tokens on (50 %)");
    expect(words).toContain("1  turn 7, cleared: old: results of 2 calls (900 → 500)");
    expect(words).toContain("2  turn 9, summary: 1 message of yours, 4 replies, 3 results (800 → 300)");
    expect(words).toContain("3  handoff: older messages (700 → 200)");
  });
  it("C3: what is restored, rewound over or cleared is no receipt any more", () => {
    const restored: LogBody = { type: "context.restored", of: 2, keptFrom: 1, before: 1, after: 2 };
    expect(receiptsOf(events([...FACTS, restored])).map((r) => r.restored)).toEqual([false, true, true]);
    expect(receiptsOf(events([...FACTS, { type: "context.rewound", to: 2, keptFrom: 1 }]))).toHaveLength(1);
    expect(receiptsOf(events([...FACTS, { type: "context.reset" }]))).toEqual([]);
  });
  it("C3: each of these facts is one row on screen", () => {
    const rows = events(FACTS).flatMap((e) =>
      e.type === "context.cleared" || e.type === "context.compacted" ? [contextWords(e)] : [],
    );
    expect(rows).toEqual([
      "── cleared, the whole is in a file: results of 2 calls (900 → 500 tokens)",
      "── older messages summed up (800 → 300 tokens)",
      "── the model starts anew from H.md (700 → 200 tokens)",
    ]);
  });
});
