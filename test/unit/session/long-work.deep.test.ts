import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WORK_FILES } from "../../../src/loop/feature-list.ts";
import { talkingModel, taskCall } from "../../support/agents.ts";
import {
  bash,
  begun,
  featureOf,
  git,
  ids,
  listIn,
  listText,
  repository,
  resultsOf,
  tick,
  tries,
  wanted,
  work,
  write,
} from "../../support/long-work.ts";
import { collect, openAt } from "../../support/session.ts";

describe("long work", { timeout: 120_000 }, () => {
  it("C8: the first session makes list, start script and progress file, held to their shape, and commits them", async () => {
    const at = repository();
    writeFileSync(join(at.folder, "mine.txt"), "not committed yet\n");
    const done = { ...wanted, features: wanted.features.map((f) => ({ ...f, passes: f.id === "add" })) };
    const { result, results } = await work(
      at,
      { stage: "init", list: WORK_FILES.list },
      [
        { calls: [write(WORK_FILES.list, "{}"), write(WORK_FILES.list, listText(done))] },
        { calls: [write(WORK_FILES.list, listText(wanted)), write(WORK_FILES.progress, "Words.\n")] },
        { text: "Done." },
        { calls: [write(WORK_FILES.start, "echo ready\n")] },
        { text: "Now." },
      ],
      "a list of things to do",
    );
    expect(result.reason).toBe("done");
    expect(results[0]).toContain("features: ");
    expect(results[1]).toContain(`nothing is built yet, so "add" can't pass`);
    expect(listIn(at)).toEqual(wanted);
    // Its own files, nothing of the person's.
    expect(git(at, "show", "--name-only", "--format=%s").trim().split("\n")).toEqual([
      "Begin long work: what is wanted, as a list of features",
      "",
      ...[WORK_FILES.list, WORK_FILES.progress, WORK_FILES.start].toSorted(),
    ]);
  });

  it("C8: four features over four sessions, whatever the model tries with the list: refused each time, all four built", async () => {
    const at = begun();
    const refused: string[] = [];
    for (const [n, id] of ids.entries()) {
      const list = listIn(at);
      const all = tries(list, n);
      const no = [...all.files, ...all.commands];
      const one = await work(at, featureOf(at), [
        { calls: [{ name: "Read", input: { file_path: WORK_FILES.list } }] },
        ...no,
        { text: "All done, everything passes." },
        { calls: [bash(`echo ${id} >> words.txt`)] },
        { calls: [tick(list, id)] },
        { text: "Done." },
      ]);
      const [, ...of] = one.results;
      expect(of.slice(0, no.length).filter((text) => !text.includes("the program holds work/features.json"))).toEqual(
        [],
      );
      refused.push(...of.slice(0, no.length));
      expect(one.result.reason).toBe("done");
      expect(one.told).toEqual([`feature ${id}: passes (${n + 1} of 4 pass)`]);
      expect(git(at, "log", "-1", "--format=%s").trim()).toBe(`${id}: built`);
      expect(git(at, "status", "--porcelain").trim()).toBe("");
    }
    expect(refused).toHaveLength(58);
    expect(listIn(at)).toEqual({
      ...wanted,
      features: wanted.features.map((f) => ({ ...f, passes: true })),
    });
    expect(readFileSync(join(at.folder, "words.txt"), "utf8").trim().split("\n")).toEqual(ids);
    expect(readFileSync(join(at.folder, WORK_FILES.progress), "utf8").match(/: passes \(session/g)).toHaveLength(4);
  });

  it("C8: the program ticks what passes and was not ticked, and takes back what no longer does", async () => {
    const list = { ...wanted, features: wanted.features.map((f) => ({ ...f, passes: f.id === "add" })) };
    const at = begun(list);
    const one = await work(at, featureOf(at), [{ calls: [bash("echo list > words.txt")] }, { text: "Done." }]);
    expect(one.told).toEqual(["feature list: passes (1 of 4 pass)", "no longer passing: add"]);
    expect(listIn(at).features.map((f) => f.passes)).toEqual([false, true, false, false]);
    // The script was run ahead of the message; what it changed is gone.
    expect(one.session.state().items.some((i) => i.kind === "note" && i.text.includes("ready"))).toBe(true);
    expect(git(at, "ls-files").includes("made-by-start")).toBe(false);
  });

  it("C8: what is not built is not done, however often the model says so", async () => {
    const at = begun();
    const one = await work(
      at,
      featureOf(at),
      [1, 2, 3, 4].map(() => ({ text: "Done." })),
    );
    expect(one.result).toMatchObject({ reason: "checks-failed", turns: 4 });
    expect(one.told).toEqual(["feature add: does not pass yet (0 of 4 pass)"]);
    expect(listIn(at)).toEqual(wanted);
  });

  it("C8: agents of the session are held to it, and so is the session when it is opened again", async () => {
    const at = begun();
    const model = talkingModel(({ agent, turn, results }) => {
      if (agent === "") return turn === 0 ? { calls: [taskCall("general", "tick it")] } : { text: results.join("\n") };
      return turn === 0 ? { calls: [bash(`sed -i 's/false/true/' ${WORK_FILES.list}`)] } : { text: results.join("\n") };
    });
    const session = await openAt(at, { model, more: { mode: "auto", work: featureOf(at) } });
    const first = await collect(session.submit("go"));
    await session.close();
    expect(resultsOf(first.events).join("\n")).toContain("the program holds work/features.json");
    const other = talkingModel(({ turn }) =>
      turn === 0 ? { calls: [bash(`rm ${WORK_FILES.list}`)] } : { text: "ok" },
    );
    const again = await openAt(at, { model: other, more: { resume: session.id } });
    const { events } = await collect(again.submit("go"));
    await again.close();
    expect(resultsOf(events).join("\n")).toContain("the program holds work/features.json");
    expect(listIn(at)).toEqual(wanted);
  });

  it("C8: what another hand made of the list meanwhile is told", async () => {
    const at = begun();
    const less = { ...wanted, features: wanted.features.slice(0, 2) };
    const model = talkingModel(({ turn }) => {
      writeFileSync(join(at.folder, WORK_FILES.list), listText(less));
      return turn === 0 ? { calls: [bash("echo add > words.txt")] } : { text: "Done." };
    });
    const session = await openAt(at, { model, more: { mode: "auto", work: featureOf(at) } });
    const told: string[] = [];
    const run = session.longWork?.run("", new AbortController().signal, (words) => told.push(words));
    if (run === undefined) throw new Error("no long work");
    await collect(run);
    await session.close();
    expect(told).toEqual([
      "work/features.json was changed by another hand meanwhile: its features were add, list, done, drop, and would be add, list",
      "feature add: passes (1 of 2 pass)",
    ]);
  });
});
