import { isAbsolute, join } from "node:path";
import type { ToolCall, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { visible } from "../util/visible.ts";

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  Glob: "search",
  Grep: "search",
  ToolSearch: "search",
  Write: "edit",
  Edit: "edit",
  Delete: "delete",
  Bash: "execute",
  BashOutput: "read",
  KillShell: "execute",
  WebFetch: "fetch",
  TodoWrite: "think",
  Remember: "think",
  ExitPlan: "switch_mode",
};
/** What of an input says what a call is about, the first that is there. */
const SUBJECTS = ["command", "file_path", "path", "pattern", "url", "description", "name", "query", "question"];
const MOST_TITLE = 200;

/** Of a call that the model asks for: what an editor shows of it before it has run. Pure. */
export function toolCall(
  id: string,
  { tool, input, folder }: { tool: string; input: Readonly<Record<string, unknown>>; folder: string },
): ToolCall {
  return {
    toolCallId: id,
    title: titleOf(tool, input),
    name: tool,
    kind: KINDS[tool] ?? "other",
    status: "pending",
    locations: locations(input, folder),
    rawInput: input,
  };
}

/** `Bash npm test`: one row, what can't be seen written out. */
export function titleOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  const subject = SUBJECTS.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  const words = typeof subject === "string" ? subject.replace(/\s+/g, " ").trim() : "";
  const cut = words.length > MOST_TITLE ? `${words.slice(0, MOST_TITLE)}…` : words;
  return visible(`${tool} ${cut}`.trim(), "");
}

function locations(input: Readonly<Record<string, unknown>>, folder: string): ToolCallLocation[] {
  const path = [input["file_path"], input["path"]].find((value) => typeof value === "string" && value !== "");
  if (typeof path !== "string") return [];
  const line = input["offset"];
  return [
    {
      path: isAbsolute(path) ? path : join(folder, path),
      ...(typeof line === "number" && line >= 1 ? { line } : {}),
    },
  ];
}
