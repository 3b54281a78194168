import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toMessages } from "../../../src/events/messages.ts";
import type { Session } from "../../../src/session/session.ts";
import { openRig, type Rig } from "../../support/rig.ts";
import { place, type Place } from "../../support/session.ts";

const TEN = Array.from({ length: 10 }, (_, n) => `line ${n}`).join("\n");

/** Three steps: a.txt's line 1, its line 8, a new file. Gives their ids. */
async function threeSteps(at: Place, rig: Rig): Promise<string[]> {
  writeFileSync(join(at.folder, "a.txt"), TEN);
  await rig.call("Read", { file_path: "a.txt" });
  await rig.call("Edit", { file_path: "a.txt", old_string: "line 1", new_string: "LINE 1" }, "yes");
  await rig.call("Edit", { file_path: "a.txt", old_string: "line 8", new_string: "LINE 8" }, "yes");
  await rig.call("Write", { file_path: "new.txt", content: "new\n" }, "yes");
  return rig.session.state().steps.map((s) => s.operationId);
}

/** All that the model is sent, as one text. */
function told(session: Session): string {
  return JSON.stringify(toMessages(session.state()));
}

describe("undo in a session", () => {
  it("W4: the newest, then the one before; the files are named, the model is told, and has to read again", async () => {
    const at = place("undo");
    const rig = await openRig(at);
    await threeSteps(at, rig);
    expect(await rig.session.undo()).toMatchObject({ ok: true, text: "Undone: new.txt (1 file)." });
    expect(existsSync(join(at.folder, "new.txt"))).toBe(false);
    expect(await rig.session.undo()).toMatchObject({ ok: true, text: "Undone: a.txt (1 file)." });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(TEN.replace("line 1", "LINE 1"));
    expect(told(rig.session)).toContain("The person undid a step: a.txt is as before.");
    // What it read is forgotten with the rest.
    const edit = await rig.call("Write", { file_path: "a.txt", content: "x" }, "yes");
    expect(edit).toMatchObject({ status: "error", result: expect.stringMatching(/read/i) as unknown });
    expect(await rig.session.redo()).toMatchObject({ ok: true, text: "Redone: a.txt (1 file)." });
    expect(await rig.session.redo()).toMatchObject({ ok: true, text: "Redone: new.txt (1 file)." });
    expect(await rig.session.redo()).toMatchObject({ ok: false, text: "Nothing to redo in this session." });
    expect(readFileSync(join(at.folder, "new.txt"), "utf8")).toBe("new\n");
    await rig.session.close();
  });

  it("W4: a step in the middle: with the later one, or its lines alone; after a restart too, and back as one", async () => {
    const at = place("undo");
    const first = await openRig(at);
    const [one = "", two = ""] = await threeSteps(at, first);
    const id = first.session.id;
    await first.session.close();
    const { session } = await openRig(at, "ask", { more: { resume: id } });
    const preview = await session.previewStep("undo", one);
    expect(preview).toMatchObject({
      alone: { conflicts: [{ path: "a.txt", why: "it was changed since" }] },
      along: { conflicts: [], steps: [{ operationId: two, text: "a.txt" }, { operationId: one }] },
      merged: { conflicts: [], merged: ["a.txt"], diffs: [{ path: "a.txt", op: "modify", added: 1, removed: 1 }] },
    });
    const refused = await session.undo(one);
    expect(refused.ok).toBe(false);
    expect(refused.text).toMatch(
      /^Nothing was undone: a.txt: it was changed since\. Possible is: undo 1 later step .*; or keep the later lines/,
    );
    expect(await session.undo(one, "along")).toMatchObject({ ok: true, text: "Undone: a.txt (2 steps, 1 file)." });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(TEN);
    expect(await session.redo()).toMatchObject({ ok: true, text: "Redone: a.txt (2 steps, 1 file)." });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(
      TEN.replace("line 1", "LINE 1").replace("line 8", "LINE 8"),
    );
    expect(await session.undo(one, "merge")).toMatchObject({
      ok: true,
      text: "Undone: a.txt (1 file). Later lines stayed in a.txt.",
    });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(TEN.replace("line 8", "LINE 8"));
    expect(told(session)).toContain("In a.txt lines of later changes stayed.");
    expect(await session.redo(one)).toMatchObject({ ok: true });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toContain("LINE 1\nline 2");
    await session.close();
  });

  it("W4: never over what the person changed since: the path is named, nothing is touched", async () => {
    const at = place("undo");
    const { session, ...rig } = await openRig(at);
    const [one = "", two = ""] = await threeSteps(at, { session, ...rig });
    const mine = readFileSync(join(at.folder, "a.txt"), "utf8").replace("LINE 8", "mine");
    writeFileSync(join(at.folder, "a.txt"), mine);
    for (const [id, how] of [
      [one, "along"],
      [two, "alone"],
      [two, "merge"],
    ] as const) {
      const report = await session.undo(id, how);
      expect(report).toMatchObject({ ok: false, paths: ["a.txt"] });
      expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(mine);
    }
    // Its own lines nobody touched.
    expect(await session.undo(one, "merge")).toMatchObject({ ok: true });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(mine.replace("LINE 1", "line 1"));
    expect(await session.undo("op_nowhere")).toMatchObject({
      ok: false,
      text: expect.stringContaining("no step op_nowhere") as unknown,
    });
    await session.close();
  });

  it("W8: what another session undid is known at the next message, with a note that says by whom", async () => {
    const at = place("undo");
    const rig = await openRig(at);
    const [one = "", two = "", three = ""] = await threeSteps(at, rig);
    const other = await openRig(at);
    expect(await other.session.undo(two)).toMatchObject({ ok: true });
    await rig.call("Read", { file_path: "a.txt" });
    expect(rig.session.state().steps.find((s) => s.operationId === two)?.status).toBe("undone");
    const messages = told(rig.session);
    expect(messages).toContain(`in another session (${other.session.id})`);
    expect(messages).toContain("a.txt is as before");
    // Told once, and its own undo is no news.
    await rig.session.undo(one);
    await rig.call("Read", { file_path: "a.txt" });
    expect(rig.session.state().items.filter((i) => i.kind === "note" && i.text.includes("undid"))).toHaveLength(2);
    const id = rig.session.id;
    await rig.session.close();
    // Closed meanwhile: the person is told as well.
    expect(await other.session.undo(three)).toMatchObject({ ok: true });
    const again = await openRig(at, "ask", { more: { resume: id } });
    expect(again.session.notices.join("\n")).toMatch(
      /in another session \(.*\), undid a step of this session: new\.txt is as before\.$/,
    );
    await again.session.close();
    await other.session.close();
  });
});

describe("rewind", () => {
  it("W4: files, conversation or both, back to before a message; a preview says what it will do", async () => {
    const at = place("rewind");
    const rig = await openRig(at);
    await threeSteps(at, rig);
    const { session } = rig;
    await rig.call("TodoWrite", { todos: [{ text: "later", status: "pending" }] });
    const points = session.rewindPoints();
    // Read, two edits, a file, the list of todos.
    expect(points.map((p) => [p.text, p.files])).toEqual([
      ["go", 0],
      ["go", 1],
      ["go", 1],
      ["go", 1],
      ["go", 0],
    ]);
    const to = points[2]?.to ?? 0;
    const preview = await session.previewRewind(to);
    expect(preview).toMatchObject({ prompts: 3, outside: [], undone: 0, files: { alone: { conflicts: [] } } });
    expect(preview.files?.alone.diffs.map((d) => [d.path, d.op, d.added, d.removed])).toEqual([
      ["new.txt", "delete", 0, 1],
      ["a.txt", "modify", 1, 1],
    ]);
    expect(await session.rewind(to, "both")).toMatchObject({
      ok: true,
      text: 'Undone: new.txt and a.txt (2 steps, 2 files). The conversation is as it was before "go".',
    });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(TEN.replace("line 1", "LINE 1"));
    expect(existsSync(join(at.folder, "new.txt"))).toBe(false);
    expect(session.rewindPoints().map((p) => p.to)).toEqual(points.slice(0, 2).map((p) => p.to));
    expect(told(session)).not.toContain("LINE 8");
    expect(session.state().todos).toEqual([]);
    // What it read is forgotten with the rest.
    const edit = await rig.call("Write", { file_path: "a.txt", content: "x" }, "yes");
    expect(edit.status).toBe("error");
    // After a restart it is the same conversation.
    const id = session.id;
    const messages = told(session);
    await session.close();
    const again = await openRig(at, "ask", { more: { resume: id } });
    expect(told(again.session)).toBe(messages);
    await again.session.close();
  });

  it("W4: the conversation alone: the model is told which files stay; the files alone: the conversation goes on", async () => {
    const at = place("rewind");
    const rig = await openRig(at);
    const { session } = rig;
    await threeSteps(at, rig);
    const [, , third] = session.rewindPoints();
    await session.rewind(third?.to ?? 0, "files");
    expect(existsSync(join(at.folder, "new.txt"))).toBe(false);
    expect(session.rewindPoints()).toHaveLength(4);
    expect(told(session)).toContain("The person undid 2 steps: new.txt and a.txt are as before.");
    await session.redo();
    expect(existsSync(join(at.folder, "new.txt"))).toBe(true);
    await session.rewind(third?.to ?? 0, "conversation");
    expect(existsSync(join(at.folder, "new.txt"))).toBe(true);
    expect(told(session)).toMatch(/these files stay as they were changed after it: a\.txt, new\.txt\./);
    await expect(session.rewind(third?.to ?? 0, "both")).rejects.toThrow("no message");
    await session.close();
  });

  it("W4: a step of before that was undone and redone since stays; one that was undone stays undone", async () => {
    const at = place("rewind");
    const rig = await openRig(at);
    const [one = "", two = "", three = ""] = await threeSteps(at, rig);
    const { session } = rig;
    await session.undo(one, "merge");
    await session.redo(one);
    await session.undo(three);
    const to = session.rewindPoints()[2]?.to ?? 0;
    const preview = await session.previewRewind(to);
    expect(preview).toMatchObject({ undone: 1, files: { asked: [two], alone: { conflicts: [] } } });
    expect(await session.rewind(to, "files")).toMatchObject({ ok: true });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(TEN.replace("line 1", "LINE 1"));
    expect(existsSync(join(at.folder, "new.txt"))).toBe(false);
    await session.close();
  });

  it("W4: where the person changed a file since, nothing is rewound, not the conversation either", async () => {
    const at = place("rewind");
    const rig = await openRig(at);
    await threeSteps(at, rig);
    writeFileSync(join(at.folder, "new.txt"), "mine\n");
    const points = rig.session.rewindPoints();
    const report = await rig.session.rewind(points[1]?.to ?? 0, "both");
    expect(report).toMatchObject({ ok: false, paths: ["new.txt"] });
    expect(readFileSync(join(at.folder, "new.txt"), "utf8")).toBe("mine\n");
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toContain("LINE 8");
    expect(rig.session.rewindPoints()).toHaveLength(4);
    await rig.session.close();
  });
});
