import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listSessions } from "../../src/events/sessions.ts";
import { press } from "../support/press.ts";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const lines = Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join("");
const bash = (command: string) => ({ name: "Bash", input: { command } });
const script = {
  turns: [
    {
      calls: [
        bash("sed -i 's/line 3$/THREE/; s/line 30$/THIRTY/' a.txt"),
        { name: "Write", input: { file_path: "b.txt", content: "b\n" } },
      ],
    },
    { calls: [bash("cat b.txt && echo c > c.txt")] },
    { text: "It is all there, pending." },
  ],
};

function project(): { at: Place; model: string } {
  const at = place("rehearse");
  writeFileSync(join(at.folder, "a.txt"), lines);
  return { at, model: scriptFile(at, script) };
}

const Json = z.looseObject({
  session_id: z.string(),
  files: z.number(),
  conflicts: z.array(z.object({ path: z.string(), why: z.string() })),
  diffs: z.array(
    z.looseObject({ path: z.string(), hunks: z.array(z.looseObject({ n: z.number(), lines: z.array(z.string()) })) }),
  ),
});

describe("unattended work", () => {
  it(
    "W6: -p --rehearse asks nobody, ends with the two commands; agent review and agent land work from anywhere",
    { timeout: 120_000 },
    async (ctx) => {
      needs(ctx, missingTool("bwrap"));
      const { at, model } = project();
      const run = await runAgent(at, ["-p", "go", "--rehearse", "--model", model]);
      const id = listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? "";
      expect([run.code, run.out]).toEqual([0, "It is all there, pending.\n"]);
      expect(run.err.split("\n")).toEqual([
        `agent: session ${id} rehearsed; 3 files are pending, and nothing of it is in the folder:`,
        "agent:   modify a.txt",
        "agent:   create b.txt",
        "agent:   create c.txt",
        `agent: to review: agent review ${id}`,
        `agent: to land: agent land ${id}`,
        "",
      ]);
      expect(readdirSync(at.folder)).toEqual(["a.txt"]);
      const list = await runAgent(at, ["sessions"]);
      expect(list.out).toContain(`[3 pending: agent review ${id}]`);
      // Days later the person has gone on; the two commands need not be given there.
      writeFileSync(join(at.folder, "c.txt"), "mine\n");
      const away = { ...at, folder: at.home };
      const review = await runAgent(away, ["review", id]);
      expect(review.code).toBe(0);
      for (const words of [
        "modify a.txt",
        "+THREE",
        "@@ -28 +28 @@ #2",
        "-line 30",
        "create b.txt",
        "c.txt: somebody else made it meanwhile",
        "#1 both changed it\n-mine\n+",
        "--take PATH#N",
        `agent land ${id}`,
      ])
        expect(review.out).toContain(words);
      const json = Json.parse(JSON.parse((await runAgent(away, ["review", id, "--json"])).out));
      expect(json).toMatchObject({ session_id: id, files: 2, conflicts: [{ path: "c.txt" }] });
      expect(json.diffs.find((d) => d.path === "a.txt")?.hunks.map((h) => h.n)).toEqual([1, 2]);
      const part = await runAgent(away, ["land", id, "--only", "b.txt"]);
      expect([part.code, part.out.split("\n")[0]]).toEqual([0, "Landed: 1 file. 2 files still pending."]);
      const rest = await runAgent(away, ["land", id, "--without", "a.txt#2"]);
      expect(rest.code).toBe(1);
      expect(rest.out).toContain(
        "Still pending, since the folder changed meanwhile: c.txt: somebody else made it meanwhile.",
      );
      expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toMatch(/THREE[^]*line 30\n/);
      expect(readFileSync(join(at.folder, "c.txt"), "utf8")).toBe("mine\n");
      // The person settles the conflict, takes that back, and has it gone.
      const taken = await runAgent(away, ["land", id, "--take", "c.txt"]);
      expect([taken.code, taken.out.split("\n")[0]]).toEqual([
        0,
        "Landed: 1 file. c.txt: the rehearsed version landed over yours.",
      ]);
      expect(readFileSync(join(at.folder, "c.txt"), "utf8")).not.toBe("mine\n");
      expect((await runAgent(at, ["undo"])).code).toBe(0);
      expect(readFileSync(join(at.folder, "c.txt"), "utf8")).toBe("mine\n");
      const dropped = await runAgent(away, ["land", id, "--drop", "--json"]);
      expect([dropped.code, JSON.parse(dropped.out)]).toEqual([
        0,
        { ok: true, session_id: id, text: expect.any(String), paths: [] },
      ]);
      expect((await runAgent(away, ["review", id])).err).toContain("nothing is pending");
      // A landing is a step as any other.
      const undo = await runAgent(at, ["undo"]);
      expect(undo.code).toBe(0);
      expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe(lines);
    },
  );

  it(
    "W6: a session with pending changes goes on in its own folder only, and json tells what waits",
    { timeout: 60_000 },
    async (ctx) => {
      needs(ctx, missingTool("bwrap"));
      const { at, model } = project();
      const run = await runAgent(at, ["-p", "go", "--rehearse", "--model", model, "--output-format", "json"]);
      const result: unknown = JSON.parse(run.out);
      const id = listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? "";
      expect(result).toMatchObject({ pending: { files: 3, review: `agent review ${id}`, land: `agent land ${id}` } });
      const other = await runAgent({ ...at, folder: at.home }, ["-p", "more", "--resume", id]);
      expect(other.code).toBe(2);
      expect(other.err).toContain(`session ${id} has changes pending for ${at.folder}`);
      const wrong = await runAgent(at, ["land", id, "--only", "nosuch"]);
      expect([wrong.code, wrong.err]).toEqual([2, "agent: nothing pending is at nosuch\n"]);
    },
  );
});

function open(at: Place, args: readonly string[]): Terminal {
  return openTerminal(process.execPath, [program, ...args], { cols: 100, rows: 40, cwd: at.folder, env: agentEnv(at) });
}

describe("the screen", () => {
  it(
    "W6, UX-P-3: the status line counts what is pending; /land reviews it, parts are left out with space; leaving says what waits",
    { timeout: 120_000 },
    async (ctx) => {
      needs(ctx, missingTool("bwrap"));
      const { at, model } = project();
      const terminal = open(at, ["--model", model]);
      await terminal.waitFor("/ for commands");
      terminal.type("/rehearse on\r");
      await terminal.waitFor("rehearsing, nothing pending");
      terminal.type("go\r");
      await terminal.waitFor("It is all there, pending.");
      await terminal.waitFor(/ask mode · rehearsing, 3 files pending/);
      expect(readdirSync(at.folder)).toEqual(["a.txt"]);
      terminal.type("/land\r");
      const question = await press(terminal, /Land what was rehearsed\?/, "p", /Space takes in or leaves out/);
      expect(question.join("\n")).toContain("no, all of it stays pending");
      // The file's second hunk, and the second file.
      for (const key of ["\x1b[B", "\x1b[B", " ", "\x1b[B", " "]) {
        await new Promise((resolve) => setTimeout(resolve, 600));
        terminal.type(key);
      }
      await press(terminal, /\[ \] \+ b\.txt/, "\r", /yes, once, only 2 of 4 parts, the rest is dropped/);
      await press(terminal, /1 yes, once, only 2/, "1", /Landed: 2 files\. Dropped: a\.txt, b\.txt\./);
      await terminal.waitFor(/rehearsing, nothing pending/);
      expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toMatch(/THREE[^]*line 30\n/);
      expect([existsSync(join(at.folder, "b.txt")), existsSync(join(at.folder, "c.txt"))]).toEqual([false, true]);
      terminal.type("!echo mine > d.txt\r");
      await terminal.waitFor("rehearsing, 1 file pending");
      terminal.type("/exit\r");
      expect(await terminal.exited).toBe(0);
      const last = (await terminal.screen()).join("\n");
      expect(last).toContain("1 file pending, not in the folder yet");
      expect(last).toMatch(/Land with agent land \S+/);
      expect(existsSync(join(at.folder, "d.txt"))).toBe(false);
    },
  );
});
