import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { SessionEvent } from "../../../src/events/event.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import type { Answer, Question } from "../../../src/permissions/asker.ts";
import { programSession, type ProgramOptions } from "../../../src/session/program-session.ts";
import { ToolError } from "../../../src/tools/program-error.ts";
import { programTool, type ProgramCall, type ProgramTool } from "../../../src/tools/program-tool.ts";
import { libraryOptions } from "../../support/library.ts";
import { place, type Place } from "../../support/session.ts";

/** One call of a tool with these effects, in a folder with some files. */
async function called(
  run: (call: ProgramCall, at: Place) => Promise<unknown>,
  more: Partial<ProgramOptions> = {},
  also: Partial<ProgramTool> = {},
) {
  const at = place("program");
  writeFileSync(join(at.folder, "a.txt"), "one\n");
  writeFileSync(join(at.folder, "b.txt"), "two\n");
  mkdirSync(join(at.folder, "dir"));
  const tool = programTool({
    name: "fix",
    description: "Fixes.",
    input: z.object({}),
    effects: "changes",
    run: async (_: unknown, call) => (await run(call, at)) as string,
    ...also,
  });
  const asked: Question[] = [];
  const asker = {
    ask(question: Question): Promise<Answer> {
      asked.push(question);
      return Promise.resolve({ kind: "yes" });
    },
    askPerson: () => Promise.resolve(undefined),
  };
  const model = scriptedModel({ turns: [{ calls: [{ name: "fix", input: {} }] }, { text: "done" }] });
  const session = await programSession(libraryOptions(at, { model, tools: [tool], asker, ...more }));
  const events: SessionEvent[] = [];
  for await (const event of session.submit("go")) events.push(event);
  const finished = events.findLast((e) => e.type === "call.finished");
  const said = finished?.content.map((block) => (block.type === "text" ? block.text : "")).join("\n") ?? "";
  const file = (name: string) => {
    const path = join(at.folder, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  return { at, session, events, asked, said, status: finished?.status, file };
}

const both = async ({ files }: ProgramCall) => {
  const text = String(await files.read("a.txt"));
  await files.write("a.txt", text.replace("one", "1"));
  await files.write("new/c.txt", "three\n");
  await files.remove("b.txt");
  return "fixed three files";
};

describe("U3: a tool of a program's that proposes changes", () => {
  it("they are shown in one question, landed through the door, and undone", async () => {
    const { session, asked, said, status, file, events } = await called(both);
    expect(asked.map(({ gate, diffs }) => [gate, diffs.map(({ path }) => path)])).toEqual([
      ["changes", ["b.txt", "a.txt", "new/c.txt"]],
    ]);
    expect([status, said]).toEqual(["ok", expect.stringContaining("fixed three files")]);
    expect(said).toContain("b.txt");
    expect(["a.txt", "b.txt", "new/c.txt"].map(file)).toEqual(["1\n", undefined, "three\n"]);
    expect(events.filter((e) => e.type === "changes.landed")).toHaveLength(1);
    await session.undo();
    expect(["a.txt", "b.txt", "new/c.txt"].map(file)).toEqual(["one\n", "two\n", undefined]);
    await session.close();
  });

  it("P1, P6: nobody to ask, a deny or plan mode let none of them land; plan mode does not even run it", async () => {
    const ran: string[] = [];
    const run = async (call: ProgramCall) => (ran.push("ran"), both(call));
    for (const more of [{ asker: undefined }, { deny: ["Edit(new/**)"] }, { mode: "plan" as const }]) {
      const { session, file } = await called(run, more as Partial<ProgramOptions>);
      expect(["a.txt", "b.txt", "new/c.txt"].map(file)).toEqual(["one\n", "two\n", undefined]);
      await session.close();
    }
    expect(ran).toEqual(["ran", "ran"]);
  });

  it("it sees what it wrote, and nothing that a rule hides or that lies outside", async () => {
    const seen: unknown[] = [];
    const tell = (work: Promise<unknown>) =>
      work.then(String, (e: unknown) => (e instanceof ToolError ? e.message : e));
    const { session, file } = await called(
      async ({ files }, at) => {
        symlinkSync("/etc/hostname", join(at.folder, "away"));
        writeFileSync(join(at.folder, "key.pem"), "secret");
        await files.write("a.txt", "1\n");
        await files.remove("b.txt");
        for (const path of ["a.txt", "b.txt", "none.txt", "key.pem", "away", "/etc/hostname", "dir"])
          seen.push(await tell(files.read(path)));
        seen.push(
          await tell(files.remove("b.txt")),
          await tell(files.remove("dir")),
          await tell(files.write("a.txt/x", "")),
        );
      },
      { deny: ["Read(*.pem)"] },
    );
    expect(seen).toEqual([
      "1\n",
      "undefined",
      "undefined",
      "key.pem is kept from you by a deny rule.",
      "away lies outside the folder.",
      "/etc/hostname lies outside the folder.",
      "dir is not a regular file: it is a folder.",
      "No b.txt.",
      "dir is a folder: remove its files.",
      "a.txt is a file, not a folder.",
    ]);
    expect(file("key.pem")).toBe("secret");
    await session.close();
  });

  it.each<[string, (call: ProgramCall) => Promise<unknown>, Partial<ProgramTool>, string]>([
    ["fails", async (call) => Promise.reject(new ToolError(await both(call))), {}, "fixed three files"],
    ["takes too long", async (call) => (await both(call), new Promise(() => undefined)), { timeoutMs: 300 }, "0.3 s"],
    ["said nothing of changes", both, { effects: "none" }, 'a.txt: a tool that changes files says effects: "changes"'],
  ])("one that %s changes nothing", async (_, run, also, words) => {
    const { session, said, status, file, asked } = await called(run, {}, also);
    expect([status, asked]).toEqual(["error", []]);
    expect(said).toContain(words);
    expect(["a.txt", "b.txt", "new/c.txt"].map(file)).toEqual(["one\n", "two\n", undefined]);
    await session.close();
  });

  it("what a function that was left behind writes later is refused, and comes to nothing", async () => {
    const later = Promise.withResolvers<unknown>();
    const { session, file } = await called(
      async ({ files, signal }) => {
        await new Promise((stop) => signal.addEventListener("abort", stop));
        await new Promise((next) => setTimeout(next, 100));
        later.resolve(await files.write("a.txt", "late").catch((e: unknown) => Object(e).message));
      },
      {},
      { timeoutMs: 50 },
    );
    expect(await later.promise).toBe("The call is over.");
    expect(file("a.txt")).toBe("one\n");
    await session.close();
  });

  it("what it shows is there while it runs, and not in its result", async () => {
    const shown: string[] = [];
    const { session, events, said } = await called(async ({ show }) => {
      show("half ");
      await new Promise((next) => setTimeout(next, 30));
      show("done");
      return "whole";
    });
    shown.push(...events.flatMap((e) => (e.type === "tool.output" ? [e.text] : [])));
    expect([shown, said]).toEqual([["half ", "done"], "whole"]);
    await session.close();
  });
});
