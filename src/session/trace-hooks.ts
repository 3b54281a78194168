import type { LogEventOf } from "../events/event.ts";

/** A hook's run in one line of the trace: what it came to, and what it decided, rewrote, added and changed. */
export function hookText(event: LogEventOf<"hook.ran">): string {
  const { name, exit, failed, note, durationMs, decision, reason, input, context, message, stop, touched = [] } = event;
  const parts = [
    failed ?? (exit === null ? "answered" : `exit ${exit}`),
    ...(durationMs === undefined ? [] : [`${durationMs} ms`]),
    ...(decision === undefined ? [] : [`${decision}${reason === undefined || reason === "" ? "" : ` (${reason})`}`]),
    ...(stop === undefined ? [] : [`stops the message (${stop})`]),
    ...(input === undefined ? [] : [`rewrites the input to ${JSON.stringify(input)}`]),
    ...(context === undefined ? [] : [`${context.length} characters for the model`]),
    ...(message === undefined ? [] : [`says: ${message}`]),
    ...(note === undefined ? [] : [note]),
    ...(touched.length === 0 ? [] : [`changed ${touched.map((t) => t.path).join(", ")}`]),
  ];
  return `hook ${name} on ${event.event}: ${parts.join(", ")}`;
}

/** Which hooks count from here on. */
export function hookSetText({ by, hooks, hash }: LogEventOf<"hooks.set">): string {
  const names = hooks.map((h) => `${h.event} ${h.name} (${h.source})`);
  const how = by === "start" ? "as found at the start" : "as the person approved them";
  return `hooks ${how} (${hash.slice(0, 12)}): ${names.length === 0 ? "none" : names.join("; ")}`;
}
