/** Agents whose files are known, as they are typed. */
export const AGENT_NAMES = ["claude", "codex", "gemini", "opencode"] as const;
export type AgentName = (typeof AGENT_NAMES)[number];
