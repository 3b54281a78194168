import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { startApi, type Answer } from "../support/api-server.ts";
import { press } from "../support/press.ts";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const TEN = Array.from({ length: 10 }, (_, n) => `line ${n}`).join("\n");
const edit = (old_string: string, new_string: string) => ({
  name: "Edit",
  input: { file_path: "a.txt", old_string, new_string },
});
const write = (file_path: string) => ({ name: "Write", input: { file_path, content: "new\n" } });
const read = { name: "Read", input: { file_path: "a.txt" } };

/** Runs the built program to its end. */
function run(at: Place, args: readonly string[], env: Record<string, string> = {}) {
  const done = spawnSync(process.execPath, [program, ...args], {
    cwd: at.folder,
    env: agentEnv(at, env),
    encoding: "utf8",
    input: "",
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

interface Listed {
  step: string;
  status: string;
  kept: boolean;
  files: string[];
  session: string;
}

/** A folder in which one session of `agent -p` made three steps; the second lies on the first. */
function threeSteps(): { at: Place; steps: Listed[]; session: string } {
  const at = place("undo");
  writeFileSync(join(at.folder, "a.txt"), TEN);
  const turns = [{ calls: [read] }, { calls: [edit("line 1", "LINE 1")] }, { calls: [edit("line 8", "LINE 8")] }];
  const model = scriptFile(at, { turns: [...turns, { calls: [write("new.txt")] }, { text: "Done." }] });
  expect(run(at, ["-p", "go", "--mode", "auto", "--model", model])).toMatchObject({ code: 0 });
  const session = listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? "";
  return { at, steps: changes(at), session };
}

/** As `agent changes` lists them, but oldest first. */
function changes(at: Place, ...args: string[]): Listed[] {
  const { out } = run(at, ["changes", ...args, "--json"]);
  return out
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Listed)
    .toReversed();
}

const text = (at: Place): string => readFileSync(join(at.folder, "a.txt"), "utf8");

describe("agent undo, redo and changes", () => {
  it("W4 W8: any step from the shell: listed, shown, undone alone, with later ones or by lines, redone; a log of its own", () => {
    const { at, steps, session } = threeSteps();
    expect(steps.map((s) => [s.status, s.kept, s.files])).toEqual([
      ["landed", true, ["a.txt"]],
      ["landed", true, ["a.txt"]],
      ["landed", true, ["new.txt"]],
    ]);
    const [one = "", two = "", three = ""] = steps.map((s) => s.step);
    const gone = spawnSync("/bin/sh", ["-c", `"${process.execPath}" "${program}" changes | true`], {
      cwd: at.folder,
      env: agentEnv(at),
      encoding: "utf8",
    });
    expect([gone.status, gone.stderr]).toEqual([0, ""]);
    expect(changes(at, session).map((s) => s.step)).toEqual([one, two, three]);
    const listed = run(at, ["changes", session]);
    expect(listed.out).toMatch(/undo: 3 of at most 50 steps kept/);
    const shown = run(at, ["changes", session, one]);
    expect(shown.out).toMatch(/changed {2}a\.txt \+1 -1\n@@ -1 \+1 @@[\s\S]*\n-line 1\n\+LINE 1\n/);

    const dry = run(at, ["undo", one, "--dry-run"]);
    expect([dry.code, dry.out]).toEqual([1, expect.stringContaining(`--with-later: possible; ${two}, ${one}`)]);
    const refused = run(at, ["undo", one]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("a.txt: it was changed since")]);
    expect(refused.err).toContain(`agent undo ${one} --with-later`);
    expect(text(at)).toContain("LINE 1");
    expect(run(at, ["undo", one, "--merge"])).toMatchObject({ code: 0 });
    expect(text(at)).toBe(TEN.replace("line 8", "LINE 8"));
    expect(run(at, ["redo"])).toMatchObject({ code: 0, out: `Redone ${one}:\n  ${at.folder}/a.txt\n` });
    const newest = run(at, ["undo", three, "--json"]);
    expect(JSON.parse(newest.out)).toMatchObject({ ok: true, kind: "undo", steps: [three], conflicts: [] });
    expect(existsSync(join(at.folder, "new.txt"))).toBe(false);
    expect(changes(at).map((s) => s.status)).toEqual(["landed", "landed", "undone"]);
    // Nothing to do with the conversation: the runs' logs lie apart, and no session is made of them.
    expect(listSessions(join(at.state, "understudy", "sessions")).map((s) => s.id)).toEqual([session]);
    const runs = readdirSync(join(at.state, "understudy", "runs")).filter((n) => n.endsWith(".jsonl"));
    expect(runs).toHaveLength(4);
    const log = runs.map((name) => readFileSync(join(at.state, "understudy", "runs", name), "utf8")).join("");
    expect(log).toContain(`"type":"changes.undone","operationId":"${three}"`);
    expect(run(at, ["undo", "op_none"]).code).toBe(1);
    const doctor = run(at, ["doctor"]);
    expect(doctor.out).toMatch(/undo +3 of at most 50 steps kept/);
  });

  it("W8: the session that is resumed knows what agent undo did, and so does the model; never over the person's change", async () => {
    const { at, steps, session } = threeSteps();
    const [, , three = ""] = steps.map((s) => s.step);
    expect(run(at, ["undo"])).toMatchObject({ code: 0, out: `Undone ${three}:\n  ${at.folder}/new.txt\n` });
    writeFileSync(join(at.folder, "a.txt"), text(at).replace("LINE 8", "mine"));
    const over = run(at, ["undo"]);
    expect([over.code, over.err]).toEqual([1, expect.stringContaining("a.txt: it was changed since")]);
    expect(text(at)).toContain("mine");
    const api = await startApi([{ turn: { text: "I see.", calls: [] } } satisfies Answer]);
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "k" };
    const args = ["-p", "and now?", "--resume", session, "--model", "claude-x"];
    expect(await runAgent(at, args, env)).toMatchObject({ code: 0 });
    expect(JSON.stringify(api.requests[0])).toContain(
      "by `agent undo` or `agent redo` outside this session, undid a step of this session: new.txt is as before",
    );
    const log = readFileSync(join(at.state, "understudy", "sessions", `${session}.jsonl`), "utf8");
    expect(log).toMatch(/"type":"changes\.undone","operationId":"[^"]+","by":"agent undo \(undo-/);
  });
});

describe("/undo, /redo and /rewind on the screen", () => {
  it(
    "W4: a step in the middle by a choice, back again; double Esc rewinds files and conversation",
    { timeout: 120_000 },
    async (ctx) => {
      needs(ctx, missingTool("bwrap"));
      const at = place("undo");
      mkdirSync(join(at.folder, "d"));
      writeFileSync(join(at.folder, "a.txt"), TEN);
      const says = (words: string, ...calls: { name: string; input: Record<string, string> }[]): Answer => ({
        turn: { text: words, calls },
      });
      const api = await startApi([
        says("", read),
        says("", edit("line 1", "LINE 1")),
        says("First done."),
        says("", edit("line 8", "LINE 8")),
        says("", write("new.txt")),
        says("Second done."),
        says("Third done."),
      ]);
      const env = agentEnv(at, { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "k" });
      const terminal = openTerminal(process.execPath, [program, "--mode", "auto"], {
        cols: 100,
        rows: 40,
        cwd: at.folder,
        env,
      });
      await terminal.waitFor("what shall be done?");
      terminal.type("change the first\r");
      await terminal.waitFor("First done.");
      terminal.type("change the eighth\r");
      await terminal.waitFor("Second done.");
      const [one = ""] = changes(at).map((s) => s.step);
      terminal.type(`/undo ${one}\r`);
      const choice = await press(terminal, /Later changes are in the way/, "2", /Later lines stayed in a\.txt/);
      expect(choice.join("\n")).toMatch(/1 undo 1 later step as well[\s\S]*2 keep the later lines/);
      expect(text(at)).toBe(TEN.replace("line 8", "LINE 8"));
      terminal.type("/redo\r");
      await terminal.waitFor(/Redone: a\.txt/);
      expect(text(at)).toContain("LINE 1\n");

      await terminal.waitFor("what shall be done?");
      terminal.type("\x1b");
      await new Promise((resolve) => setTimeout(resolve, 150));
      terminal.type("\x1b");
      await press(terminal, /Back to before which message/, "\r", /files and conversation/);
      const preview = (await terminal.screen()).join("\n");
      expect(preview).toMatch(/Conversation: 1 message and 3 replies leave it/);
      expect(preview).toMatch(/new\.txt deleted/);
      expect(preview).toMatch(/a\.txt \+1 −1/);
      await press(terminal, /files and conversation/, "1", /The conversation is as it was before/);
      expect(text(at)).toBe(TEN.replace("line 1", "LINE 1"));
      expect(existsSync(join(at.folder, "new.txt"))).toBe(false);
      // The message is back in the composer.
      await terminal.waitFor("change the eighth");
      terminal.type("\r");
      await terminal.waitFor("Third done.");
      const sent = JSON.stringify(api.requests.at(-1));
      expect(sent).not.toContain("LINE 8");
      expect(sent).toContain("LINE 1");
      terminal.type("/exit\r");
      expect(await terminal.exited).toBe(0);
    },
  );
});
