import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { EndReason, isFact, type LogEvent, type SessionEvent } from "../../../src/events/event.ts";
import type { Model } from "../../../src/model/model.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { print } from "../../../src/print/print.ts";
import { exitCode } from "../../../src/session/exit-code.ts";
import type { QueryResult, Session } from "../../../src/session/session.ts";
import { paint } from "../../../src/ui/render/spans.ts";
import { factLines } from "../../../src/ui/render/transcript.ts";
import { plainTheme } from "../../../src/ui/theme.ts";
import { jumpyClock } from "../../support/jumpy-clock.ts";
import { answers, openAt, place, type Place, type ScriptInput, type SessionInput } from "../../support/session.ts";

interface Row {
  reason: string;
  log: string;
  screen: string;
  stderr: string;
  exit: number;
  how: string;
}

function table(): Map<string, Row> {
  const doc = readFileSync(new URL("../../../docs/stopping.md", import.meta.url), "utf8");
  const rows = doc.split("\n").filter((row) => /^\| `[a-z-]+` \|/.test(row));
  return new Map(
    rows.map((row) => {
      const cells = row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      const bare = (n: number) => (cells[n] ?? "").replace(/^`|`$/g, "");
      const reason = bare(0);
      return [reason, { reason, log: bare(2), screen: bare(3), stderr: bare(4), exit: Number(cells[5]), how: bare(6) }];
    }),
  );
}

/** A cell of the table as a test: `…` is any text. */
function like(cell: string): RegExp {
  const parts = cell.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`);
}

const read = (file_path: string) => ({ calls: [{ name: "Read", input: { file_path } }] });
const write = (content: string) => ({ calls: [{ name: "Write", input: { file_path: "w.txt", content } }] });
const sleep = { calls: [{ name: "Bash", input: { command: "echo begun; sleep 1000" } }] };
const on = { text: "On it goes." };
const PRICES = { priced: { input: 10_000, output: 10_000, cacheRead: 0, cacheWrite: 0 } };

/** Fails once, then answers. */
function failing(): Model {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  let first = true;
  return {
    ...scriptedModel({ turns: [] }),
    async *stream() {
      await Promise.resolve();
      if (!first)
        return yield { type: "reply", blocks: [text(on.text)], usage, stopReason: "end_turn", model: "m", attempts: 1 };
      first = false;
      const partial = [text("half a")];
      yield { type: "failed", kind: "server", message: "The line went dead.", retryable: false, partial, usage };
    },
  };
}

interface Scene extends Omit<SessionInput, "script"> {
  turns: ScriptInput["turns"];
  /** Stops it at its first output. */
  stop?: true;
  /** Happens at its first output. */
  atOutput?(this: void): void;
}
/** How a real session comes to each end; the turn behind it is for the next message. */
const SCENES: Record<EndReason, (at: Place) => Scene> = {
  done: () => ({ turns: [{ text: "Done." }, on] }),
  waiting: () => ({ turns: [{ calls: [{ name: "AskUser", input: { question: "Tabs?" } }] }, on] }),
  interrupted: () => ({ turns: [sleep, on], stop: true }),
  denied: () => ({ turns: [write("x"), on], asker: answers("no") }),
  refused: () => ({ turns: [{ text: "no", stopReason: "refusal" }, on] }),
  "turn-limit": () => ({ turns: [read("a"), read("b"), on], limits: { turns: 2 } }),
  "token-limit": () => ({
    turns: [
      { ...read("a"), usage: { input: 81, output: 1 } },
      { ...read("b"), usage: { input: 30, output: 1 } },
      { ...on, usage: { input: 1, output: 1 } },
    ],
    limits: { tokens: 100 },
  }),
  "cost-limit": () => {
    const turns = [read("a"), on].map((turn) => ({ ...turn, usage: { input: 100, output: 0 } }));
    return { turns: [], model: scriptedModel({ turns }, { id: "priced" }), prices: PRICES, limits: { usd: 0.5 } };
  },
  "time-limit": () => {
    const { clock, jump } = jumpyClock();
    return { turns: [sleep, on], limits: { timeMs: 90_000 }, more: { clock }, atOutput: () => jump(90_000) };
  },
  "context-limit": () => ({ turns: [{ ...read("a"), usage: { input: 300_000, output: 1 } }, on] }),
  "tool-failing": () => ({ turns: [read("x1"), read("x2"), read("x3"), on] }),
  "going-round": () => ({ turns: [read("a"), read("a"), read("a"), read("a"), on] }),
  "checks-failed": () => ({
    turns: [write("x"), { text: "Done." }, { calls: [{ name: "Bash", input: { command: "touch ok" } }] }, on],
    more: { mode: "auto" },
    checks: {
      rounds: 0,
      list: [{ kind: "command", name: "ok", command: "test -e ok || { echo missing; exit 2; }", timeoutMs: 60_000 }],
    },
  }),
  conflict: (at) => ({
    turns: [write("mine"), { text: "Written." }, on],
    asker: {
      ...answers(),
      ask: () => {
        writeFileSync(join(at.folder, "w.txt"), "the person's");
        return Promise.resolve({ kind: "yes" });
      },
    },
  }),
  "api-error": () => ({ turns: [], model: failing() }),
};

/** Runs a message as `-p` does, and keeps its events. */
async function played(session: Session, { stop, atOutput }: Partial<Scene>, words: string, goOn?: string) {
  const abort = new AbortController();
  const events: SessionEvent[] = [];
  const err: string[] = [];
  let result: QueryResult | undefined;
  async function* run(): AsyncGenerator<SessionEvent, QueryResult> {
    const source = goOn === undefined ? session.submit([text(words)], abort.signal) : session.goOn(abort.signal, goOn);
    for (;;) {
      const step = await source.next();
      if (step.done === true) return (result = step.value);
      events.push(step.value);
      if (step.value.type === "tool.output") {
        if (stop === true) abort.abort();
        atOutput?.();
      }
      yield step.value;
    }
  }
  const to = { out: () => Promise.resolve(), err: (line: string) => void err.push(line.replace(/^agent: |\n$/g, "")) };
  const code = await print(run(), session, "text", to, false);
  return { events: events.filter(isFact), err, code, result };
}

function rowOf(end: LogEvent | undefined, folder: string): string {
  const rows = end === undefined ? undefined : factLines(end, 1000, folder);
  return paint(rows ?? [], plainTheme).join("\n");
}

describe("every end of a message", { timeout: 60_000 }, () => {
  it("S8, U2: the table of docs/stopping.md names every reason, and no other", () => {
    expect([...table().keys()].toSorted()).toEqual([...EndReason.options].toSorted());
  });

  it.each(EndReason.options)(
    "S1, S2, S3, S4, S5, S6, S7, S8, S9, U2: %s: what is seen, what the log says, the exit code, how it goes on",
    async (reason) => {
      const at = place("ending");
      for (const name of ["a", "b"]) writeFileSync(join(at.folder, name), name);
      const { turns, stop, atOutput, ...input } = SCENES[reason](at);
      const row = table().get(reason);
      const session = await openAt(at, { ...input, script: { turns } });
      const { events, err, code, result } = await played(
        session,
        { ...(stop === undefined ? {} : { stop }), ...(atOutput === undefined ? {} : { atOutput }) },
        "go",
      );
      const end = events.at(-1);
      expect(end).toMatchObject({ type: "query.finished", reason });
      expect([result?.reason, session.state().query?.ended]).toEqual([reason, reason]);
      if (row?.log !== "") expect(events.map((e) => e.type)).toContain(row?.log);
      expect(rowOf(end, at.folder)).toMatch(like(row?.screen ?? "?"));
      const words = events.flatMap((e) => (e.type === "limit.warned" ? [e.text] : []));
      expect(err).toEqual(expect.arrayContaining(words));
      if (reason === "checks-failed") expect(err).toContain('check "ok" failed (exit code 2)');
      if (row?.stderr === "") expect(err).toEqual([]);
      else expect(err.at(-1)).toMatch(like(row?.stderr ?? "?"));
      expect([code, exitCode(reason)]).toEqual([row?.exit, row?.exit]);
      // Whatever the end was, every call but an open question has its result, and the session goes on.
      const open = [...session.state().calls.values()].filter((c) => c.result === undefined);
      expect(open.length).toBe(reason === "waiting" ? 1 : 0);
      const next = await played(session, {}, "go on", row?.how === "an answer" ? "tabs" : undefined);
      expect(next.result).toMatchObject({ reason: "done", text: on.text });
      await session.close();
    },
  );
});
