import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { LogEventOf, SessionEvent } from "../../../src/events/event.ts";
import type { Answer } from "../../../src/permissions/asker.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { collect, openAt, place, type ScriptInput } from "../../support/session.ts";

const never = new AbortController().signal;
const call = (name: string, input: Record<string, unknown>) => ({ calls: [{ name, input }] });
const finished = (events: readonly SessionEvent[]) =>
  events.findLast((e): e is LogEventOf<"call.finished"> => e.type === "call.finished");
const words = (events: readonly SessionEvent[]) =>
  finished(events)
    ?.content.map((b) => (b.type === "text" ? b.text : ""))
    .join("\n") ?? "";

/** One query whose question is answered so, after `meanwhile`. */
async function run(at: ReturnType<typeof place>, script: ScriptInput, answer: Answer, meanwhile: () => void) {
  const ask = () => {
    meanwhile();
    return Promise.resolve(answer);
  };
  const session = await openAt(at, { script, asker: { ask, askPerson: () => Promise.resolve(undefined) } });
  const { events } = await collect(session.submit([text("go")], never));
  await session.close();
  return events;
}

describe("what did not land", () => {
  it("W5: an edit of lines that the person changed meanwhile is never told as made", async () => {
    const at = place();
    const file = join(at.folder, "a.txt");
    writeFileSync(file, "one\n");
    const edit = call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
    const script = { turns: [call("Read", { file_path: "a.txt" }), edit, { text: "I see." }] };
    const events = await run(at, script, { kind: "yes" }, () => writeFileSync(file, "mine\n"));
    expect(finished(events)?.status).toBe("error");
    expect(words(events)).toMatch(/^\[Nothing of this step landed, since the folder changed meanwhile/);
    expect(readFileSync(file, "utf8")).toBe("mine\n");
  });
  it("P9: what holds a file that was left out is left out too: a commit would bring it back", async (ctx) => {
    needs(ctx, missingTool("git") ?? missingTool("bwrap"));
    const at = place();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: at.folder, encoding: "utf8" });
    git("init", "-q");
    writeFileSync(join(at.folder, "old"), "o\n");
    git("add", "-A");
    git("commit", "-qm", "one");
    const head = git("rev-parse", "HEAD");
    const command =
      "echo a > a.txt; echo b > b.txt; git add -A; git -c user.name=a -c user.email=a@b commit -qm two; echo done";
    const script = { turns: [call("Bash", { command }), { text: "ok" }] };
    const events = await run(at, script, { kind: "yes", left: [{ root: 0, path: "b.txt" }] }, () => undefined);
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("a\n");
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
    expect([git("rev-parse", "HEAD"), git("status", "--porcelain")]).toEqual([head, "?? a.txt\n"]);
    const landed = events.find((e): e is LogEventOf<"changes.landed"> => e.type === "changes.landed");
    expect(landed?.summary.git).toEqual([]);
    expect(words(events)).toMatch(/left out the changes of: b\.txt\. Left out with that, since it holds it: commit /);
  });
  it("P9: a file that the person left out is not in what landed", async () => {
    const at = place();
    const script = {
      turns: [call("Write", { file_path: "a.txt", content: "a" }), { text: "ok" }],
    };
    const events = await run(at, script, { kind: "yes", left: [{ root: 0, path: "a.txt" }] }, () => undefined);
    expect(existsSync(join(at.folder, "a.txt"))).toBe(false);
    const landed = events.find((e): e is LogEventOf<"changes.landed"> => e.type === "changes.landed");
    expect(landed?.summary).toMatchObject({ entries: [], files: 0 });
  });
});

describe("a folder that goes away while a session runs", () => {
  it("L8: is a result that says so, for a command and for a landing", async () => {
    const at = place();
    const gone = (): void => rmSync(at.folder, { recursive: true });
    const script = {
      turns: [
        call("Write", { file_path: "a.txt", content: "a" }),
        call("Bash", { command: "true" }),
        { text: "I see." },
      ],
    };
    const events = await run(at, script, { kind: "yes" }, gone);
    const results = events.flatMap((e) =>
      e.type === "call.finished" ? e.content.map((b) => (b.type === "text" ? b.text : "")) : [],
    );
    expect(results.join("\n")).toContain(`Not landed: the folder ${at.folder} is gone`);
    expect(results.at(-1)).toBe(`Nothing ran: the folder ${at.folder} is gone. Tell the person.`);
  });
});
