/** Where a project's skills lie, each a folder with a SKILL.md. */
export const SKILL_FOLDERS = [".agent/skills", ".claude/skills", ".agents/skills"] as const;
