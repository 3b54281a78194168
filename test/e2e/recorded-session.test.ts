import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runAgent } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place } from "../support/session.ts";

const fixtures = resolve(import.meta.dirname, "../../fixtures");
const recording = join(fixtures, "replies", "durations.jsonl");
type Event = Record<string, unknown> & { type: string };

function parsed(text: string): Event[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event);
}

/** The text that the person sent when the session was recorded. */
function recordedPrompt(): string {
  const sent = parsed(readFileSync(recording, "utf8")).find((e) => e.type === "prompt.submitted");
  if (sent === undefined) throw new Error("the recording holds no prompt");
  return (sent["content"] as { text: string }[]).map((block) => block.text).join("");
}

/** A library with a bug and failing tests, under git. */
function project() {
  const at = place("recorded");
  cpSync(join(fixtures, "repos", "durations"), at.folder, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@x.example", ...args], {
      cwd: at.folder,
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "start");
  return { at, git };
}

describe("M4: a recorded session, its tools run for real", () => {
  it("finds the bug, mends it, adds a test; what nobody allowed did not happen", async (ctx) => {
    needs(ctx, missingTool("git"));
    const { at, git } = project();
    const env = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };
    const args = [
      "-p",
      recordedPrompt(),
      "--model",
      `recorded:${recording}`,
      "--mode",
      "auto",
      "--output-format",
      "stream-json",
    ];
    const { code, out, err } = await runAgent(at, args, env);
    expect([code, err]).toEqual([0, expect.stringContaining("denied Bash rm README.md")]);
    const calls = parsed(out).filter((e) => e.type === "call.finished");
    expect(calls.map((e) => e["status"])).toEqual(["ok", "ok", "ok", "error", "ok", "ok", "ok", "ok", "denied"]);
    const runs = calls
      .map((e) => (e["details"] as { exit?: number } | undefined)?.exit)
      .filter((exit) => exit !== undefined);
    expect(runs[0]).toBe(1);
    expect(git("diff", "--stat", "--", ".")).toMatch(
      /src\/parse\.js +\| 1 \+\n test\/durations\.test\.js \| 5 \+{5}\n/,
    );
    expect(git("status", "--short")).toBe(" M src/parse.js\n M test/durations.test.js\n");
    expect(readFileSync(join(at.folder, "src/parse.js"), "utf8")).toContain("  let end = 0;\n  PART.lastIndex = 0;\n");
    expect(execFileSync(process.execPath, ["--test"], { cwd: at.folder, encoding: "utf8" })).toMatch(/pass 5/);
  });
});
