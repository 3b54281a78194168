import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { LogEventOf, SessionEvent } from "../../../src/events/event.ts";
import type { Question } from "../../../src/permissions/asker.ts";
import { shownHash } from "../../../src/permissions/shown.ts";
import type { Session } from "../../../src/session/session.ts";
import { question } from "../../support/questions.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { collect, openAt, place, type SessionInput } from "../../support/session.ts";

const call = (name: string, input: Record<string, unknown>) => ({ calls: [{ name, input }] });
const WRITE = call("Write", { file_path: "a.txt", content: "shown\n" });

/** One call that is answered yes after `meanwhile`. */
async function run(
  at: ReturnType<typeof place>,
  turn: ReturnType<typeof call>,
  meanwhile: (asked: Question, session: Session) => void | Promise<void>,
  more: SessionInput = {},
) {
  const asked: Question[] = [];
  const ask = async (put: Question) => {
    asked.push(put);
    await meanwhile(put, session);
    return { kind: "yes" as const };
  };
  const asker = { ask, askPerson: () => Promise.resolve(undefined) };
  const session: Session = await openAt(at, { ...more, script: { turns: [turn, { text: "I see." }] }, asker });
  const { events } = await collect(session.submit([text("go")]));
  await session.close();
  return { events, asked };
}

function of<T extends SessionEvent["type"]>(events: readonly SessionEvent[], type: T) {
  return events.find((e): e is Extract<SessionEvent, { type: T }> => e.type === type);
}

/** The new content that waits in the state folder. */
function waiting(at: ReturnType<typeof place>): string {
  const found = readdirSync(at.state, { recursive: true, encoding: "utf8" }).find((p) => p.endsWith("u0/a.txt"));
  if (found === undefined) throw new Error("nothing waits");
  return join(at.state, found);
}

describe("a yes is to what was shown", () => {
  it("P5: the hash of what was shown stands with question and answer", async () => {
    const at = place();
    const { events, asked } = await run(at, WRITE, () => undefined);
    const [put] = asked;
    if (put === undefined) throw new Error("nothing was asked");
    expect(of(events, "permission.asked")?.shown).toBe(shownHash(put));
    expect(of(events, "permission.decided")?.shown).toBe(shownHash(put));
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("shown\n");
  });
  it("P5: other words, another folder, another diff or other bytes are another hash", () => {
    const base = question({ command: { text: "ls", cwd: "/p" } });
    const others = [
      question({ command: { text: "ls ", cwd: "/p" } }),
      question({ command: { text: "ls", cwd: "/q" } }),
      question({ command: { text: "ls", cwd: "/p", exported: ["PATH=/x"] } }),
      question({
        command: { text: "ls", cwd: "/p" },
        diffs: [{ root: 0, path: "a", op: "modify", hunks: [], added: 0, removed: 0 }],
      }),
    ];
    expect(new Set([base, ...others].map(shownHash)).size).toBe(5);
    expect(shownHash(question({ command: { text: "ls", cwd: "/p" }, id: "other" }))).toBe(shownHash(base));
  });
  it("P5: new content that somebody changed between question and answer doesn't land", async () => {
    const at = place();
    const { events } = await run(at, WRITE, () => appendFileSync(waiting(at), "and more\n"));
    expect(of(events, "changes.landed")).toBeUndefined();
    expect(of(events, "changes.conflicted")?.conflicts).toEqual([
      { root: 0, path: "a.txt", why: "what was to land is not what was decided on any more" },
    ]);
    expect(readdirSync(at.folder)).toEqual([]);
  });
  it("P5: of the same size and time too", async () => {
    const at = place();
    await run(at, WRITE, () => writeFileSync(waiting(at), "SHOWN\n"));
    expect(readdirSync(at.folder)).toEqual([]);
  });
  it("P5: a file that became a link doesn't land", async () => {
    const at = place();
    await run(at, WRITE, () => {
      const path = waiting(at);
      rmSync(path);
      symlinkSync("/etc/hostname", path);
    });
    expect(readdirSync(at.folder)).toEqual([]);
  });
  it("P5, P7: a saved change set that was changed while the program was closed doesn't land", async () => {
    const at = place();
    const script = { turns: [WRITE, { text: "I see." }] };
    const stop = new AbortController();
    const gone = { ask: () => new Promise<never>(() => stop.abort()), askPerson: () => Promise.resolve(undefined) };
    const first = await openAt(at, { script, asker: gone });
    const run = first.submit([text("go")]);
    for (;;) {
      const { value } = await run.next();
      if (value !== undefined && "type" in value && value.type === "permission.asked") break;
    }
    // As a kill leaves it: the question is open, nothing is answered.
    await first.close();
    const path = waiting(at).replace(/u0\/a\.txt$/, "proposal.json");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"a.txt"', '"b.txt"'));
    const yes = { ask: () => Promise.resolve({ kind: "yes" as const }), askPerson: () => Promise.resolve(undefined) };
    const second = await openAt(at, { script: { turns: [{ text: "ok" }] }, asker: yes, more: { resume: first.id } });
    const { events } = await collect(second.goOn());
    await second.close();
    expect(of(events, "changes.landed")).toBeUndefined();
    expect(readdirSync(at.folder)).toEqual([]);
  });
  it("P5: a call that would reach something else than was asked about does nothing", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = place();
    const [one, two] = [join(at.home, "one"), join(at.home, "two")];
    for (const dir of [one, two]) mkdirSync(dir);
    writeFileSync(join(one, "f"), "harmless\n");
    writeFileSync(join(two, "f"), "secret\n");
    symlinkSync(one, join(at.folder, "way"));
    const { events, asked } = await run(at, call("Read", { file_path: "way/f" }), () => {
      rmSync(join(at.folder, "way"));
      symlinkSync(two, join(at.folder, "way"));
    });
    expect(asked).toHaveLength(1);
    expect(of(events, "permission.decided")).toMatchObject({ outcome: "deny", by: "policy" });
    expect(JSON.stringify(of(events, "call.finished"))).toMatch(/changed while the question was open/);
    expect(JSON.stringify(events)).not.toContain("secret");
  });
  it("P7: a deny that came while the question was open holds against the yes", async () => {
    const at = place();
    const deny = { action: "deny", text: "Edit(a.txt)", source: "session" } as const;
    const { events } = await run(at, WRITE, async (_, session) => void (await session.permissions().add(deny)));
    const decided = events.filter((e): e is LogEventOf<"permission.decided"> => e.type === "permission.decided");
    expect(decided.at(-1)).toMatchObject({ outcome: "deny", by: "rule" });
    expect(readdirSync(at.folder)).toEqual([]);
  });
});
