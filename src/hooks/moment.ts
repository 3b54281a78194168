import type { Mode } from "../events/effect.ts";

/** When hooks run (H1), under the names that the ecosystem's scripts know. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "UserPromptSubmit",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "Notification",
  "PermissionRequest",
  "ModeChange",
  "FileChanged",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** What a hook of each event is told besides `Common`. Paths are absolute. */
export interface HookFields {
  PreToolUse: { tool_name: string; tool_input: Record<string, unknown>; tool_use_id: string };
  PostToolUse: {
    tool_name: string;
    tool_input: Record<string, unknown>;
    tool_use_id: string;
    tool_response: ToolResponse;
  };
  PostToolUseFailure: {
    tool_name: string;
    tool_input: Record<string, unknown>;
    tool_use_id: string;
    error: string;
    is_interrupt: boolean;
  };
  UserPromptSubmit: { prompt: string };
  SessionStart: { source: "startup" | "resume" | "clear" | "compact"; model: string };
  SessionEnd: { reason: "clear" | "other" };
  Stop: { stop_hook_active: boolean; last_assistant_message: string };
  SubagentStart: { agent_id: string; agent_type: string };
  SubagentStop: {
    agent_id: string;
    agent_type: string;
    agent_transcript_path: string;
    stop_hook_active: boolean;
    last_assistant_message: string;
  };
  PreCompact: { trigger: "manual" | "auto"; custom_instructions: string };
  PostCompact: { trigger: "manual" | "auto"; compact_summary: string };
  Notification: { message: string; title: string; notification_type: string };
  PermissionRequest: {
    tool_name: string;
    tool_input: Record<string, unknown>;
    tool_use_id: string;
    /** Ours: which of the two gates, what risk, why it is asked. */
    gate: "needs" | "changes";
    risk: string;
    reason: string;
  };
  ModeChange: { old_mode: Mode; new_mode: Mode };
  FileChanged: { file_path: string; event: "change" | "unlink" };
}

/** What a tool's result is told as: the text that the model reads, and what files came of it. */
export interface ToolResponse {
  content: string;
  success: boolean;
  filePath?: string;
  /** Of a command: both streams, as they came. */
  stdout?: string;
  stderr?: string;
  exit_code?: number;
}

/** What every hook is told. `permission_mode`: in the ecosystem's words; `mode`: in ours. */
export interface Common {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode: string;
  mode: Mode;
  /** In a sub-agent. */
  agent_id?: string;
  agent_type?: string;
}

export type HookInput<E extends HookEvent = HookEvent> = Common & { hook_event_name: E } & HookFields[E];

/** The ecosystem's word for a mode. */
export const PERMISSION_MODE: Readonly<Record<Mode, string>> = { plan: "plan", ask: "default", auto: "acceptEdits" };

/** What a matcher is compared with; "" where there is nothing to choose by: every hook of the event runs. */
export function subjectOf<E extends HookEvent>(event: E, fields: HookFields[E]): string {
  const found = SUBJECTS[event];
  const value: unknown = found === undefined ? "" : Reflect.get(fields, found);
  return typeof value === "string" ? value : "";
}

const SUBJECTS: Partial<Record<HookEvent, string>> = {
  PreToolUse: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  PermissionRequest: "tool_name",
  SessionStart: "source",
  SessionEnd: "reason",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  PreCompact: "trigger",
  PostCompact: "trigger",
  Notification: "notification_type",
  ModeChange: "new_mode",
  FileChanged: "file_path",
};

/** Events at which exit code 2 holds something back or sends the model on; at any other it is told as a failure. */
export const BLOCKS: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PermissionRequest",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "PostToolUse",
  "PostToolUseFailure",
]);
