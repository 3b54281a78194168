import { execFile, execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { agentEnv, scriptFile } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place } from "../support/session.ts";
import { scratch } from "../support/scratch.ts";
import { repo } from "../support/workspace-step.ts";

const root = resolve(import.meta.dirname, "../..");
const Step = z.object({
  name: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const Action = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string().optional() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.object({ using: z.literal("composite"), steps: z.array(Step) }),
});
const action = Action.parse(parse(readFileSync(join(root, "action.yml"), "utf8")));

/** Runs the action's own lines as a runner does, in a repository with a commit and a change behind it. */
async function ran(turns: object[], given: Record<string, string>) {
  const at = place("ci");
  repo(at.folder);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], { cwd: at.folder });
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("branch", "main-before");
  writeFileSync(join(at.folder, "new.txt"), "a new line\n");
  git("add", ".");
  git("commit", "-q", "-m", "second");
  const temp = scratch("runner");
  writeFileSync(join(temp, "npm"), '#!/bin/sh\necho "npm $*" >> "$RUNNER_TEMP/npm.log"\n', { mode: 0o755 });
  const inputs: Record<string, string> = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, { default: value = "" }]) => [name, value])),
    ...given,
  };
  inputs["args"] += `\n--model\n${scriptFile(at, { turns: turns as never })}\n`;
  const filled = (text: string) =>
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, name: string) => inputs[name] ?? "none");
  const env = {
    ...agentEnv(at),
    PATH: [temp, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    GITHUB_ACTION_PATH: root,
    RUNNER_TEMP: temp,
    GITHUB_OUTPUT: join(temp, "output"),
    GITHUB_STEP_SUMMARY: join(temp, "summary"),
  };
  const codes: unknown[] = [];
  for (const step of action.runs.steps.filter(({ run }) => run !== undefined)) {
    const more = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]));
    const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run ?? ""];
    codes.push(
      await new Promise((done) => {
        execFile("bash", args, { cwd: at.folder, env: { ...env, ...more } }, (error) => done(error?.code ?? 0));
      }),
    );
  }
  const read = (name: string) => readFileSync(join(temp, name), "utf8");
  return {
    codes,
    npm: read("npm.log"),
    output: read("output"),
    summary: read("summary"),
    result: read("understudy.json"),
  };
}

describe("U2: the action for GitHub", { timeout: 120_000 }, () => {
  it("answers with what changed since a commit, and writes a summary and outputs", async (ctx) => {
    needs(ctx, missingTool("git"));
    const turns = [{ text: "One line came.\n\n- it is *new*" }];
    const run = await ran(turns, { prompt: "What changed? $(touch /tmp/x) `id`", "diff-against": "main-before" });
    expect(run.codes).toEqual([0, 0]);
    expect(run.npm).toBe(`npm ci --prefix ${root}\n`);
    expect(run.summary).toMatch(
      /^### Understudy: done\n\nOne line came\.\n\n- it is \*new\*\n\n<sub>exit code 0 · done · 1 turn /,
    );
    const [, text] = /^result=.*understudy\.json\ntext<<(\S+)\n[^]*\n\1\n$/.exec(run.output) ?? [];
    expect(text).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(run.result)).toMatchObject({ type: "result", reason: "done" });
  });

  it("with its own flags alone it changes nothing; what was denied is in the summary, and --strict in the exit code", async (ctx) => {
    needs(ctx, missingTool("git"));
    const turns = [
      { calls: [{ name: "Write", input: { file_path: "b`.txt", content: "x" } }] },
      { text: "I may not." },
    ];
    const run = await ran(turns, { prompt: "write", args: "--mode\nplan\n\n--strict" });
    expect(run.codes).toEqual([0, 6]);
    expect(run.summary).toContain("### Understudy: something was denied\n\nI may not.\n\nDenied:\n\n- `Write b .txt: ");
  });

  it("every input and output is used, and told in docs/ci.md", () => {
    const text = readFileSync(join(root, "action.yml"), "utf8");
    const page = readFileSync(join(root, "docs/ci.md"), "utf8");
    const names = Object.keys(action.inputs);
    expect(names.filter((name) => !text.includes(`\${{ inputs.${name} }}`) || !page.includes(`\`${name}\``))).toEqual(
      [],
    );
    expect(Object.keys(action.outputs).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    // What a person typed or a model said is never a part of a script.
    expect(action.runs.steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });
});
