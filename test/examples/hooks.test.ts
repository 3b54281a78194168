import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession, scriptedModel, type Hooks, type OpenOptions } from "../../src/index.ts";
import { fold, initialState } from "../../src/events/reduce.ts";
import { questionText } from "../../src/permissions/question-text.ts";
import { scriptOf } from "../../src/session/replay-script.ts";
import { traceLines } from "../../src/cli/trace-text.ts";
import { traceOf } from "../../src/session/trace.ts";
import { logOf, played, tableOf } from "../support/example.ts";
import { hooksFrom, hookScript } from "../support/hooks.ts";
import { libraryOptions } from "../support/library.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { agentEnv } from "../support/run-agent.ts";
import { answers, collect, openAt, place, type Place, type ScriptInput } from "../support/session.ts";

const RECIPES = [
  ...readFileSync(resolve(import.meta.dirname, "../../docs/hooks.md"), "utf8").matchAll(/^\{ "hooks": .*$/gm),
].map(([text]) => text);
const [FORMAT = "", BLOCK = "", ASK = "", TESTS = "", NOTIFY = ""] = RECIPES;

/** The person's settings in a place, and programs of theirs in front of the search path. */
function settings(at: Place, text: string, programs: Record<string, string> = {}): Partial<OpenOptions> {
  writeFileSync(join(at.config, "settings.json"), text);
  const bin = join(at.home, "bin");
  mkdirSync(bin, { recursive: true });
  for (const [name, body] of Object.entries(programs)) hookScript(bin, name, body);
  const env = agentEnv(at);
  return { env: { ...env, PATH: `${bin}:${env["PATH"] ?? ""}` } };
}

const usage = { input: 2000, output: 50 };
const bash = (command: string): ScriptInput => ({
  turns: [
    { usage, calls: [{ name: "Bash", input: { command } }] },
    { usage, text: "ok" },
  ],
});

describe("the recipes of docs/hooks.md", () => {
  it("H1: there are five", () => {
    expect(RECIPES).toHaveLength(5);
  });
  it("H6: formats what was edited, and undo takes it back", async (ctx) => {
    needs(ctx, missingTool("jq"));
    const at = place("hook");
    const more = settings(at, FORMAT, {
      npx: 'shift 2; for f; do tr a-z A-Z <"$f" >"$f.x"; cat "$f.x" >"$f"; rm "$f.x"; done',
    });
    const script: ScriptInput = {
      turns: [{ calls: [{ name: "Write", input: { file_path: "a b.txt", content: "one\n" } }] }, { text: "ok" }],
    };
    const session = await openSession(libraryOptions(at, { ...more, mode: "auto", model: scriptedModel(script) }));
    await collect(session.submit("go"));
    expect(readFileSync(join(at.folder, "a b.txt"), "utf8")).toBe("ONE\n");
    expect((await session.undo()).ok).toBe(true);
    expect(existsSync(join(at.folder, "a b.txt"))).toBe(false);
    await session.close();
  });
  it("H1: asks before a push, and only then", async (ctx) => {
    needs(ctx, missingTool("jq"));
    const at = place("hook");
    const asker = answers({ kind: "no", note: "later" });
    const call = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
    const script: ScriptInput = { turns: [call("git status"), call("git push origin main"), { text: "ok" }] };
    await played(at, { ...settings(at, ASK), mode: "auto", asker, model: scriptedModel(script) });
    expect(asker.asked.map((q) => q.effect.subject)).toEqual(["git push origin main"]);
    const [question] = asker.asked;
    if (question !== undefined) expect(questionText(question)).toContain("a push");
  });
  it("H4: sends the model back to failing tests", async () => {
    const at = place("hook");
    const more = settings(at, TESTS.replaceAll("/tmp/", `${at.home}/`), {
      npm: 'test -e good || { echo "1 test failed"; exit 1; }',
    });
    const script: ScriptInput = {
      turns: [
        { text: "done" },
        { calls: [{ name: "Write", input: { file_path: "good", content: "x\n" } }] },
        { text: "now done" },
      ],
    };
    const { result, events } = await played(at, { ...more, mode: "auto", model: scriptedModel(script) });
    expect(result).toMatchObject({ reason: "done", text: "now done" });
    expect(events.some((e) => e.type === "note.added" && e.text.includes("> 1 test failed"))).toBe(true);
  });
  it("H1: tells that somebody is waited for", async (ctx) => {
    needs(ctx, missingTool("jq"));
    const at = place("hook");
    const more = settings(at, NOTIFY, { "notify-send": `echo "$@" >> ${at.home}/told` });
    const told = (): string => (existsSync(join(at.home, "told")) ? readFileSync(join(at.home, "told"), "utf8") : "");
    const calls = [{ name: "Write", input: { file_path: "a.txt", content: "x\n" } }];
    // As long as a person takes at least.
    const ask = async () => {
      await expect.poll(told, { timeout: 60_000 }).not.toBe("");
      return { kind: "yes" as const };
    };
    const asker = { ask, askPerson: () => Promise.resolve(undefined) };
    await played(at, { ...more, asker, model: scriptedModel({ turns: [{ calls }, { text: "ok" }] }) });
    expect(told()).toBe("Understudy Asks for your permission: Write\n");
  });
  it("H2, P8: a hook that blocks rm -rf blocks it under --bypass too", async (ctx) => {
    needs(ctx, missingTool("jq"));
    const at = place("hook");
    mkdirSync(join(at.folder, "src"));
    writeFileSync(join(at.folder, "src/a"), "a\n");
    // Under --bypass nothing else asks about it: without the hook it is gone.
    const tables: string[] = [];
    for (const blocked of [true, false]) {
      const written: unknown = blocked ? (JSON.parse(BLOCK) as { hooks: unknown }).hooks : {};
      const session = await openAt(at, {
        script: bash("rm -rf src"),
        more: { mode: "auto", hooks: hooksFrom(written), bypass: () => undefined },
      });
      const { result } = await collect(session.submit("clean up"));
      tables.push(traceLines(traceOf(session.looks.facts()), { stable: true }).join("\n"));
      await session.close();
      expect(existsSync(join(at.folder, "src"))).toBe(blocked);
      expect(result.denials.map((d) => d.by)).toEqual(blocked ? ["hook"] : []);
    }
    expect(tables[0]).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model
        - hooks as found at the start (ed34a9fb7658): PreToolUse jq -r .tool_input.co…
        - bypass on: what the policy would ask is allowed (by flag)

      > clean up
         1     2,000        0        0      50        0  1 call
          Bash {"command":"rm -rf src"}
            before: denied by hook (low): the hook jq -r .tool_input.command | grep
              -Eq '(^|[;&|[:space:]])rm … denies: rm -rf is not for you: delete files
              one by one
            denied, 145 characters
        - hook jq -r .tool_input.command | grep -Eq '(^|[;&|[:space:]])rm … on PreToo…
         2     2,000        0        0      50        0  text
          "ok"
      = done after 2 turns

         2     4,000        0        0     100        0  in all
      1 call, asked nothing, 1 denied, nothing landed; ended: done"
    `);
    expect(tables[1]).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model
        - bypass on: what the policy would ask is allowed (by flag)

      > clean up
         1     2,000        0        0      50        0  1 call
          Bash {"command":"rm -rf src"}
            changes: allowed by bypass (high): deletes 1 file: src/a (not asked:
              --bypass)
            ok, landed 1 file, 48 characters
         2     2,000        0        0      50        0  text
          "ok"
      = done after 2 turns

         2     4,000        0        0     100        0  in all
      1 call, asked nothing, landed 1 file in 1 step; ended: done"
    `);
  });
});

describe("hooks of a program", () => {
  it("U3, H1, H2: functions get and answer the same; one that throws makes the call ask, and an allow is nothing", async () => {
    const at = place("hook");
    const seen: string[] = [];
    const hooks: Hooks = {
      PreToolUse: [
        {
          matcher: "Bash",
          name: "no pushes",
          run: ({ tool_input }) =>
            String(tool_input["command"]).includes("git push")
              ? { decision: "deny", reason: "a person pushes" }
              : { decision: "allow" },
        },
        {
          matcher: "Read",
          run: () => {
            throw new Error("broken");
          },
        },
      ],
      Stop: [{ run: ({ last_assistant_message }) => void seen.push(last_assistant_message) }],
    };
    const script: ScriptInput = {
      turns: [
        { calls: [{ name: "Bash", input: { command: "git push" } }] },
        { calls: [{ name: "Read", input: { file_path: "." } }] },
        { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x\n" } }] },
        { text: "bye" },
      ],
    };
    const { result, id } = await played(at, { hooks, model: scriptedModel(script) });
    expect(result.denials.map((d) => `${d.tool} ${d.by ?? ""}`)).toEqual(["Bash hook", "Read nobody", "Write nobody"]);
    expect(result.denials[0]?.reason).toContain("a person pushes");
    expect(result.denials[1]?.reason).toContain("broken");
    expect(seen).toEqual(["bye"]);
    // E6: the trace tells them; playing the log again ends where a hook began, and runs none.
    const trace = (await tableOf(at, id)).replaceAll(/\s+/g, " ");
    expect(trace).toContain("hook no pushes on PreToolUse");
    expect(trace).toContain("deny (a person pushes)");
    const { events } = await logOf(at, id);
    expect(scriptOf(events, new Set(["Bash", "Read", "Write"])).cut?.why).toContain("hook.started depends on");
    expect(fold(initialState(id), events).calls).toEqual((await logOf(at, id)).state.calls);
  });
});
