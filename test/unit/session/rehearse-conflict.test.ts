import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadKey } from "../../../src/events/key.ts";
import { pendingEntries, pendingFiles } from "../../../src/events/layers.ts";
import { loadLog } from "../../../src/events/load.ts";
import { openStore } from "../../../src/session/store.ts";
import { verifyDecided } from "../../../src/session/verify-landed.ts";
import { openRig, type Rig } from "../../support/rig.ts";
import { place, type Place } from "../../support/session.ts";

const rehearsing = { more: { rehearse: true } };
const write = (at: Place, name: string, text: string | Buffer): void => writeFileSync(join(at.folder, name), text);
const read = (at: Place, name: string): string => readFileSync(join(at.folder, name), "utf8");
const lines = (change: Record<number, string> = {}): string =>
  Array.from({ length: 20 }, (_, n) => `${change[n] ?? `line ${n}`}\n`).join("");
const waits = (rig: Rig): string[] =>
  pendingEntries(rig.session.state())
    .map((e) => `${e.op} ${e.path}`)
    .toSorted();
const lastNote = (rig: Rig): string => {
  const note = rig.session.state().items.findLast((item) => item.kind === "note");
  return note?.kind === "note" ? note.text : "";
};

/** A file of twenty lines of which the rehearsal changed 2, 9 and 16, and the folder 9. */
async function clashed(name = "a.txt"): Promise<{ at: Place; rig: Rig; mine: string }> {
  const at = place("re");
  write(at, name, lines());
  const rig = await openRig(at, "ask", rehearsing);
  await rig.bash(`sed -i 's/line 2$/ours 2/; s/line 9$/ours 9/; s/line 16$/ours 16/' ${name}`);
  const mine = lines({ 9: "mine 9" });
  write(at, name, mine);
  return { at, rig, mine };
}

/** Opens a review and says no: what the screen is shown. */
async function shown(rig: Rig) {
  rig.answerNext({ kind: "no" });
  await rig.session.land();
  return rig.lastAsked().review?.conflicts ?? [];
}

describe("a rehearsed file in conflict", () => {
  it("W6: both sides' lines are shown with what they were, and nothing lands of it unasked", async () => {
    const { at, rig, mine } = await clashed();
    const [conflict, ...more] = await shown(rig);
    expect(more).toEqual([]);
    expect(conflict).toMatchObject({ path: "a.txt", ways: ["take", "beside"] });
    expect(conflict?.hunks.map((h) => h.was)).toEqual([undefined, ["line 9"], undefined]);
    expect(conflict?.hunks[1]).toMatchObject({
      oldStart: 7,
      lines: [" line 6", " line 7", " line 8", "-mine 9", "+ours 9", " line 10", " line 11", " line 12"],
    });
    const report = await rig.session.land({ yes: true });
    expect(report).toMatchObject({ ok: false, paths: [] });
    expect(report.text).toContain("Nothing can land: a.txt: it was changed meanwhile in the same lines.");
    expect(report.text).toContain("--take PATH lands the rehearsed version over yours");
    expect(read(at, "a.txt")).toBe(mine);
    await rig.session.close();
  });

  it("W6: taken, the rehearsed lines land over the folder's, the folder's other lines stay, and one undo gives all back", async () => {
    const { at, rig, mine } = await clashed();
    write(at, "a.txt", mine.replace("line 19", "mine 19"));
    const report = await rig.session.land({ yes: true, take: ["a.txt"] });
    expect(report).toMatchObject({
      ok: true,
      text: "Landed: 1 file. a.txt: the rehearsed version landed over yours.",
    });
    expect(read(at, "a.txt")).toBe(lines({ 2: "ours 2", 9: "ours 9", 16: "ours 16", 19: "mine 19" }));
    expect(lastNote(rig)).toContain(
      "The person had changed these too, and settled it: a.txt (your version landed over theirs). Read them again before you edit them.",
    );
    expect(pendingFiles(rig.session.state())).toBe(0);
    const edit = await rig.call("Edit", { file_path: "a.txt", old_string: "ours 2", new_string: "x" });
    expect(edit.status).toBe("error");
    expect(await rig.session.undo()).toMatchObject({ ok: true });
    expect(read(at, "a.txt")).toBe(mine.replace("line 19", "mine 19"));
    await rig.session.close();
  });

  it("W6: what fits lands, what both sides changed stays pending and in conflict", async () => {
    const { at, rig } = await clashed();
    const report = await rig.session.land({ yes: true, fitting: ["a.txt"] });
    expect(report).toMatchObject({ ok: true });
    expect(report.text).toContain("a.txt: in part, landed: line 1, 14, pending: line 7. 1 file still pending.");
    const now = lines({ 2: "ours 2", 9: "mine 9", 16: "ours 16" });
    expect(read(at, "a.txt")).toBe(now);
    expect(waits(rig)).toEqual(["modify a.txt"]);
    expect(lastNote(rig)).toContain("a.txt (landed what begins at line 1, 14, still pending line 7)");
    // Commands go on seeing the rehearsed line, and the rest is in conflict as before.
    expect((await rig.bash("sed -n '3p;10p;17p' a.txt")).result).toBe("ours 2\nours 9\nours 16");
    const [conflict] = await shown(rig);
    expect(conflict?.hunks.map((h) => [h.was, h.lines.filter((l) => !l.startsWith(" "))])).toEqual([
      [["line 9"], ["-mine 9", "+ours 9"]],
    ]);
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: false });
    expect(read(at, "a.txt")).toBe(now);
    // The person takes their own line back: it fits now.
    write(at, "a.txt", now.replace("mine 9", "line 9"));
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true });
    expect(read(at, "a.txt")).toBe(lines({ 2: "ours 2", 9: "ours 9", 16: "ours 16" }));
    await rig.session.close();
  });

  it("W6: by hunk: one that is left out is dropped, one that both changed lands where it is named", async () => {
    const { at, rig } = await clashed();
    const report = await rig.session.land({ yes: true, without: ["a.txt#2", "a.txt#3"] });
    expect(report.text).toContain("a.txt: in part, landed: line 1, dropped: line 7, 14.");
    expect(read(at, "a.txt")).toBe(lines({ 2: "ours 2", 9: "mine 9" }));
    expect(pendingFiles(rig.session.state())).toBe(0);
    expect((await rig.bash("sed -n '10p;17p' a.txt")).result).toBe("mine 9\nline 16");
    await rig.session.close();

    const other = await clashed();
    await other.rig.session.land({ yes: true, take: ["a.txt#2"], without: ["a.txt#1"] });
    expect(read(other.at, "a.txt")).toBe(lines({ 9: "ours 9", 16: "ours 16" }));
    await other.rig.session.close();
  });

  it("W6, E6: the yes to a settled conflict is in the log, so that its landing is proven; without it, it is found", async () => {
    const { at, rig } = await clashed();
    write(at, "b.txt", "fits\n");
    await rig.bash("echo more >> b.txt");
    await rig.session.land({ yes: true, take: ["a.txt"] });
    const { id } = rig.session;
    await rig.session.close();
    const { sessions, content, key } = openStore({ config: at.config, state: at.state });
    const { events } = await loadLog({
      sessionsDir: sessions,
      contentDir: content,
      sessionId: id,
      key: loadKey(key),
    });
    const decided = events.findLast((e) => e.type === "permission.decided");
    expect(decided).toMatchObject({ settled: [{ root: 0, path: "a.txt" }] });
    expect(verifyDecided(events)).toMatchObject({ breaches: [] });
    const silent = events.map((e) => (e.type === "permission.decided" ? { ...e, settled: undefined } : e));
    expect(verifyDecided(silent).breaches).toMatchObject([{ what: "a.txt landed and was not proposed so" }]);
  });

  it("W6: what is named wrongly lands nothing", async () => {
    const { at, rig, mine } = await clashed();
    await rig.bash("echo b > b.txt");
    const wrong = async (how: object): Promise<string> =>
      rig.session.land({ yes: true, ...how }).then(
        (r) => `landed ${r.text}`,
        (error: unknown) => String(error),
      );
    expect(await wrong({ take: ["b.txt"] })).toBe("UsageError: nothing in conflict is at b.txt");
    expect(await wrong({ take: ["a.txt#4"] })).toBe("UsageError: a.txt has hunks 1 to 3");
    expect(await wrong({ take: ["a.txt"], beside: ["a.txt"] })).toBe("UsageError: a.txt is named in two ways");
    expect(await wrong({ take: ["a.txt#2"], without: ["a.txt#2"] })).toBe("UsageError: a.txt is named in two ways");
    expect(await wrong({ fitting: ["c.txt"] })).toBe("UsageError: nothing in conflict is at c.txt");
    expect([read(at, "a.txt"), existsSync(join(at.folder, "b.txt"))]).toEqual([mine, false]);
    expect(waits(rig)).toEqual(["create b.txt", "modify a.txt"]);
    await rig.session.close();
  });

  it("W6: both versions go with marks into a new file beside the folder's, under a free name", async () => {
    const { at, rig, mine } = await clashed();
    write(at, "a.txt.both", "there\n");
    const report = await rig.session.land({ yes: true, beside: ["a.txt"] });
    expect(report).toMatchObject({ ok: true });
    expect(report.text).toContain("a.txt: yours stays, both are in a.txt.both.2.");
    expect([read(at, "a.txt"), read(at, "a.txt.both")]).toEqual([mine, "there\n"]);
    expect(read(at, "a.txt.both.2")).toBe(
      lines({
        2: "ours 2",
        9: "<<<<<<< folder\nmine 9\n||||||| before\nline 9\n=======\nours 9\n>>>>>>> rehearsed",
        16: "ours 16",
      }),
    );
    expect(pendingFiles(rig.session.state())).toBe(0);
    expect((await rig.bash("sed -n 10p a.txt; ls")).result).toBe("mine 9\na.txt\na.txt.both\na.txt.both.2");
    await rig.session.close();
  });

  it("W6: deleted on one side, changed on the other; made on both; no text; only a mode; something else now", async () => {
    const at = place("re");
    for (const name of ["gone-there", "gone-here", "mode", "kind"]) write(at, name, lines());
    write(at, "bytes", Buffer.from([0, 1, 2]));
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash(
      "echo more >> gone-there; rm gone-here; echo new > made; printf '\\0ours' > bytes; chmod 600 mode; rm kind; ln -s made kind",
    );
    const fill = (): void => {
      rmSync(join(at.folder, "gone-there"), { force: true });
      write(at, "gone-here", "mine\n");
      write(at, "made", "mine\n");
      write(at, "bytes", Buffer.from("\0mine"));
      chmodSync(join(at.folder, "mode"), 0o640);
      write(at, "kind", "mine\n");
    };
    fill();
    const conflicts = await shown(rig);
    expect(conflicts.map((c) => [c.path, c.ways, c.hunks.length])).toEqual([
      ["bytes", ["take", "beside"], 0],
      ["gone-here", ["take"], 0],
      ["gone-there", ["take", "beside"], 0],
      ["kind", ["take"], 0],
      ["made", ["take", "beside"], 1],
      ["mode", ["take"], 0],
    ]);
    expect(conflicts.find((c) => c.path === "gone-there")?.sides?.folder).toBe("not there");
    expect(conflicts.find((c) => c.path === "kind")?.sides?.rehearsed).toBe("a link to made");
    const names = conflicts.map((c) => c.path);
    const report = await rig.session.land({ yes: true, take: names });
    expect(report).toMatchObject({ ok: true });
    expect([read(at, "gone-there"), existsSync(join(at.folder, "gone-here")), read(at, "made")]).toEqual([
      `${lines()}more\n`,
      false,
      "new\n",
    ]);
    expect(read(at, "bytes")).toBe("\0ours");
    expect([statSync(join(at.folder, "mode")).mode & 0o777, readlinkSync(join(at.folder, "kind"))]).toEqual([
      0o600,
      "made",
    ]);
    expect(await rig.session.undo()).toMatchObject({ ok: true });
    expect([existsSync(join(at.folder, "gone-there")), read(at, "gone-here"), read(at, "kind")]).toEqual([
      false,
      "mine\n",
      "mine\n",
    ]);
    expect(lstatSync(join(at.folder, "mode")).mode & 0o777).toBe(0o640);
    await rig.session.close();
  });

  it("W6: beside goes the rehearsed version of what is no text on both sides; dropped, the folder's stays", async () => {
    const at = place("re");
    write(at, "gone", lines());
    write(at, "bytes", Buffer.from([0, 1, 2]));
    write(at, "kind", "k\n");
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("echo more >> gone; printf '\\0ours' > bytes; rm kind; mkdir kind; echo in > kind/in");
    rmSync(join(at.folder, "gone"));
    write(at, "bytes", Buffer.from("\0mine"));
    write(at, "kind", "mine\n");
    const report = await rig.session.land({ yes: true, beside: ["gone", "bytes"], without: ["kind"] });
    expect(report).toMatchObject({ ok: true });
    expect(readdirSync(at.folder)).toEqual(["bytes", "bytes.rehearsed", "gone.rehearsed", "kind"]);
    expect([read(at, "gone.rehearsed"), read(at, "bytes.rehearsed"), read(at, "bytes"), read(at, "kind")]).toEqual([
      `${lines()}more\n`,
      "\0ours",
      "\0mine",
      "mine\n",
    ]);
    expect(waits(rig)).toEqual([]);
    expect(lastNote(rig)).toContain("kind (theirs stays, yours is dropped)");
    await rig.session.close();
  });

  it("W6: a file that was renamed only, and changed meanwhile under its old name, takes the folder's text along", async () => {
    const at = place("re");
    mkdirSync(join(at.folder, "d"));
    write(at, "old", lines());
    symlinkSync("old", join(at.folder, "link"));
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("mv old d/new");
    write(at, "old", lines({ 3: "mine 3" }));
    chmodSync(join(at.folder, "old"), 0o600);
    rig.answerNext({ kind: "yes" });
    const report = await rig.session.land();
    expect(rig.lastAsked().review).toEqual({ conflicts: [], merged: ["d/new"] });
    expect(report).toMatchObject({ ok: true });
    expect([read(at, "d/new"), existsSync(join(at.folder, "old"))]).toEqual([lines({ 3: "mine 3" }), false]);
    expect(statSync(join(at.folder, "d/new")).mode & 0o777).toBe(0o600);
    await rig.session.undo();
    expect([read(at, "old"), existsSync(join(at.folder, "d/new"))]).toEqual([lines({ 3: "mine 3" }), false]);
    await rig.session.close();
  });

  it("W6: the screen's answer settles by place; a file that changes once more lands nothing at all", async () => {
    const { at, rig, mine } = await clashed();
    await rig.bash("echo b > b.txt");
    const session = rig.session;
    rig.answerNext({ kind: "yes", settled: [{ at: 0, how: { take: [1], drop: [0] } }] });
    expect(await session.land()).toMatchObject({ ok: true });
    expect(read(at, "a.txt")).toBe(lines({ 9: "ours 9" }));
    expect(read(at, "b.txt")).toBe("b\n");
    // The hunk that was neither taken nor dropped waits on, and fits.
    expect(waits(rig)).toEqual(["modify a.txt"]);
    expect(await session.land({ yes: true })).toMatchObject({ ok: true });
    expect(read(at, "a.txt")).toBe(lines({ 9: "ours 9", 16: "ours 16" }));
    expect(mine).not.toBe(read(at, "a.txt"));
    await session.close();
  });

  it("W6: conflicts alone can be dropped, and what goes on pending survives a restart", async () => {
    const { at, rig, mine } = await clashed();
    const id = rig.session.id;
    expect((await rig.session.land({ yes: true, fitting: ["a.txt"], without: ["a.txt#1", "a.txt#3"] })).text).toContain(
      "Landed: nothing. a.txt: in part, dropped: line 1, 14, pending: line 7.",
    );
    expect(read(at, "a.txt")).toBe(mine);
    await rig.session.close();
    const again = await openRig(at, "ask", { more: { resume: id } });
    expect((await again.bash("sed -n '3p;10p;17p' a.txt")).result).toBe("line 2\nours 9\nline 16");
    expect((await again.session.land({ yes: true, without: ["a.txt"] })).text).toContain(
      "a.txt: yours stays, the rehearsed one is dropped.",
    );
    expect([read(at, "a.txt"), pendingFiles(again.session.state())]).toEqual([mine, 0]);
    await again.session.close();
  });
});
