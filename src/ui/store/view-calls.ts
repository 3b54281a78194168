import type { ReplyBlock } from "../../events/block.ts";
import { called } from "../../events/called.ts";
import type { LogEventOf } from "../../events/event.ts";
import type { Entry } from "./entry.ts";
import type { Phase, RunningCall, View, ViewStep } from "./view.ts";

/** A call that a reply asked for. */
export function asked(block: Extract<ReplyBlock, { type: "tool_use" }>): RunningCall {
  const { id, name, input } = called(block);
  return { callId: id, tool: name, input, lines: [] };
}

const LINES = 20;
const LINE_CHARS = 2000;

/** A call's newest lines; a carriage return begins the line anew, as progress bars do. */
export function heard(call: RunningCall, text: string): RunningCall {
  const last = (call.lines.at(-1) ?? "") + text.slice(-200_000);
  const lines = last.split("\n").map((line) => lastState(line));
  return { ...call, lines: [...call.lines.slice(0, -1), ...lines].slice(-LINES) };
}

function lastState(line: string): string {
  const parts = line.split("\r");
  // A carriage return at the end may be half of a line end.
  const shown = parts.at(-1) === "" && parts.length > 1 ? `${parts.at(-2) ?? ""}\r` : (parts.at(-1) ?? "");
  return shown.length > LINE_CHARS ? shown.slice(0, LINE_CHARS) : shown;
}

/** A call that runs now. */
export function started(running: readonly RunningCall[], event: LogEventOf<"call.started">, at: number): RunningCall[] {
  const call = { callId: event.callId, tool: event.tool, input: event.input, startedAt: at, lines: [] };
  const known = running.some((c) => c.callId === event.callId);
  return known ? running.map((c) => (c.callId === event.callId ? call : c)) : [...running, call];
}

/** Its denial has a row of its own, so that a card with nothing else to tell is none (P-8). */
export function deniedCall(running: readonly RunningCall[], callId: string): readonly RunningCall[] {
  return running.map((call) => (call.callId === callId ? { ...call, denied: true } : call));
}

/** A call has its result: its card is printed. */
export function finishedCall(view: View, event: LogEventOf<"call.finished">): ViewStep {
  const call = view.running.find((c) => c.callId === event.callId);
  const running = view.running.filter((c) => c.callId !== event.callId);
  const question = view.question?.callId === event.callId ? undefined : view.question;
  const card: Entry = {
    kind: "card",
    callId: event.callId,
    tool: call?.tool ?? "?",
    input: call?.input ?? {},
    result: event,
    ...(call?.denied === true && event.status === "denied" ? { told: true } : {}),
  };
  const phase: Phase = question !== undefined ? "asking" : running.length > 0 ? "running" : "waiting";
  return { view: { ...view, running, question, phase: view.phase === "idle" ? "idle" : phase }, entries: [card] };
}
