import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isFact, type SessionEvent } from "../../../src/events/event.ts";
import { hooksFrom, oneHook } from "../../support/hooks.ts";
import { scratch } from "../../support/scratch.ts";
import { answers, collect, openAt, place, type Place, type SessionInput } from "../../support/session.ts";

/** Plays up to a fact, and gives the place as a kill at that moment would leave it. */
async function killedAt(
  at: Place,
  input: SessionInput,
  here: (event: SessionEvent) => boolean,
): Promise<{ at: Place; id: string }> {
  const session = await openAt(at, input);
  const run = session.submit("go");
  for (let step = await run.next(); step.done !== true && !here(step.value); step = await run.next());
  const copy = scratch("killed");
  for (const part of ["state", "config"] as const) cpSync(at[part], join(copy, part), { recursive: true });
  rmSync(join(copy, "state", "sessions", `${session.id}.lock`), { recursive: true, force: true });
  await run.return(undefined as never);
  await session.close();
  return { at: { ...at, state: join(copy, "state"), config: join(copy, "config") }, id: session.id };
}

const reading = { turns: [{ calls: [{ name: "Read", input: { file_path: "." } }] }, { text: "ok" }] };

describe("hooks and a program that ends", () => {
  it("E3: a PreToolUse hook that had begun is unknown, is never run again, and its call asks", async () => {
    const at = place();
    const mark = join(at.home, "runs");
    const input: SessionInput = {
      script: reading,
      more: { hooks: hooksFrom(oneHook("PreToolUse", `echo x >> ${mark}`)) },
    };
    const killed = await killedAt(at, input, (e) => e.type === "hook.started");
    writeFileSync(mark, "");
    const asker = answers("yes");
    const session = await openAt(killed.at, {
      ...input,
      script: { turns: [{ text: "ok" }] },
      asker,
      more: { ...input.more, resume: killed.id },
    });
    const { events } = await collect(session.goOn());
    expect(asker.asked[0]?.decision.reason).toContain("the program ended while it ran");
    expect(events.find((e) => e.type === "call.finished")).toMatchObject({ status: "ok" });
    expect(readFileSync(mark, "utf8")).toBe("");
    expect(session.state().hooks ?? []).toEqual([]);
    await session.close();
  });
  it("E3, P7: what a hook said before the end judges the resumed call, and rewrites it; the hook is not run again", async () => {
    const at = place();
    const mark = join(at.home, "runs");
    const answer = JSON.stringify({ decision: "ask", reason: "sure?", updatedInput: { file_path: "b.txt" } });
    const hooks = hooksFrom(oneHook("PreToolUse", `echo x >> ${mark}; echo '${answer}'`));
    writeFileSync(join(at.folder, "b.txt"), "from b\n");
    const input: SessionInput = { script: reading, asker: answers("no"), more: { hooks } };
    const killed = await killedAt(at, input, (e) => e.type === "permission.asked");
    writeFileSync(mark, "");
    const asker = answers("yes");
    const session = await openAt(killed.at, {
      script: { turns: [{ text: "ok" }] },
      asker,
      more: { hooks, resume: killed.id },
    });
    const { events } = await collect(session.goOn());
    expect(asker.asked[0]?.decision.reason).toContain("sure?");
    expect(JSON.stringify(events.find((e) => e.type === "call.finished"))).toContain("from b");
    expect(readFileSync(mark, "utf8")).toBe("");
    await session.close();
  });
  it("E3: a hook behind a call that had begun is not run again; one that had not begun is", async () => {
    const at = place();
    const mark = join(at.home, "runs");
    const hooks = hooksFrom(oneHook("PostToolUse", `echo x >> ${mark}`));
    const begun = await killedAt(at, { script: reading, more: { hooks } }, (e) => e.type === "hook.started");
    writeFileSync(mark, "");
    const again = await openAt(begun.at, { script: { turns: [{ text: "ok" }] }, more: { hooks, resume: begun.id } });
    const facts = (await collect(again.goOn())).events.filter(isFact);
    expect(facts.filter((f) => f.type === "hook.started")).toEqual([]);
    expect(readFileSync(mark, "utf8")).toBe("");
    await again.close();

    const before = await killedAt(at, { script: reading, more: { hooks } }, (e) => e.type === "call.started");
    writeFileSync(mark, "");
    const first = await openAt(before.at, { script: { turns: [{ text: "ok" }] }, more: { hooks, resume: before.id } });
    await collect(first.goOn());
    expect(readFileSync(mark, "utf8")).toBe("x\n");
    await first.close();
    expect(existsSync(mark)).toBe(true);
  });
});
