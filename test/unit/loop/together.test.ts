import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { LogEventOf, SessionEvent } from "../../../src/events/event.ts";
import { loadKey } from "../../../src/events/key.ts";
import { loadLog } from "../../../src/events/load.ts";
import type { Answer, Asker, Question } from "../../../src/permissions/asker.ts";
import { isApart, placesOf } from "../../../src/loop/apart.ts";
import { verifyDecided } from "../../../src/session/verify-landed.ts";
import { entry, summary } from "../../support/questions.ts";
import { checked } from "../../support/recorded.ts";
import { collect, openAt, place, type Place, type SessionInput } from "../../support/session.ts";

type Call = { name: string; input: Record<string, unknown> };
const go = [text("go")];
const write = (name: string, content = `${name}\n`): Call => ({ name: "Write", input: { file_path: name, content } });
const edit = (name: string, from: string, to: string): Call => ({
  name: "Edit",
  input: { file_path: name, old_string: from, new_string: to },
});
const read = (name: string): Call => ({ name: "Read", input: { file_path: name } });
const remove = (name: string): Call => ({ name: "Delete", input: { file_path: name } });

/** A person who can be asked about several calls at once. */
function person(...answers: (Answer | ((question: Question) => Answer))[]): Asker & { asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    together: () => true,
    ask(question) {
      asked.push(question);
      const next = answers.shift() ?? { kind: "yes" };
      return Promise.resolve(typeof next === "function" ? next(question) : next);
    },
    askPerson: () => Promise.resolve(undefined),
  };
}

async function run(
  turns: readonly (readonly Call[])[],
  asker = person(),
  more: Partial<SessionInput> = {},
  at = filled(),
) {
  const script = { turns: [...turns.map((calls) => ({ calls: [...calls] })), { text: "ok" }] };
  const { more: options, ...rest } = more;
  const session = await openAt(at, {
    asker,
    script,
    ...rest,
    more: { defaults: { mode: "ask", model: "scripted" }, ...options },
  });
  const { events, result } = await collect(session.submit(go, new AbortController().signal));
  await session.close();
  return { at, id: session.id, asker, events, result, ends: endsOf(events) };
}
function filled(): Place {
  const at = place("together");
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(at.folder, "b.txt"), "one\ntwo\nthree\n");
  return at;
}
const endsOf = (events: readonly SessionEvent[]) =>
  events.flatMap((e) => (e.type === "call.finished" ? [e.status] : []));
const decidedIn = (events: readonly SessionEvent[]) =>
  events.flatMap((e): LogEventOf<"permission.decided">[] => (e.type === "permission.decided" ? [e] : []));
const lines = (at: Place, name: string) => readFileSync(join(at.folder, name), "utf8");
const paths = (question: Question | undefined) => question?.effect.changes?.entries.map((e) => e.path);
const stepFolders = (at: Place) =>
  readdirSync(at.state, { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:seen\d+|sum)$/.test(name));

describe("P5: neighbouring edits of one reply are one question", () => {
  it("lists all files with their diffs, lands each call as its own step, and asks nothing more", async () => {
    const { at, asker, events, ends } = await run([
      [read("a.txt"), read("b.txt")],
      [edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), write("new/c.txt"), write("new/d.txt")],
    ]);
    expect(asker.asked).toHaveLength(1);
    expect(paths(asker.asked[0])).toEqual(["a.txt", "b.txt", "new/c.txt", "new/d.txt"]);
    expect(asker.asked[0]?.diffs.map((d) => [d.path, d.added, d.removed])).toEqual([
      ["a.txt", 1, 1],
      ["b.txt", 1, 1],
      ["new/c.txt", 1, 0],
      ["new/d.txt", 1, 0],
    ]);
    expect(asker.asked[0]?.together?.map((one) => [one.tool, one.diffs.length])).toEqual([
      ["Edit", 1],
      ["Edit", 1],
      ["Write", 1],
      ["Write", 1],
    ]);
    expect(ends).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
    expect(lines(at, "a.txt")).toBe("1\ntwo\nthree\n");
    expect(lines(at, "new/c.txt")).toBe("new/c.txt\n");
    const landed = events.filter((e) => e.type === "changes.landed");
    expect(new Set(landed.map((e) => e.operationId)).size).toBe(4);
    expect(decidedIn(events).map((e) => [e.by, e.outcome, e.questionId === asker.asked[0]?.id])).toEqual(
      Array.from({ length: 4 }, () => ["person", "allow", true]),
    );
    expect(stepFolders(at)).toEqual([]);
  });
  it("each yes is to exactly what was shown: what comes out otherwise is asked anew, the others are not", async () => {
    const at = filled();
    const asker = person(() => {
      writeFileSync(join(at.folder, "b.txt"), "zero\none\ntwo\nthree\n");
      return { kind: "yes" };
    });
    const { ends } = await run(
      [
        [read("a.txt"), read("b.txt")],
        [edit("a.txt", "one", "1"), remove("n.txt"), write("c.txt"), write("d.txt")],
      ],
      asker,
      {},
      at,
    );
    expect(ends.at(-1)).toBe("ok");
    expect(asker.asked).toHaveLength(1);
    const other = filled();
    const changing = person((question) => {
      expect(question.together).toHaveLength(3);
      writeFileSync(join(other.folder, "c.txt"), "somebody's\n");
      return { kind: "yes" };
    });
    const second = await run(
      [[read("a.txt")], [edit("a.txt", "one", "1"), write("c.txt"), write("d.txt")]],
      changing,
      {},
      other,
    );
    // A file that is there must be read before it is written over.
    expect(second.ends).toEqual(["ok", "ok", "error", "ok"]);
    expect(lines(other, "c.txt")).toBe("somebody's\n");
    expect(changing.asked).toHaveLength(1);
  });
  it("a mode that changed meanwhile is another result, and asked anew", async () => {
    const at = filled();
    const asker = person(() => {
      chmodSync(join(at.folder, "b.txt"), 0o600);
      return { kind: "yes" };
    });
    const { ends } = await run(
      [
        [read("a.txt"), read("b.txt")],
        [edit("a.txt", "one", "1"), edit("b.txt", "one", "1")],
      ],
      asker,
      {},
      at,
    );
    expect(ends).toEqual(["ok", "ok", "ok", "ok"]);
    expect(asker.asked.map((q) => paths(q))).toEqual([["a.txt", "b.txt"], ["b.txt"]]);
  });
  it("files and hunks are left out by call: what all of it was left out of is denied, the rest lands", async () => {
    const left = [{ root: 0, path: "a.txt" }];
    const { at, asker, ends, events } = await run(
      [
        [read("a.txt"), read("b.txt")],
        [edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), write("c.txt")],
      ],
      person({ kind: "yes", left }),
    );
    expect(asker.asked).toHaveLength(1);
    expect(ends).toEqual(["ok", "ok", "denied", "ok", "ok"]);
    expect([lines(at, "a.txt"), lines(at, "b.txt")]).toEqual(["one\ntwo\nthree\n", "one\n2\nthree\n"]);
    expect(JSON.stringify(events)).toContain("the person left it out of what they allowed");
    const later = await run(
      [[read("a.txt")], [edit("a.txt", "one", "1"), write("c.txt"), write("d.txt")]],
      person({ kind: "yes", left: [{ root: 0, path: "c.txt" }] }),
    );
    expect(later.ends).toEqual(["ok", "ok", "denied", "ok"]);
    expect(existsSync(join(later.at.folder, "c.txt"))).toBe(false);
  });
  it("what lands in between is shown: a call that touches what an earlier one touches is asked about by itself", async () => {
    const at = filled();
    const seen: string[][] = [];
    const asker = person(
      ...Array.from({ length: 2 }, () => (question: Question): Answer => {
        seen.push(question.diffs.flatMap((d) => (d.hunks ?? []).flatMap((hunk) => hunk.lines)));
        return { kind: "yes" };
      }),
    );
    const { ends } = await run(
      [[write("package.json", "evil\n"), write("c.txt"), write("package.json", "harmless\n"), write("d.txt")]],
      asker,
      {},
      at,
    );
    expect(ends).toEqual(["ok", "ok", "ok", "ok"]);
    expect(asker.asked.map((q) => paths(q))).toEqual([
      ["c.txt", "package.json"],
      ["d.txt", "package.json"],
    ]);
    expect(seen.map((all) => all.some((of) => of.includes("evil")))).toEqual([true, true]);
    expect(lines(at, "package.json")).toBe("harmless\n");
  });
  it.each([
    [["/w/a"], ["/w/a"], false],
    [["/w/a"], ["/w/a/b"], false],
    [["/w/a/b"], ["/w/a"], false],
    [["/w/a"], ["/w/ab", "/w/b"], true],
    [["/w/b", "/w/c"], ["/w/a", "/w/c/d"], false],
  ])("neighbours are apart by whole names: %j and %j", (one, others, apart) => {
    expect(isApart(one, others)).toBe(apart);
  });
  it("letter case makes no other place of a path, nor does the root that it is counted from; new folders are none", () => {
    const roots = ["/w", "/w/sub"].map((path) => ({ path, kind: "folder" as const }));
    const changes = summary([
      entry("sub/A.txt"),
      { ...entry("a.txt"), root: 1 },
      { ...entry("new"), op: "create", type: "folder" },
    ]);
    expect(new Set(placesOf(changes, roots))).toEqual(new Set(["/w/sub/a.txt"]));
  });
  it("an edit whose ground somebody else changed meanwhile is asked anew", async () => {
    const other = filled();
    const { asker, ends } = await run(
      [
        [read("a.txt"), read("b.txt")],
        [edit("a.txt", "one", "1"), write("c.txt"), edit("b.txt", "three", "3")],
      ],
      // Somebody else changes the file while the question is open.
      person(() => {
        writeFileSync(join(other.folder, "b.txt"), "one\ntwo\nthree\nfour\n");
        return { kind: "yes" };
      }),
      {},
      other,
    );
    expect(asker.asked.map((q) => paths(q))[0]).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect(ends.slice(0, 4)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(asker.asked.length > 1 || ends[4] === "error").toBe(true);
  });
  it("a no with a word is a no to all of them and goes on; a bare one ends it", async () => {
    const calls = [write("c.txt"), write("d.txt")];
    const noted = await run([calls], person({ kind: "no", note: "not there" }));
    expect(noted.ends).toEqual(["denied", "denied"]);
    expect(noted.asker.asked).toHaveLength(1);
    expect(decidedIn(noted.events).map((e) => e.note)).toEqual(["not there", "not there"]);
    const bare = await run([calls], person({ kind: "no" }));
    expect(bare.ends).toEqual(["denied", "interrupted"]);
    expect(bare.result.reason).toBe("denied");
  });
  it("P4: no more than ten files are in one question", async () => {
    const many = Array.from({ length: 12 }, (_, i) => write(`f${i}.txt`));
    expect((await run([many])).asker.asked.map((q) => paths(q)?.length)).toEqual([10, 2]);
  });
  it("high risk and other calls end the row: each is asked about as before", async () => {
    const mixed = await run([
      [read("a.txt")],
      [write("c.txt"), write("d.txt"), remove("b.txt"), write(".envrc"), write("e.txt"), read("c.txt"), write("f.txt")],
    ]);
    expect(mixed.asker.asked.map((q) => [q.decision.risk, paths(q)])).toEqual([
      ["medium", ["c.txt", "d.txt"]],
      ["high", ["b.txt"]],
      ["high", [".envrc"]],
      ["medium", ["e.txt"]],
      ["medium", ["f.txt"]],
    ]);
  });
  it("P6: so do rules, of either kind", async () => {
    const ruled = await run([[write("c.txt"), write("d.txt"), write("e.txt")]], person(), {
      rules: [{ action: "ask", text: "Edit(/d.txt)", source: "user" }],
    });
    expect(ruled.asker.asked.map((q) => paths(q))).toEqual([["c.txt"], ["d.txt"], ["e.txt"]]);
    const denied = await run([[write("c.txt"), write("d.txt"), write("e.txt")]], person(), {
      rules: [{ action: "deny", text: "Edit(/d.txt)", source: "user" }],
    });
    expect(denied.ends).toEqual(["ok", "denied", "ok"]);
    expect(denied.asker.asked.map((q) => paths(q))).toEqual([["c.txt"], ["e.txt"]]);
  });
  it("P8: plan mode, chosen while it is open, answers no to all of them", async () => {
    const at = filled();
    const script = { turns: [{ calls: [write("c.txt"), write("d.txt")] }, { text: "ok" }] };
    const asker = person(() => {
      void session.setMode("plan");
      return { kind: "yes" };
    });
    const session = await openAt(at, { asker, script, more: { defaults: { mode: "ask", model: "scripted" } } });
    const { events } = await collect(session.submit(go, new AbortController().signal));
    await session.close();
    expect(endsOf(events)).toEqual(["denied", "denied"]);
    expect(asker.asked).toHaveLength(1);
    expect(existsSync(join(at.folder, "c.txt"))).toBe(false);
  });
  it("E5, E6: played again it is asked and answered as it was, and the log proves what each yes was to", async () => {
    const start = filled();
    const { at, id } = await run(
      [[read("a.txt")], [edit("a.txt", "one", "1"), write("c.txt"), write("d.txt"), write("e.txt")]],
      person({ kind: "yes", left: [{ root: 0, path: "c.txt" }] }),
    );
    const dirs = { sessionsDir: join(at.state, "sessions"), contentDir: join(at.state, "content") };
    const { events: facts } = await loadLog({ ...dirs, sessionId: id, key: loadKey(join(at.config, "key")) });
    expect(verifyDecided(facts).breaches).toEqual([]);
    const other = facts.map((e) => (e.type === "permission.asked" ? { ...e, along: e.along?.slice(0, 1) } : e));
    expect(verifyDecided(other).breaches).toHaveLength(2);
    const changed = facts.map((e) => (e.type === "permission.decided" ? { ...e, shown: "00" } : e));
    expect(verifyDecided(changed).breaches).toHaveLength(2);
    const report = await checked(facts, start.folder);
    expect(report.divergence).toBeUndefined();
    expect(report.calls).toBe(5);
  });
  it("an asker that doesn't take several is asked about each alone; auto mode asks nothing", async () => {
    const alone = person();
    delete alone.together;
    expect((await run([[write("c.txt"), write("d.txt")]], alone)).asker.asked.map((q) => paths(q))).toEqual([
      ["c.txt"],
      ["d.txt"],
    ]);
    const auto = await run([[write("c.txt"), write("d.txt")]], person(), {
      more: { defaults: { mode: "auto", model: "scripted" } },
    });
    expect(auto.asker.asked).toEqual([]);
  });
});
