import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { longSession } from "../support/long-log.ts";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const sessionsDir = (at: Place) => join(at.state, "understudy", "sessions");
const CTRL_C = "\x03";
const LONG = 120_000;

function open(at: Place, args: readonly string[], folder = at.folder): Terminal {
  const env = agentEnv(at, { ANTHROPIC_MODEL: scriptFile(at, { turns: [{ text: "Well said." }], loop: true }) });
  return openTerminal(process.execPath, [program, ...args], { cols: 110, rows: 30, cwd: folder, env });
}
/** The session is open: what stands there before is not the screen yet. */
const isStatus = (row: string) => / mode · /.test(row);
async function leave(t: Terminal): Promise<void> {
  t.type("/exit\r");
  expect(await t.exited).toBe(0);
}
/** What the person wrote in a session, out of its log. */
function prompts(at: Place, id: string): string[] {
  const lines = readFileSync(join(sessionsDir(at), `${id}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.flatMap((line) => {
    const event = JSON.parse(line) as { type: string; content?: { text: string }[] };
    return event.type === "prompt.submitted" ? (event.content ?? []).map((b) => b.text) : [];
  });
}
async function talked(at: Place, ...said: string[]): Promise<string> {
  const model = scriptFile(at, { turns: [{ text: "Well said." }], loop: true });
  for (const [i, words] of said.entries())
    expect(await runAgent(at, ["-p", "--model", model, ...(i === 0 ? [] : ["--continue"]), words])).toMatchObject({
      code: 0,
    });
  return listSessions(sessionsDir(at))[0]?.id ?? expect.fail("no session");
}

describe("sessions on a terminal", () => {
  it(
    "ses-two-writers: the second process is told who has the session, and works on a copy; nothing mixes the two",
    { timeout: 300_000 },
    async () => {
      const at = place("two");
      const id = await talked(at, "the first", "the second");
      const a = open(at, ["--resume", id]);
      await a.waitFor("the second", LONG);
      const b = open(at, ["--resume", id]);
      await b.waitFor(new RegExp(`Session ${id} is open in process ${a.pid} since .* on /dev/pts/\\d+`), LONG);
      await b.waitFor("2  quit", LONG);
      b.type("1\r");
      await b.waitFor("the second", LONG);
      for (const n of [1, 2, 3, 4, 5]) {
        a.type(`a${n}\r`);
        b.type(`b${n}\r`);
        await a.waitFor((rows) => rows.some((row) => row.includes(`› a${n}`)), LONG);
        await b.waitFor((rows) => rows.some((row) => row.includes(`› b${n}`)), LONG);
      }
      await leave(a);
      await leave(b);
      const copy = listSessions(sessionsDir(at)).find((s) => s.id !== id)?.id ?? expect.fail("no copy");
      expect(prompts(at, id)).toEqual(["the first", "the second", "a1", "a2", "a3", "a4", "a5"]);
      expect(prompts(at, copy)).toEqual(["the first", "the second", "b1", "b2", "b3", "b4", "b5"]);
      // A lock that a killed process left blocks nobody.
      const killed = open(at, ["--resume", id]);
      await killed.waitFor((rows) => rows.some((row) => row.includes("› a5")) && rows.some(isStatus), LONG);
      killed.signal("SIGKILL");
      await killed.exited;
      expect(readdirSync(sessionsDir(at))).toContain(`${id}.lock`);
      const again = open(at, ["--resume", id]);
      await again.waitFor("› a5", LONG);
      await leave(again);
    },
  );

  it(
    "E2: the picker finds a session of any folder by what was written in it, and asks where to go on",
    { timeout: 300_000 },
    async () => {
      const at = place("pick");
      await talked(at, "mend the parser", "the needle is in here");
      const other = { ...at, folder: `${at.folder}-other` };
      mkdirSync(other.folder);
      await talked(other, "write the docs");
      const t = open(at, ["--resume"], other.folder);
      await t.waitFor("Which session?", LONG);
      await t.waitFor((rows) => rows.some((r) => r.includes("write the docs")), LONG);
      expect((await t.screen()).join("\n")).not.toContain("mend the parser");
      // Those of all folders, this one's first.
      t.type("\t");
      await t.waitFor(
        (rows) =>
          rows.findIndex((r) => r.includes("write the docs")) < rows.findIndex((r) => r.includes("mend the parser")),
        LONG,
      );
      t.type("needle");
      await t.waitFor(
        (rows) => rows.some((r) => r.includes("mend the parser")) && !rows.some((r) => r.includes("write the docs")),
        LONG,
      );
      t.type("\r");
      await t.waitFor("1  go on in its folder", LONG);
      t.type("1\r");
      await t.waitFor("› the needle is in here", LONG);
      t.type("/fork here\r");
      await t.waitFor("A copy of session", LONG);
      t.type("/export talk.md\r");
      await t.waitFor(`Written to`, LONG);
      expect(readFileSync(join(at.folder, "talk.md"), "utf8")).toContain("> the needle is in here");
      await leave(t);
      const quit = open(at, ["--resume"]);
      await quit.waitFor("Which session?", LONG);
      quit.type(CTRL_C);
      expect(await quit.exited).toBe(0);
    },
  );

  it(
    "E2: the last words of a session stand there before all of its log is read, and once",
    { timeout: 300_000 },
    async () => {
      const at = place("last-words");
      const log = await longSession({ ...at, state: join(at.state, "understudy") }, 3000);
      const t = open(at, ["--resume", log.sessionId]);
      await t.waitFor((rows) => rows.some(isStatus), LONG);
      const words = "line 713 of what was said";
      const raw = t.raw();
      expect(raw).toContain(words);
      expect(raw.indexOf(words)).toBeLessThan(raw.indexOf("Understudy"));
      // As a person wrote or read it: once in the reply.
      expect((await t.lines()).filter((row) => row.startsWith(words)).length).toBe(4);
      await leave(t);
    },
  );
});
