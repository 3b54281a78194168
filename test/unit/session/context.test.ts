import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { toMessages } from "../../../src/events/messages.ts";
import type { Session } from "../../../src/session/session.ts";
import { hooksFrom } from "../../support/hooks.ts";
import { longModel, type LongModel, type LongScript, wordsOf } from "../../support/long-talk.ts";
import { answers, collect, openAt, place, type Place, type SessionInput } from "../../support/session.ts";

const FILLER = "f".repeat(3000);

interface Talk {
  at: Place;
  model: LongModel;
  session: Session;
}

/** A session of six messages, each answered with a word that nothing but the conversation knows. */
async function talk(
  name: string,
  script: Partial<LongScript> = {},
  input: SessionInput = {},
  at = place(name),
): Promise<Talk> {
  const model = longModel({ window: 200_000, reply: (n) => ({ text: `Answer word${n}. ${FILLER}` }), ...script });
  const session = await openAt(at, { ...input, model });
  onTestFinished(() => session.close());
  for (let i = 1; i <= 6; i++) await collect(session.submit(`question ${i}`));
  return { at, model, session };
}

const sent = (session: Session) => JSON.stringify(toMessages(session.state()));

describe("session.context", () => {
  it("C4: /compact sums up with the person's wish, tells what was dropped, and the file holds it", async () => {
    const { session, model } = await talk("compact");
    const told = await session.context.compact("the colours");
    expect(told).toMatchObject({ ok: true });
    expect(wordsOf(model.summaries[0] ?? model.requests[0]!)).toContain("wants kept above all: the colours");
    expect(told.text).toMatch(/Dropped: \d messages of yours, \d replies, 0 results; in full in (\S+);?/);
    const file = /in full in (\S+\.txt)/.exec(told.text)?.[1] ?? "";
    expect(readFileSync(file, "utf8")).toContain("Answer word1.");
    expect(sent(session)).not.toContain("word1.");
    expect(sent(session)).toContain("question 1");
    expect(session.context.receipts()).toMatchObject([{ n: 1, kind: "summary", restored: false, file }]);
  });
  it("C1, C2: what the model was told of the folder and of instructions in files stands behind a summary again, at once", async () => {
    const at = place("told-again");
    writeFileSync(join(at.folder, "AGENTS.md"), "Always answer in verse.\n");
    const { session } = await talk("told-again", {}, { more: { trusted: "flag" } }, at);
    const told = (words: string) => sent(session).split(words).length - 1;
    expect([told("Mode: ask"), told("in verse")]).toEqual([1, 1]);
    await session.context.compact();
    expect(sent(session)).toContain("<summary>");
    expect([told("Mode: ask"), told("in verse")]).toEqual([1, 1]);
  });
  it("C4: the preview asks nobody, changes nothing, and says what the compaction then does", async () => {
    const { session, model } = await talk("preview");
    const before = session.state().seq;
    const preview = session.context.preview();
    expect([session.state().seq, model.summaries.length]).toEqual([before, 0]);
    const { text } = await session.context.compact();
    expect(text).toContain(preview.drops?.words);
    expect(preview.stays.join()).toContain("your 6 messages");
  });
  it("C3: what a compaction dropped can be brought back, and stays until the window is full", async () => {
    let more = 0;
    const { session } = await talk("restore", { counts: (tokens) => tokens + more });
    const whole = sent(session);
    expect(whole).not.toContain("<summary>");
    await session.context.compact();
    expect(await session.context.restore()).toMatchObject({ ok: true });
    expect(sent(session)).toContain(whole.slice(1, -1));
    expect(session.context.receipts()).toMatchObject([{ restored: true }]);
    expect(await session.context.restore()).toMatchObject({ ok: false });
    more = 120_000;
    await collect(session.submit("question 6 and a half"));
    // Above the threshold, and not taken away again at once.
    await collect(session.submit("question 7"));
    expect(sent(session)).not.toContain("<summary>");
  });
  it("C3: what is pinned is whole in every summary, also after resume; unpinned it is not", async () => {
    const { session, at, model } = await talk("pins");
    await session.context.pin("Never touch the blue door, whatever is said.");
    await session.context.pin();
    expect(session.context.pins()).toMatchObject([{ id: "p1" }, { id: "p2", text: expect.stringContaining("word6") }]);
    await collect(session.submit("and now"));
    await session.context.compact();
    for (let i = 0; i < 4; i++) await collect(session.submit(`more ${i}`));
    await session.close();
    const again = await openAt(at, { model, more: { resume: session.id } });
    onTestFinished(() => again.close());
    expect(await again.context.unpin("p2")).toMatchObject({ ok: true });
    await again.context.compact();
    expect(sent(again)).toContain("Never touch the blue door, whatever is said.");
    expect(sent(again)).not.toContain("word6");
    expect(await again.context.unpin("p9")).toMatchObject({ ok: false });
  });
  it("E2, C3: /rewind goes back over a compaction to what was sent then", async () => {
    const { session } = await talk("rewind");
    const [, , third] = session.rewindPoints();
    await session.context.compact();
    await collect(session.submit("question 7"));
    await session.rewind(third?.to ?? 0, "conversation");
    expect(sent(session)).toContain("word2.");
    expect(sent(session)).not.toContain("<summary>");
    expect(session.context.receipts()).toEqual([]);
    await collect(session.submit("question 3 again"));
    expect(session.state().query?.ended).toBe("done");
  });
  it("H1: PreCompact may hold it back, PostCompact is told the summary", async () => {
    const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
    const at = place("compact-hooks");
    const held = await talk(
      "held",
      {},
      { more: { hooks: hooksFrom({ PreCompact: hook("echo not now >&2; exit 2") }) } },
    );
    expect(await held.session.context.compact()).toMatchObject({ ok: false, text: expect.stringContaining("not now") });
    expect([held.model.summaries.length, sent(held.session).includes("word1.")]).toEqual([0, true]);
    const heard = join(at.home, "heard");
    const { session } = await talk(
      "told",
      {},
      { more: { hooks: hooksFrom({ PostCompact: hook(`cat > ${heard}`) }) } },
      at,
    );
    await session.context.compact("x");
    expect(JSON.parse(readFileSync(heard, "utf8"))).toMatchObject({
      hook_event_name: "PostCompact",
      trigger: "manual",
      compact_summary: expect.stringContaining("It went on."),
    });
  });
  it("C7: a handoff stands in a file, and the model starts afresh from it alone", async () => {
    const { session } = await talk("handoff");
    const told = await session.context.handoff();
    expect(told).toMatchObject({ ok: true });
    const file = /afresh from (\S+)/.exec(told.text)?.[1] ?? "";
    expect(readFileSync(file, "utf8")).toMatch(/^# Handoff\n\nIt went on\.[\s\S]*question 1/);
    expect(sent(session)).not.toContain("word6");
    expect(session.state().touched.size).toBe(0);
    await collect(session.submit("go on"));
    expect(session.state().query?.ended).toBe("done");
    expect(session.context.receipts()).toMatchObject([{ kind: "handoff" }]);
  });
  it("C7, P1: a handoff into the folder is asked about as any change; a no leaves file and conversation as they are", async () => {
    const no = answers("no");
    const refused = await talk("handoff-no", {}, { asker: no });
    expect(await refused.session.context.handoff("HANDOFF.md")).toMatchObject({ ok: false });
    expect([no.asked.length, existsSync(join(refused.at.folder, "HANDOFF.md"))]).toEqual([1, false]);
    expect(sent(refused.session)).toContain("word1.");
    const yes = await talk("handoff-yes", {}, { asker: answers("yes") });
    expect(await yes.session.context.handoff("HANDOFF.md")).toMatchObject({ ok: true });
    expect(readFileSync(join(yes.at.folder, "HANDOFF.md"), "utf8")).toContain("# Handoff");
    expect(sent(yes.session)).not.toContain("word6");
    await yes.session.undo();
    expect(existsSync(join(yes.at.folder, "HANDOFF.md"))).toBe(false);
  });
  it("C7: compact.policy handoff starts afresh by itself at the threshold, in the middle of a message", async () => {
    const at = place("policy");
    writeFileSync(join(at.folder, "a.txt"), `a fact\n${"word ".repeat(400)}`);
    const model = longModel({
      window: 20_000,
      reply: (n) =>
        n < 30
          ? {
              calls: [
                { name: "TodoWrite", input: { todos: [{ text: `${n} ${"y".repeat(2000)}`, status: "active" }] } },
              ],
            }
          : { text: "All done." },
    });
    const limits = { compact: { at: 0.6, auto: true, policy: "handoff" as const } };
    const session = await openAt(at, { model, limits });
    onTestFinished(() => session.close());
    const { result } = await collect(session.submit("do all of it"));
    expect(result).toMatchObject({ reason: "done", text: "All done." });
    const facts = session.looks.facts().filter((e) => e.type === "context.compacted");
    expect(facts.length).toBeGreaterThan(0);
    for (const { handoff, turn } of facts) {
      expect(readFileSync(handoff ?? "", "utf8")).toContain("do all of it");
      expect(turn).toBeGreaterThan(1);
    }
  });
});
