import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";

const GUARD = `import json, sys
call = json.load(sys.stdin)
if call["tool_input"].get("file_path", "").endswith(".lock"):
    print("lock files are made by the package manager", file=sys.stderr)
    sys.exit(2)
`;
const FORMAT = `#!/bin/sh
file=$(sed -n 's/.*"file_path": *"\\([^"]*\\)".*/\\1/p')
cd "$CLAUDE_PROJECT_DIR" && printf '// formatted\\n' >> "$file"
`;
const FILES: Readonly<Record<string, string>> = {
  ".claude/settings.json": JSON.stringify({
    permissions: { deny: ["Edit(secret/**)"], allow: ["Bash(*)"] },
    hooks: {
      PreToolUse: [
        {
          matcher: "Write|Edit",
          hooks: [{ type: "command", command: 'python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.py' }],
        },
      ],
      PostToolUse: [
        { matcher: "Write", hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/format.sh' }] },
      ],
    },
  }),
  ".claude/hooks/guard.py": GUARD,
  ".claude/hooks/format.sh": FORMAT,
  ".claude/commands/git/review.md": "---\ndescription: reviews\n---\nReview $1 with care: !`echo from-shell`\n",
  ".claude/agents/reader.md": "---\nname: reader\ndescription: reads\ntools: Read\n---\nYou read files.\n",
  ".claude/skills/release/SKILL.md":
    "---\nname: release\ndescription: how a release is made\n---\nTag it, then tell everybody.\n",
  "CLAUDE.md": "Indent with tabs in this project.\n",
};

function existing(): Place {
  const at = place("claude");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(at.folder, name)), { recursive: true });
    writeFileSync(join(at.folder, name), text, { mode: 0o755 });
  }
  return at;
}

const turns = [
  { calls: [{ name: "Write", input: { file_path: "deps.lock", content: "x" } }] },
  { calls: [{ name: "Write", input: { file_path: "a.js", content: "a;\n" } }] },
  { calls: [{ name: "Write", input: { file_path: "secret/b.js", content: "b;\n" } }] },
  { calls: [{ name: "Skill", input: { name: "release" } }] },
  { calls: [{ name: "Task", input: { agent: "reader", description: "read", prompt: "read a.js" } }] },
  { text: "done" },
];

it(
  "H1, C2, C5, C6, U6: a folder of another agent works as it is, once it is trusted",
  { timeout: 120_000 },
  async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    needs(ctx, missingTool("python3"));
    const at = existing();
    const model = scriptFile(at, { turns, loop: true });
    const args = ["-p", "/git:review main", "--output-format", "stream-json", "--mode", "auto", "--model", model];
    const run = await runAgent(at, [...args, "--trust-folder", "--max-turns", "12"]);
    expect(run.err).not.toContain("can't be used");
    expect(run.out).toContain("lock files are made by the package manager");
    expect(existsSync(join(at.folder, "deps.lock"))).toBe(false);
    expect(readFileSync(join(at.folder, "a.js"), "utf8")).toBe("a;\n// formatted\n");
    expect(existsSync(join(at.folder, "secret/b.js"))).toBe(false);
    for (const words of ["Review main with care: from-shell", "Tag it, then tell everybody.", "Indent with tabs"])
      expect(run.out).toContain(words);
    expect(run.out).toMatch(/"type":"agent\.started"[^\n]*"reader"/);
  },
);

it(
  "H5, U6: without trust its hooks, skills and commands do nothing, and its denies count all the same",
  { timeout: 120_000 },
  async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = existing();
    const model = scriptFile(at, { turns: [...turns.slice(1, 3), { text: "done" }] });
    const run = await runAgent(at, ["-p", "go", "--output-format", "stream-json", "--mode", "auto", "--model", model]);
    expect(readFileSync(join(at.folder, "a.js"), "utf8")).toBe("a;\n");
    expect(existsSync(join(at.folder, "secret/b.js"))).toBe(false);
    expect(run.out).not.toContain("hook.ran");
  },
);
