import type { RunningAgent } from "../store/view.ts";
import { cleanRow } from "./clean.ts";
import { line, type Line, type Span, wrap } from "./spans.ts";
import { several, short } from "./units.ts";

/** What a finished Task call tells of its sub-agent. */
export interface AgentDetails {
  agent: string;
  turns: number;
  calls: number;
  tokens: number;
}

/** Out of a result's details; undefined where they tell of none. */
export function agentOf(details: unknown): AgentDetails | undefined {
  if (typeof details !== "object" || details === null || !("agentId" in details)) return undefined;
  const of = (key: string): unknown => Reflect.get(details, key);
  const count = (key: string): number => (typeof of(key) === "number" ? Number(of(key)) : 0);
  const agent = of("agent");
  if (typeof agent !== "string") return undefined;
  return { agent, turns: count("turns"), calls: count("calls"), tokens: count("tokens") };
}

/** `8 turns · 12 calls · 45k tokens`: an agent's work in a few words. */
export function agentCounts({ turns, calls, tokens }: Omit<AgentDetails, "agent">): string {
  return `${several(turns, "turn")} · ${several(calls, "call")} · ${short(tokens)} tokens`;
}

/** What an agent at work does now and has used, for the end of its row. */
export function agentDoing({ doing, calls, tokens }: RunningAgent): { doing: Span; counts: string } {
  const now = doing === "" ? "" : ` · ${cleanRow(doing)}`;
  return { doing: { text: now, style: "dim" }, counts: ` · ${several(calls, "call")} · ${short(tokens)} tokens` };
}

/** Of the program's own words about it those that say what became of its changes. */
const TOLD =
  /^\[((?:It landed|Pending, not in the folder yet|In its own layer wait|Nothing landed|\d+ of its calls).*)\]$/;

export function agentBody(text: string, width: number): Line[] {
  const lines = text.split("\n").flatMap((row) => TOLD.exec(row)?.[1] ?? []);
  return lines.flatMap((row) => wrap(line(cleanRow(row), "dim"), { width }));
}
