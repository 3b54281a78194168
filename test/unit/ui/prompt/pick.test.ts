import { expect, it } from "vitest";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { addDetails, doAct, type PickSource } from "../../../../src/ui/prompt/pick-acts.ts";
import { filtered, openPick, pickKey, pickRows, type Pick, type PickAct } from "../../../../src/ui/prompt/pick.ts";
import { lineWidth, textOfLine } from "../../../../src/ui/render/spans.ts";

const LIST = [
  { id: "s_1", title: "Fix the parser", folder: "/p", here: true, age: 60_000, prompts: 3, branch: "main", usd: 0.5 },
  { id: "s_2", title: "Write docs", folder: "/p", here: true, age: 120_000, prompts: 1 },
  { id: "s_3", title: "Elsewhere", folder: "/q", age: 180_000, prompts: 1 },
];

/** The picker with its source, as both front-ends run it. */
function picker(source: Partial<PickSource> = {}) {
  let pick: Pick = openPick(LIST);
  const done: (string | undefined)[] = [];
  const acts: PickAct[] = [];
  const all: PickSource = {
    details: async () => new Map(),
    search: async () => new Set(),
    preview: async (id) => [`newest of ${id}`, "older\nwords"],
    rename: async (_id, name) => name.trim(),
    remove: async () => {},
    ...source,
  };
  const update = (change: (pick: Pick) => Pick) => void (pick = change(pick));
  const press = async (...names: string[]) => {
    for (const name of names) {
      const [mods, key] = name.startsWith("ctrl+") ? [{ ctrl: true }, name.slice(5)] : [{}, name];
      const text = key.length === 1 ? key : key === "space" ? " " : undefined;
      const step = pickKey(pick, makeKey(key, { ...mods, ...(text === undefined || "ctrl" in mods ? {} : { text }) }));
      pick = step.pick;
      if (step.done !== undefined) done.push(step.done.id);
      if (step.act === undefined) continue;
      acts.push(step.act);
      await doAct(step.act, all, update);
    }
  };
  const shown = (width = 80) => {
    const { head, list } = pickRows(pick, width, 8);
    return [...head, ...list].map(textOfLine);
  };
  return {
    press,
    shown,
    done,
    acts,
    ids: () => filtered(pick).map((row) => row.id),
    details: () => addDetails(all, update),
  };
}

it("N-6: title, age, messages, branch and cost; Tab shows the sessions of all folders, with theirs", async () => {
  const { press, shown, ids } = picker();
  expect(shown()[1]).toBe("›  1 min ago ·   3 messages · Fix the parser · main · $0.50");
  expect(ids()).toEqual(["s_1", "s_2"]);
  await press("tab");
  expect(ids()).toEqual(["s_1", "s_2", "s_3"]);
  expect(shown()[3]).toContain("Elsewhere /q");
  await press("tab", "e", "l", "s", "e");
  expect(ids()).toEqual(["s_3"]);
});

it("N-6: Space shows what a session is about, Enter there goes on with it, Space is back; in a filter it is a blank", async () => {
  const { press, shown, done, ids } = picker();
  await press("down", "space");
  expect(shown()).toEqual(["Write docs · Enter goes on · d deletes · Space back", "  newest of s_2", "  older⏎words"]);
  await press("space", "f", "i", "x", "space", "p");
  expect(ids()).toEqual(["s_1"]);
  await press("backspace", "backspace", "backspace", "backspace", "backspace", "space", "return");
  expect(done).toEqual(["s_1"]);
});

it("N-6: Ctrl-R renames, d or Delete deletes after a y; what fails is said and changes nothing", async () => {
  const removed: string[] = [];
  const { press, shown, ids } = picker({
    remove: async (id) => {
      if (id === "s_2") throw new Error("session s_2 is open elsewhere");
      removed.push(id);
    },
  });
  await press("ctrl+r", "t", "i", "d", "y", "return");
  expect(shown()[0]).toContain("It is named tidy.");
  expect(shown()[1]).toContain("tidy: Fix the parser");
  await press("space", "d");
  expect(shown()[0]).toContain("Delete “tidy: Fix the parser” for good? y deletes it");
  await press("n");
  expect(removed).toEqual([]);
  await press("delete", "y");
  expect(removed).toEqual(["s_1"]);
  expect(ids()).toEqual(["s_2"]);
  await press("delete", "y");
  expect(shown()[0]).toContain("session s_2 is open elsewhere");
  expect(ids()).toEqual(["s_2"]);
});

it("N-6: the list is there at once, its words come later; all that was written is searched, an answer that comes late counts for nothing", async () => {
  let answer: (ids: ReadonlySet<string>) => void = () => {};
  const { press, ids, details, acts } = picker({
    details: async () => new Map([["s_2", { words: "the lexer" }]]),
    search: (text) => (text === "zz" ? Promise.resolve(new Set(["s_2"])) : new Promise((done) => (answer = done))),
  });
  expect(ids()).toEqual(["s_1", "s_2"]);
  await details();
  void press("l");
  answer(new Set());
  await Promise.resolve();
  expect(acts).toEqual([{ act: "search", text: "l" }]);
  const other = picker({ search: async () => new Set(["s_2"]) });
  await other.press("z", "z");
  expect(other.ids()).toEqual(["s_2"]);
});

it("N-6: no row is wider than the screen", async () => {
  const { press, shown } = picker();
  for (const keys of [[], ["space"], ["d"], ["n"], ["ctrl+r"]]) {
    await press(...keys);
    for (const width of [80, 40, 20])
      for (const row of shown(width)) expect(lineWidth([{ text: row }])).toBeLessThanOrEqual(width);
  }
});
