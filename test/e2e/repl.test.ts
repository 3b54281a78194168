import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { startApi, type Answer } from "../support/api-server.ts";
import { press } from "../support/press.ts";
import { agentEnv } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const git = (at: Place, ...args: string[]) =>
  execFileSync("git", ["-C", at.folder, "-c", "user.name=t", "-c", "user.email=t@t.invalid", ...args], {
    encoding: "utf8",
  });

function project(): Place {
  const at = place("repl");
  writeFileSync(join(at.folder, "a.txt"), "one\n");
  writeFileSync(join(at.folder, "b.txt"), "b\n");
  git(at, "init", "-q", "-b", "main");
  git(at, "config", "user.name", "t");
  git(at, "config", "user.email", "t@t.invalid");
  git(at, "add", "-A");
  git(at, "commit", "-qm", "start");
  return at;
}

function open(at: Place, url: string, args: readonly string[] = []): Terminal {
  const env = agentEnv(at, { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "CANARY-KEY" });
  return openTerminal(process.execPath, [program, ...args], { cols: 100, rows: 30, cwd: at.folder, env });
}

const call = (name: string, input: Record<string, unknown>) => ({ name, input });
const bash = (command: string) => call("Bash", { command });
const says = (text: string, ...calls: ReturnType<typeof call>[]): Answer => ({ turn: { text, calls } });

/** Processes of this machine whose command line names it. */
function running(mark: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });
}

describe("the screen, in a terminal, on a server of the Messages API", () => {
  it(
    "U1, P1, P5, P8, P9, S7, E2: asks, shows, lands, drops, commits, stops and resumes",
    { timeout: 180_000 },
    async (ctx) => {
      needs(ctx, missingTool("git") ?? missingTool("bwrap"));
      const at = project();
      const api = await startApi([
        says(
          "I look around.",
          call("Read", { file_path: "a.txt" }),
          call("Grep", { pattern: "one" }),
          call("Glob", { pattern: "*.txt" }),
          bash("git status --short"),
        ),
        says("Now the edit.", call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" })),
        says("And a file that goes.", bash("rm b.txt")),
        // The person said no: the query ended. Then, in auto mode:
        says("I commit.", bash("git commit -qam second")),
        says("It is committed."),
        says("A long one.", bash("echo begun; sleep 7654")),
        says("I go on after the resume."),
      ]);
      const terminal = open(at, api.url);
      await terminal.waitFor("what shall be done?");
      terminal.type("change one to two\r");
      await terminal.waitFor(/Land Edit.s changes/);
      // What came before the edit ran unasked, and the edit is not yet in the folder.
      expect(api.requests).toHaveLength(2);
      const shown = await press(terminal, /Land Edit.s changes/, "1", /allowed by you/);
      expect(shown.join("\n")).toMatch(/− one[\s\S]*\+ two/);
      const deletion = await press(terminal, /Land Bash.s changes/, "3", /Stopped: you said no/);
      expect(deletion.join("\n")).toMatch(/deletes 1 file: b\.txt/);
      expect([readFileSync(join(at.folder, "a.txt"), "utf8"), existsSync(join(at.folder, "b.txt"))]).toEqual([
        "two\n",
        true,
      ]);

      await terminal.waitFor("ask mode");
      terminal.type("\x1b[Z");
      await terminal.waitFor("auto mode");
      terminal.type("commit it\r");
      await terminal.waitFor("It is committed.");
      expect(git(at, "log", "--format=%s")).toBe("second\nstart\n");

      terminal.type("run something long\r");
      await terminal.waitFor(/A long one/);
      await expect.poll(() => running("7654").length, { timeout: 20_000 }).toBeGreaterThan(0);
      const began = Date.now();
      terminal.type("\x1b");
      await expect.poll(() => running("7654").length, { timeout: 20_000 }).toBe(0);
      expect(Date.now() - began).toBeLessThan(20_000);
      await terminal.waitFor(/Stopped by you|■ Stopped/);

      terminal.type("/exit\r");
      expect(await terminal.exited).toBe(0);
      const [entry] = listSessions(join(at.state, "understudy", "sessions"));
      expect((await terminal.lines()).join("\n")).toContain(`agent --resume ${entry?.id ?? "?"}`);
      const log = readFileSync(join(at.state, "understudy", "sessions", `${entry?.id ?? ""}.jsonl`), "utf8");
      expect(log).toContain('"type":"mode.changed"');
      expect(log).not.toContain("CANARY-KEY");

      const again = open(at, api.url, ["--resume", entry?.id ?? ""]);
      await again.waitFor("what shall be done?");
      const history = (await again.lines()).join("\n");
      for (const words of ["change one to two", "Now the edit.", "It is committed.", "A long one."])
        expect(history).toContain(words);
      await again.waitFor("auto mode");
      again.type("and?\r");
      await again.waitFor("I go on after the resume.");
      again.type("/exit\r");
      expect(await again.exited).toBe(0);
      expect(api.breaches).toEqual([]);
    },
  );
});
