import { afterEach, describe, expect, it } from "vitest";
import { textOf } from "../../../src/events/block.ts";
import { isFact, type LogEvent, type LogEventOf } from "../../../src/events/event.ts";
import type { Answer } from "../../../src/permissions/asker.ts";
import type { Session } from "../../../src/session/session.ts";
import { answers, collect, openAt, place, type ScriptInput } from "../../support/session.ts";

const opened: Session[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.close()));
});

/** One call of a command that asks before it runs, answered in turn. */
async function asked(
  input: Record<string, unknown>,
  list: (Answer | "yes" | "no")[],
  more: Parameters<typeof openAt>[1] = {},
): Promise<{ facts: LogEvent[]; asker: ReturnType<typeof answers>; result: LogEventOf<"call.finished"> }> {
  const script: ScriptInput = { turns: [{ calls: [{ name: "Bash", input }] }, { text: "done" }] };
  const asker = answers(...list);
  const session = await openAt(place(), { script, asker, ...more });
  opened.push(session);
  const { events } = await collect(session.submit([{ type: "text", text: "go" }]));
  const facts = events.filter(isFact);
  const result = facts.findLast((e) => e.type === "call.finished");
  if (result?.type !== "call.finished") throw new Error("no result");
  return { facts, asker, result };
}

const OUTSIDE = { command: "echo one", unsandboxed: true };

describe("what a person makes of a call", () => {
  it("UX-P-3: an edited command is a new call input: logged, judged again, asked about again, and told to the model", async () => {
    const { facts, asker, result } = await asked(OUTSIDE, [{ kind: "edit", command: "echo two" }, "yes"]);
    expect(asker.asked.map((q) => q.command?.text)).toEqual(["echo one", "echo two"]);
    expect(facts.find((e) => e.type === "call.edited")).toMatchObject({ input: { ...OUTSIDE, command: "echo two" } });
    expect(facts.find((e) => e.type === "call.started")).toMatchObject({ input: { command: "echo two" } });
    const words = textOf(result.content);
    expect(words).toContain("two");
    expect(words).toMatch(/The person changed this command[^]*> echo two/);
  });
  it("UX-P-3: no rule is got round by editing: what one denies is denied, and nobody is asked", async () => {
    const { facts, asker, result } = await asked(OUTSIDE, [{ kind: "edit", command: "rm -rf x" }, "yes"], {
      rules: [{ action: "deny", text: "Bash(rm *)", source: "user" }],
    });
    expect(asker.asked).toHaveLength(1);
    expect(result.status).toBe("denied");
    expect(facts.some((e) => e.type === "call.started")).toBe(false);
  });
  it("UX-P-3: a word beside a yes goes to the model with the result", async () => {
    const { facts, result } = await asked(OUTSIDE, [{ kind: "yes", note: "only this once" }]);
    expect(textOf(result.content)).toContain('[The person says to this: "only this once"]');
    expect(facts.find((e) => e.type === "permission.decided")).toMatchObject({
      outcome: "allow",
      note: "only this once",
    });
  });
  it("U8: what the person ran themselves is the call's result; the program runs nothing, and the log says so", async () => {
    const { facts, asker, result } = await asked(OUTSIDE, [{ kind: "self", exit: 3, output: "pushed\n" }]);
    expect(asker.asked[0]?.also).toEqual(["edit", "self"]);
    expect(facts.some((e) => e.type === "call.started")).toBe(false);
    expect(facts.find((e) => e.type === "shell.ran")).toMatchObject({ outside: true, command: "echo one", exit: 3 });
    expect(result).toMatchObject({ status: "ok", details: { by: "person", exit: 3 } });
    expect(textOf(result.content)).toMatch(/pushed\n\[The person ran this themselves.*exit code 3\]/);
  });
  it("U8: a bare word that it was done says that nothing of it is known; what stays in the copy can't be answered so", async () => {
    const said = await asked(OUTSIDE, [{ kind: "self" }]);
    expect(textOf(said.result.content)).toContain("is not known");
    expect(said.facts.some((e) => e.type === "shell.ran")).toBe(false);
    const background = await asked({ ...OUTSIDE, run_in_background: true }, [{ kind: "self", exit: 0 }]);
    expect(background.asker.asked[0]?.also).toEqual(["edit"]);
    expect(background.result.status).toBe("denied");
  });
  it("UX-P-1: a question that may be remembered names the file that always would write", async () => {
    const more = { more: { savedTo: "/home/p/.config/understudy/projects/1.json" } };
    const { asker } = await asked({ command: "echo a > new.txt" }, ["no"], more);
    expect(asker.asked[0]).toMatchObject({ gate: "changes", savedTo: more.more.savedTo });
  });
});
