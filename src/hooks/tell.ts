import type { LogEventOf } from "../events/event.ts";

/** What a hook did that the person should see: that it failed, held something back, speaks to them, or changed files; else nothing. */
export function hookWords(event: LogEventOf<"hook.ran">): { text: string; style: "dim" | "warning" }[] {
  const { name, failed, decision, reason = "", message, note, touched = [], stop } = event;
  const rows: { text: string; style: "dim" | "warning" }[] = [];
  const who = `hook ${name} (${event.event})`;
  // A notice that the answer overtook is nobody's news.
  if (failed !== undefined && event.event === "Notification" && failed === "was stopped") return [];
  if (failed !== undefined) rows.push({ text: `⚠ ${who} ${failed}`, style: "warning" });
  else if (decision === "deny")
    rows.push({ text: `⊘ ${who} ${DENIES[event.event] ?? "says no"}: ${reason}`, style: "warning" });
  if (stop !== undefined) rows.push({ text: `■ ${who} stops here: ${stop}`, style: "warning" });
  if (message !== undefined) rows.push({ text: `${who}: ${message}`, style: "dim" });
  if (note !== undefined) rows.push({ text: `${who} ${note}`, style: "dim" });
  if (touched.length > 0)
    rows.push({ text: `✓ ${who} changed ${touched.map((t) => t.path).join(", ")}`, style: "dim" });
  return rows;
}

const DENIES: Readonly<Record<string, string>> = {
  UserPromptSubmit: "held your message back",
  Stop: "sends the model on",
  SubagentStop: "sends the sub-agent on",
  PostToolUse: "finds fault",
  PostToolUseFailure: "finds fault",
};
