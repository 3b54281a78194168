import { lstatSync, rmSync } from "node:fs";
import { textOf } from "../events/block.ts";
import type { EndReason, LogEvent, Usage } from "../events/event.ts";
import type { AgentState, SessionState } from "../events/state.ts";
import { sessionFiles } from "../events/load.ts";
import { lessOf, NO_USAGE, sumOf } from "../events/usage.ts";
import type { Unrecorded } from "../loop/above.ts";
import { tokensOf } from "../loop/ledger.ts";
import { agentIdOf } from "../events/agent-id.ts";
import type { AgentBook } from "./agents-book.ts";
import type { AgentKind } from "./agents-define.ts";
import type { LiveParts } from "./live-parts.ts";
import type { LoopDeps } from "../loop/deps.ts";
import type { OpenOptions } from "./options.ts";
import type { ChangeReport } from "./session.ts";

/** A sub-agent as a list shows it. Without `ended` it works now, or waits to be gone on with (`left`: the program ended meanwhile). */
export interface AgentRow {
  id: string;
  agent: string;
  description: string;
  model: string;
  startedAt: string;
  ended?: EndReason;
  left?: true;
  /** What it is at. */
  doing?: string;
  /** 1: of the session itself; deeper ones stand behind theirs. */
  depth: number;
  turns: number;
  calls: number;
  tokens: number;
}

/** The sub-agents of an open session, for the person. */
export interface SessionAgents {
  /** What can be started. */
  kinds(): readonly AgentKind[];
  roster(): readonly AgentRow[];
  /** The newest of what it said and did, a line each; undefined where none of that name works. */
  peek(id: string): readonly string[] | undefined;
  /** Ends one with all that it started. What it did so far goes to who started it. */
  stop(id: string): ChangeReport;
}

interface Running {
  child: LiveParts;
  stop: AbortController;
}

/** Holds the sub-agents that work now; of those that have ended the log tells. */
export class LiveAgents {
  readonly book: AgentBook;
  /** Opens the session of one. */
  readonly open: (options: OpenOptions) => Promise<{ parts: LiveParts; deps: LoopDeps }>;
  readonly #running = new Map<string, Running>();
  #begun = 0;

  constructor(book: AgentBook, open: LiveAgents["open"]) {
    this.book = book;
    this.open = open;
  }

  /** An id that no agent of the session has. */
  newId({ id, agents }: SessionState): string {
    this.#begun = Math.max(this.#begun, agents.length) + 1;
    return agentIdOf(id, this.#begun);
  }

  add(id: string, running: Running): void {
    this.#running.set(id, running);
  }
  remove(id: string): void {
    this.#running.delete(id);
  }
  /** Whether there is a log of it; one that nothing was written to yet is taken away. */
  hasLog(sessionsDir: string, id: string): boolean {
    const { log, head } = sessionFiles(sessionsDir, id);
    const size = lstatSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) for (const file of [log, head]) rmSync(file, { force: true });
    return size > 0;
  }
  runs(id: string): boolean {
    return this.#running.has(id);
  }

  /** What no fact of this log tells yet. */
  unrecorded(state: SessionState): Unrecorded {
    let turns = 0;
    const usage = new Map<string, Usage>();
    for (const [id, { child }] of this.#running) {
      const known = state.agents.find((a) => a.agentId === id);
      if (known?.ended !== undefined) continue;
      const used = useOf(child, known);
      turns += used.turns;
      addTo(usage, used.usage);
    }
    return { turns, usage };
  }

  /** Stops whatever works. */
  endAll(): void {
    for (const { stop } of this.#running.values()) stop.abort();
  }

  stop(id: string): ChangeReport {
    const running = this.#find(id);
    if (running === undefined) return { ok: false, text: `No agent ${id} works. /agents lists them.`, paths: [] };
    running.stop.abort({ reason: "interrupted", detail: "the person stopped this agent" });
    return { ok: true, text: `${id} stops, with all that it started.`, paths: [] };
  }

  peek(id: string): readonly string[] | undefined {
    const running = this.#find(id);
    return running === undefined ? undefined : newestLines(running.child.log.events);
  }

  roster(state: SessionState, depth = 1): readonly AgentRow[] {
    return state.agents.flatMap((known) => {
      const running = this.#running.get(known.agentId);
      const row = rowOf(known, running?.child, depth);
      return running === undefined ? [row] : [row, ...running.child.agents.roster(running.child.log.state, depth + 1)];
    });
  }

  /** Also by the end of its id: "a2". */
  #find(id: string): Running | undefined {
    for (const [own, running] of this.#running) {
      if (own === id || own.endsWith(`-${id}`)) return running;
      const below = running.child.agents.#find(id);
      if (below !== undefined) return below;
    }
    return undefined;
  }
}

export function sessionAgents({ agents, log }: Pick<LiveParts, "agents" | "log">): SessionAgents {
  return {
    kinds: () => agents.book.kinds(),
    roster: () => agents.roster(log.state),
    peek: (id) => agents.peek(id),
    stop: (id) => agents.stop(id),
  };
}

/** What an agent and its own used since what is known of it. */
export function useOf(
  { log, agents }: Pick<LiveParts, "log" | "agents">,
  known: Pick<AgentState, "turns" | "usage"> | undefined,
): { turns: number; usage: Map<string, Usage & { replies: number }> } {
  const { state } = log;
  const below = agents.unrecorded(state);
  const usage = new Map<string, Usage & { replies: number }>();
  for (const [model, sum] of state.usage) {
    const before = known?.usage.get(model);
    const rest = lessOf(sum, before ?? NO_USAGE);
    if (tokensOf(rest) > 0) usage.set(model, { ...rest, replies: sum.replies - (before?.replies ?? 0) });
  }
  for (const [model, used] of below.usage)
    usage.set(model, {
      ...sumOf(usage.get(model) ?? NO_USAGE, used),
      replies: usage.get(model)?.replies ?? 0,
    });
  return { turns: state.turns + below.turns - (known?.turns ?? 0), usage };
}

function addTo(sums: Map<string, Usage>, more: ReadonlyMap<string, Usage>): void {
  for (const [model, used] of more) sums.set(model, sumOf(sums.get(model) ?? NO_USAGE, used));
}

function rowOf(known: AgentState, child: LiveParts | undefined, depth: number): AgentRow {
  const { agentId: id, agent, description, model, startedAt, ended } = known;
  const now = child === undefined ? { turns: 0, usage: new Map<string, Usage>() } : useOf(child, known);
  const sums = [...known.usage.values(), ...now.usage.values()];
  const doing = child === undefined ? undefined : newestLines(child.log.events).at(-1);
  return {
    id,
    agent,
    description,
    model,
    startedAt,
    depth,
    ...(ended === undefined ? {} : { ended }),
    ...(ended === undefined && child === undefined ? { left: true as const } : {}),
    ...(doing === undefined ? {} : { doing }),
    turns: known.turns + now.turns,
    calls: known.calls + (child === undefined ? 0 : child.log.state.calls.size - known.calls),
    tokens: sums.reduce((sum, used) => sum + tokensOf(used), 0),
  };
}

const PEEKED = 12;
const LINE = 300;

/** The newest words and calls, a line each. */
export function newestLines(events: readonly LogEvent[]): string[] {
  const lines: string[] = [];
  for (let at = events.length - 1; at >= 0 && lines.length < PEEKED; at--) {
    const event = events[at];
    if (event?.type === "call.started") lines.push(`${event.tool} ${subjectOf(event.input)}`.trim());
    if (event?.type === "permission.asked") lines.push(`asks: ${event.effect.tool} ${event.effect.subject}`);
    if (event?.type === "reply.completed") {
      const last = textOf(event.blocks).trim().split("\n").at(-1) ?? "";
      if (last !== "") lines.push(last.slice(0, LINE));
    }
  }
  return lines.toReversed().map((line) => line.slice(0, LINE));
}

const SUBJECTS = ["file_path", "command", "pattern", "path", "description", "query"];

function subjectOf(input: Readonly<Record<string, unknown>>): string {
  const value = SUBJECTS.map((name) => input[name]).find((v) => typeof v === "string");
  return typeof value === "string" ? (value.split("\n")[0] ?? "") : "";
}
