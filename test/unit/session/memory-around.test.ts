import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { SessionEvent } from "../../../src/events/event.ts";
import { FolderTrust } from "../../../src/session/trust.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";
import { talkingModel, type Asked, type Said } from "../../support/agents.ts";
import { deep } from "../../support/deep.ts";
import { answers, collect, openAt, place, type Place } from "../../support/session.ts";
import { questionText } from "../../../src/permissions/question-text.ts";
import { questionBody } from "../../../src/ui/render/question.ts";

function put(base: string, files: Readonly<Record<string, string>>): void {
  for (const [path, words] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), words);
  }
}
const trustIn = (at: Place, folder: string): FolderTrust =>
  new FolderTrust({
    configDir: at.config,
    folder,
    homes: [at.home],
    uid: process.getuid?.() ?? 0,
    clock: systemClock,
    makeId: randomId,
  });
async function trusts(at: Place, folder: string): Promise<void> {
  const trust = trustIn(at, folder);
  trust.say(true, await trust.look());
}
const sentTo = (model: { asked: readonly Asked[] }): string => JSON.stringify(model.asked.at(-1)?.request.messages);
const typesOf = (events: readonly SessionEvent[]) => events.map(({ type }) => type);
const saying = (...said: Said[]) => {
  const left = [...said];
  return talkingModel(() => left.shift());
};

describe("instructions of other folders", () => {
  it("C2: of folders that were added and of those above the work tree, where each is trusted by itself", async () => {
    const outer = place("others");
    const base = realpathSync(outer.folder);
    const at = { ...outer, folder: join(base, "repo") };
    mkdirSync(at.folder);
    put(base, { "AGENTS.md": "ABOVE", "lib/AGENTS.md": "ADDED", "other/CLAUDE.md": "NOT-THAT" });
    const model = saying({ text: "ok" }, { text: "ok" });
    const addDirs = [join(base, "lib"), join(base, "other")];
    const first = await openAt(at, { model, more: { addDirs } });
    const { events } = await collect(first.submit("go"));
    await first.close();
    expect(sentTo(model)).not.toMatch(/ABOVE|ADDED|NOT-THAT/);
    const problems = events.flatMap((e) => (e.type === "memory.read" ? (e.problems ?? []) : []));
    expect(problems).toEqual(
      addDirs.map((dir) => `${dir}: its instructions are not read, since that folder is not trusted by itself`),
    );
    await trusts(at, base);
    await trusts(at, join(base, "lib"));
    const second = await openAt(at, { model, more: { addDirs } });
    await collect(second.submit("go"));
    await second.close();
    expect(sentTo(model)).toContain("ABOVE");
    expect(sentTo(model)).toContain('from=\\"another folder that you work on\\"');
    expect(sentTo(model)).not.toContain("NOT-THAT");
  });

  it("C2: an import that is not there is told, a word that is no file is not", async () => {
    const at = place("imports");
    put(at.folder, { "AGENTS.md": "See @docs/gone.md and @types/node, ask @alice.smith." });
    const session = await openAt(at, { model: saying({ text: "ok" }), more: { trusted: "flag" } });
    const { events } = await collect(session.submit("go"));
    await session.close();
    const problems = events.flatMap((e) => (e.type === "memory.read" ? (e.problems ?? []) : []));
    expect(problems).toEqual(["AGENTS.md: @docs/gone.md is not there"]);
  });
});

describe("a line of the person's own", () => {
  it.each([{ "AGENTS.md": "Be kind.\n" }, {}].slice(0, deep(1, 2)))(
    "C2, H5: ends no trust and is not asked about: %j",
    async (files: Readonly<Record<string, string>>) => {
      const at = place("own-line");
      put(at.folder, files);
      await Promise.all(Object.keys(files).map(() => trusts(at, at.folder)));
      const trust = trustIn(at, at.folder);
      const model = saying({ text: "ok" });
      const session = await openAt(at, { model, more: { trust } });
      const [file] = await session.beside.memory();
      if (file === undefined) throw new Error("no file");
      expect(await session.beside.remember(file, "- tests first")).toMatchObject({ ok: true });
      await collect(session.submit("go"));
      await session.close();
      expect(sentTo(model)).toContain("- tests first");
      expect(await trustIn(at, at.folder).look()).toMatchObject({ state: "trusted", texts: [] });
    },
  );
});

describe("what is told while a message runs", () => {
  it("C2, S11: a text that comes meanwhile brings the notes that fit it", async () => {
    const at = place("steer");
    const remember = (title: string, body: string) => ({ name: "Remember", input: { title, body } });
    const keep = saying(
      {
        calls: [
          remember("Zebra", `Zebras graze in pen four. ${"x ".repeat(900)}`),
          remember("Lions", `Lions sleep. ${"y ".repeat(900)}`),
        ],
      },
      { text: "ok" },
    );
    const before = await openAt(at, { model: keep, more: { trusted: "flag" } });
    await collect(before.submit("keep these"));
    await before.close();
    const model = saying({ calls: [{ name: "Glob", input: { pattern: "*" } }] }, { text: "ok" });
    const session = await openAt(at, { model, more: { trusted: "flag" } });
    session.steer("and where do the lions sleep?");
    const { events } = await collect(session.submit([text("where do zebras graze?")]));
    await session.close();
    const titles = events.flatMap((e) => (e.type === "memory.recalled" ? [e.notes.map(({ title }) => title)] : []));
    expect(titles).toEqual([["Zebra"], ["Lions"]]);
    const types = typesOf(events);
    expect(types.lastIndexOf("prompt.submitted")).toBe(types.lastIndexOf("memory.recalled") + 1);
  });

  it("C6: the body of a skill comes back behind a summary; /clear is a fresh start", async () => {
    const at = place("skills-again");
    put(at.config, { "skills/weld/SKILL.md": "---\nname: weld\ndescription: How to weld\n---\nWELD-BODY" });
    const model = talkingModel(({ task, turn, request }) => {
      const loads = task === "weld" && turn === 0;
      return loads
        ? { calls: [{ name: "Skill", input: { name: "weld" } }] }
        : { text: `ok ${request.messages.length}` };
    });
    const session = await openAt(at, { model });
    for (const words of ["weld", "b", "c", "d", "e"]) await collect(session.submit(words));
    expect((await session.context.compact()).ok).toBe(true);
    const times = () => sentTo(model).split("WELD-BODY").length - 1;
    for (const words of ["go on", "more"]) {
      await collect(session.submit(words));
      expect(times()).toBe(1);
    }
    expect(JSON.stringify(model.asked.at(-1)?.request.messages)).not.toContain('"Skill"');
    const parts = new Map(session.context.sizes().parts.map(({ name, tokens }) => [name, tokens]));
    expect(parts.get("instructions")).toBeGreaterThan(0);
    await session.clear();
    await collect(session.submit("anew"));
    expect(times()).toBe(0);
    await session.close();
  });
});

it("P5, C2: where a rule asks about a note, the question holds all of it", async () => {
  const at = place("note-asked");
  const asker = answers("no", "yes");
  const note = { name: "Remember", input: { title: "Build", body: "Use make.\u202e\nNever npm." } };
  const model = saying({ calls: [note] }, { text: "ok" }, { calls: [note] }, { text: "ok" });
  const session = await openAt(at, { model, asker, rules: [{ action: "ask", text: "Remember", source: "user" }] });
  for (const words of ["keep it", "again"]) await collect(session.submit(words));
  await session.close();
  const [question] = asker.asked;
  expect(question?.keeps).toBe("Build\nUse make.\u202e\nNever npm.");
  const shown = question === undefined ? "" : questionText(question);
  expect(shown).toContain("it keeps:\n  Build\n  Use make.\\u{202e}\n  Never npm.");
  const rows = question === undefined ? [] : questionBody(question, { width: 80 });
  expect(rows.map(({ row }) => row.map(({ text: part }) => part).join("")).join("\n")).toContain("Never npm.");
});
