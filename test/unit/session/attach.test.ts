import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { attachedTo, textOf } from "../../../src/events/block.ts";
import type { Rule } from "../../../src/events/effect.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { submitWords } from "../../../src/session/attach.ts";
import type { Session } from "../../../src/session/session.ts";
import { answers, collect, openAt, place, type Place, type ScriptInput } from "../../support/session.ts";
import { png } from "../../support/media.ts";

const signal = new AbortController().signal;

async function opened(at: Place, rules: readonly Rule[] = [], script?: ScriptInput): Promise<Session> {
  const session = await openAt(at, { rules, asker: answers("yes"), script: script ?? { turns: [{ text: "ok" }] } });
  onTestFinished(() => session.close());
  return session;
}

function files(at: Place): void {
  mkdirSync(join(at.folder, "src"));
  writeFileSync(join(at.folder, "src/a.ts"), "one\ntwo\nthree\nfour\n");
  writeFileSync(join(at.folder, "my notes.md"), "# notes\n");
  writeFileSync(join(at.folder, "pic.png"), png(3, 4));
  writeFileSync(join(at.folder, ".env"), "CANARY\n");
  writeFileSync(join(at.folder, "blob.bin"), Buffer.from([0, 1, 2, 3, 0, 255, 0]));
}

it("IN-11: a file, a part of one, a folder and a picture go along as Read shows them, each with a row", async () => {
  const at = place("attach");
  files(at);
  const session = await opened(at);
  const said = await session.beside.attach('look at @src/a.ts, @src/a.ts:2-3, @src/, @pic.png and @"my notes.md"');
  expect(said.notes).toEqual([]);
  expect(attachedTo(said.content)).toEqual([
    "read src/a.ts (4 lines)",
    "read src/a.ts (lines 2-3 of 4)",
    "read src (1 entry)",
    expect.stringMatching(/^read pic\.png \(3×4\)$/),
    "read my notes.md (1 line)",
  ]);
  const [words, whole, part, folder, picture] = said.content;
  expect(words).toEqual({ type: "text", text: expect.stringContaining("look at @src/a.ts") });
  expect(whole).toMatchObject({ text: expect.stringContaining("1\tone\n2\ttwo\n3\tthree\n4\tfour") });
  expect(part).toMatchObject({ text: expect.stringContaining("2\ttwo\n3\tthree") });
  expect(JSON.stringify(part)).not.toContain("one");
  expect(folder).toMatchObject({ text: expect.stringContaining("a.ts") });
  expect(picture).toMatchObject({ type: "image", source: { media_type: "image/png" } });
  // What the person said is their words alone: titles, the index and rewinds go by it.
  expect(textOf(said.content)).not.toContain("three");
});

it("IN-11: what is no file stays text: addresses, decorators, a name that leads nowhere", async () => {
  const at = place("attach-none");
  files(at);
  const session = await opened(at);
  for (const words of ["mail me@example.org", "@Component({}) class A", "see @src/none.ts", "a lone @"])
    expect(await session.beside.attach(words)).toEqual({ content: [{ type: "text", text: words }], notes: [] });
});

it("IN-11, P6: what a deny rule hides and what lies outside is not attached, and the person is told", async () => {
  const at = place("attach-deny");
  files(at);
  const outside = join(at.home, "x.txt");
  writeFileSync(outside, "OUTSIDE\n");
  const denied = await opened(at, [{ text: "Read(.env)", action: "deny", source: "project" }]);
  const said = await denied.beside.attach(`@.env @~/x.txt @${outside} @blob.bin`);
  expect(JSON.stringify(said.content)).not.toMatch(/CANARY|OUTSIDE/);
  expect(said.notes).toEqual([
    expect.stringMatching(/@\.env is not attached: denied by Read\(\.env\)/),
    expect.stringMatching(/x\.txt is not attached: .*outside.*the model asks you/),
    expect.stringMatching(/blob\.bin is not attached: .*binary/),
  ]);
});

it("IN-11, T4, E2: it is in the log: after a resume the same is sent, and Edit knows the file as read", async () => {
  const at = place("attach-log");
  files(at);
  const script: ScriptInput = {
    turns: [
      { calls: [{ name: "Edit", input: { file_path: "src/a.ts", old_string: "two", new_string: "2" }, id: "e1" }] },
      { text: "done" },
    ],
  };
  const session = await opened(at, [], script);
  const { events } = await collect(
    submitWords(session, { words: "change @src/a.ts", behind: "@my" }, signal, () => {}),
  );
  expect(events.find((e) => e.type === "call.finished")).toMatchObject({ status: "ok" });
  const prompt = events.find((e) => e.type === "prompt.submitted");
  expect(prompt?.type === "prompt.submitted" && textOf(prompt.content)).toBe("change @src/a.ts\n\n@my");
  const sent = JSON.stringify(toMessages(session.state()));
  expect(sent).toContain("3\\tthree");
  await session.close();
  const again = await openAt(at, { more: { resume: session.id } });
  onTestFinished(() => again.close());
  expect(JSON.stringify(toMessages(again.state()))).toBe(sent);
  expect(again.state().prompts).toBe(1);
});
