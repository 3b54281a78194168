import { describe, expect, it } from "vitest";
import { EMPTY, labelled } from "../../../../../src/ui/input/editor/buffer.ts";
import { edit } from "../../../../../src/ui/input/editor/edit.ts";
import {
  historyEntry,
  recallOp,
  stepHistory,
  withEntry,
  type HistoryEntry,
  type Recall,
} from "../../../../../src/ui/input/editor/history.ts";
import { found, nextScope, olderMatch, startSearch, typeSearch } from "../../../../../src/ui/input/editor/search.ts";

const list = (...texts: string[]): HistoryEntry[] => texts.map((text) => ({ text }));
const draft = (text: string) => ({ text, chips: new Map() });

/** Texts that come up, one after the other. */
function walk(entries: readonly HistoryEntry[], text: string, ...by: (1 | -1)[]): (string | undefined)[] {
  let recall: Recall | undefined;
  return by.map((b) => {
    const step = stepHistory(entries, recall, b, draft(text));
    if (step !== undefined) recall = step.recall;
    return step?.entry.text;
  });
}

describe("history", () => {
  it("UX-IN-8: Up goes to older ones, Down back to the draft, nothing beyond either end", () => {
    expect(walk(list("a", "b"), "", -1, -1, -1, 1, 1, 1)).toEqual(["b", "a", undefined, "b", "", undefined]);
  });
  it("UX-IN-8: with something typed only entries that begin so come up; the draft is kept below", () => {
    expect(walk(list("git a", "ls", "git b"), "git", -1, -1, -1, 1, 1)).toEqual([
      "git b",
      "git a",
      undefined,
      "git b",
      "git",
    ]);
  });
  it("UX-IN-8: duplicates are folded, the newest place counts; blank texts are left out", () => {
    expect(withEntry(list("a", "b"), { text: "a" }).map((e) => e.text)).toEqual(["b", "a"]);
    expect(withEntry(list("a"), { text: " \n" }).length).toBe(1);
    expect(withEntry(list("a", "b", "c"), { text: "d" }, 2).map((e) => e.text)).toEqual(["c", "d"]);
  });
  it("UX-IN-14: pastes are kept with the text and come back as pastes", () => {
    const env = { at: 0, width: 40 };
    const sent = edit(edit(EMPTY, { op: "insert", text: "see " }, env), { op: "paste", text: "x\n".repeat(9) }, env);
    const entry = historyEntry(sent);
    expect(Object.values(entry.chips ?? {})).toEqual(["x\n".repeat(9)]);
    expect(labelled(edit(EMPTY, recallOp(entry), env))).toBe("see [Pasted #1 · 9 lines]");
  });
});

describe("search", () => {
  const scoped = {
    session: list("new"),
    project: list("Fix A", "run b", "fix c", "new"),
    all: list("other fix", "new"),
  };
  it("UX-IN-9: newest match first, again is older, it stays at the last one", () => {
    const search = typeSearch(startSearch(draft("kept")), "fix");
    expect(found(search, scoped)).toMatchObject({ entry: { text: "fix c" }, from: 0, to: 3 });
    const older = olderMatch(search, scoped);
    expect(found(older, scoped)?.entry.text).toBe("Fix A");
    expect(olderMatch(older, scoped)).toBe(older);
    expect(found(typeSearch(older, "fix c"), scoped)?.entry.text).toBe("fix c");
    expect(search.draft.text).toBe("kept");
  });
  it("UX-IN-9: a capital letter makes it exact; Ctrl-S goes through the scopes", () => {
    expect(found(typeSearch(startSearch(draft("")), "Fix"), scoped)?.entry.text).toBe("Fix A");
    expect(found(startSearch(draft("")), scoped)).toBeUndefined();
    const all = nextScope(typeSearch(startSearch(draft("")), "fix"));
    expect([all.scope, found(all, scoped)?.entry.text]).toEqual(["all", "other fix"]);
    expect(found(nextScope(all), scoped)).toBeUndefined();
  });
});
