/** Where a project's skills lie, each a folder with a SKILL.md. */
export const SKILL_FOLDERS = [".agent/skills", ".claude/skills", ".agents/skills"] as const;

/** Where its commands lie, each a Markdown file. */
export const COMMAND_FOLDERS = [".agent/commands", ".claude/commands"] as const;
