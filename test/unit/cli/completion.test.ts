import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";
import { completionScript } from "../../../src/cli/completion.ts";
import type { ShellName } from "../../../src/cli/args-completion.ts";
import { deep } from "../../support/deep.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";

function script(shell: ShellName): string {
  const parsed = parseArgs(["completion", shell], "1");
  if (!parsed.ok || parsed.invocation.verb !== "completion") throw new Error("no completion");
  return completionScript(shell, parsed.invocation.program);
}

/** What bash offers behind these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  return offeredIn({}, ...words);
}

function offeredIn(env: Record<string, string>, ...words: string[]): string[] {
  const file = join(scratch(), "c.bash");
  writeFileSync(file, script("bash"));
  const run =
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agent; [ ${#COMPREPLY[@]} = 0 ] || printf "%s\\n" "${COMPREPLY[@]}"';
  const out = execFileSync("bash", ["--norc", "-c", run, "bash", file, "agent", ...words], {
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin", HOME: "/nowhere", ...env },
  });
  return out.split("\n").filter((line) => line !== "");
}

describe("agent completion", () => {
  it("U6: bash completes commands, what they hold, flags and the values of flags", () => {
    expect(offered("ev")).toEqual(["eval"]);
    expect(offered("eval", "re")).toEqual(["report"]);
    expect(offered("--mode", "")).toEqual(["plan", "ask", "auto"]);
    expect(offered("-p", "--output-format", "s")).toEqual(["stream-json"]);
    expect(offered("policy", "test", "--mo")).toEqual(["--mode"]);
    expect(offered("policy", "test", "--mode", "a")).toEqual(["ask", "auto"]);
    // A word that is no command of that place leads nowhere else.
    expect(offered("a prompt", "ev")).toEqual(["eval"]);
    expect(offered("cost", "--t")).toEqual(["--turns"]);
  });
  it("U6: bash completes shells, and ids of sessions where one is due, without those of sub-agents", () => {
    expect(offered("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
    expect(offered("completion", "z")).toEqual(["zsh"]);
    const state = scratch("state");
    mkdirSync(join(state, "understudy/sessions"), { recursive: true });
    for (const file of ["2026-one.jsonl", "2026-one.head", "2026-one-a1.jsonl"])
      writeFileSync(join(state, "understudy/sessions", file), "");
    const env = { XDG_STATE_HOME: state };
    expect(offeredIn(env, "--resume", "2026")).toEqual(["2026-one"]);
    expect(offeredIn(env, "sessions", "rename", "2")).toEqual(["2026-one"]);
    expect(offeredIn(env, "export", "2")).toEqual(["2026-one"]);
    expect(offeredIn(env, "export", "--f")).toEqual(["--format"]);
    expect(offeredIn(env, "eval", "2")).toEqual([]);
  });
  it.each<ShellName>(["bash", "zsh", "fish"])("U6: every command and every flag is in the script for %s", (shell) => {
    const text = script(shell);
    const parsed = parseArgs(["completion", shell], "1");
    const program = parsed.ok && parsed.invocation.verb === "completion" ? parsed.invocation.program : undefined;
    const flags = (program?.options ?? []).filter((o) => !o.hidden).map((o) => (o.long ?? "").slice(2));
    for (const word of [...(program?.commands ?? []).map((c) => c.name()), ...flags]) expect(text).toContain(word);
    expect(text).not.toContain("tour-without-terminal");
  });
  // Shells that few machines have.
  it.for((["zsh", "fish"] as const).slice(0, deep(0, 2)))("U6: %s can read its script", (shell, ctx) => {
    needs(ctx, missingTool(shell));
    const file = join(scratch(), `c.${shell}`);
    writeFileSync(file, script(shell));
    expect(execFileSync(shell, ["-n", file], { encoding: "utf8" })).toBe("");
  });
});
