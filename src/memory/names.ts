/** Files of instructions, relative to the folder that they are for. */
export const MEMORY_FILES = [
  "CLAUDE.md",
  "CLAUDE.local.md",
  "AGENTS.md",
  "AGENTS.local.md",
  ".claude/CLAUDE.md",
  ".agent/AGENTS.md",
] as const;

/** Folders of rules, each a Markdown file. */
export const RULE_FOLDERS = [".agent/rules", ".claude/rules"] as const;

/** The person's own, which git should not see. */
export function isLocal(path: string): boolean {
  return path.endsWith(".local.md");
}
