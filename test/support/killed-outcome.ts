import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../src/events/block.ts";
import type { LogEvent } from "../../src/events/event.ts";
import { toMessages } from "../../src/events/messages.ts";
import { listSessions } from "../../src/events/sessions.ts";
import type { CallState, SessionState } from "../../src/events/state.ts";
import { apiBreaches } from "./api-rules.ts";
import { logOf } from "./example.ts";
import type { Place } from "./open-at.ts";
import { treeHash } from "./tree.ts";

export interface Logs {
  state: SessionState;
  events: readonly LogEvent[];
  /** Of the session's sub-agents, by the end of their ids. */
  agents: ReadonlyMap<string, { state: SessionState; events: readonly LogEvent[] }>;
}

/** The session's log, and those of its sub-agents. */
export async function logsOf(at: Place): Promise<Logs> {
  const dir = join(at.state, "understudy", "sessions");
  const id = listSessions(dir)[0]?.id ?? "";
  const own = await logOf(at, id);
  const ends = readdirSync(dir).flatMap((name) =>
    name.startsWith(`${id}-`) && name.endsWith(".jsonl") ? [name.slice(id.length, -6)] : [],
  );
  const agents = new Map<string, Awaited<ReturnType<typeof logOf>>>();
  for (const end of ends.toSorted()) agents.set(end, await logOf(at, `${id}${end}`));
  return { state: own.state, events: own.events, agents };
}

/** What came of it all. Only times, ids and places differ from run to run, and what a death explains. */
export async function outcomeOf(at: Place) {
  const { state, agents } = await logsOf(at);
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value).replaceAll(at.folder, "FOLDER").replaceAll(at.state, "STATE").replaceAll(state.id, "ID"),
    );
  const all = [state, ...[...agents.values()].map((log) => log.state)];
  return {
    tree: treeHash(at.folder, { git: false }),
    folds: plain(all.map(foldOf)),
    calls: plain(all.map((one) => [...one.calls.values()].map(callOf))),
    breaches: all.flatMap((one) => apiBreaches(toMessages(one), { request: false, wrapped: true })),
  };
}

function foldOf(state: SessionState) {
  const { mode, rehearsing, rules, todos, shell, prompts, query, failures, foreign } = state;
  return {
    told: [mode, rehearsing, rules, todos, shell, prompts, foreign],
    ended: [query?.turn, query?.ended],
    failures: [...failures],
    // Git's index holds times.
    touched: [...state.touched.values()]
      .flatMap(({ path, hash, how }) => (path.includes("/.git/") ? [] : [`${how} ${hash} ${path}`]))
      .toSorted(),
    made: [...state.made].map(([path, hash]) => `${path} ${hash}`).toSorted(),
    steps: stepsOf(state),
    alive: state.groups.filter(({ end }) => end === undefined).length,
    agents: state.agents.map(({ agentId, agent, ended, steps }) => [agentId, agent, ended, steps]),
    replies: state.items.flatMap((item) => (item.kind === "reply" ? [[item.turn, textOf(item.blocks)]] : [])),
  };
}

function stepsOf({ steps, agents }: SessionState): string[] {
  const all = steps
    // A review that a death cut off is dropped, and made anew.
    .filter(({ status, from }) => status !== "squashed" && !(status === "dropped" && from !== undefined))
    .map(({ status, summary }) => JSON.stringify([status, summary?.entries]));
  // Agents side by side land in any order.
  return agents.length === 0 ? all : all.toSorted();
}

function callOf({ tool, input, result }: CallState): unknown[] {
  // A background shell dies with its program, and a charge that was begun is not begun again: both are told so.
  if (tool === "KillShell" || input["run_in_background"] === true) return [tool];
  if (tool.endsWith("charge") && result?.status === "unknown")
    return [tool, "ok", `Charged ${String(input["eur"])} EUR.`];
  const words = textOf(result?.content ?? [])
    .replace(/the person said no .*\. The person says/, "the person said no. The person says")
    // What an agent used counts a reply twice that a death cut off.
    .replace(/[\d,]+ tokens, [\d.]+ \w+/g, "TOOK");
  return [tool, result?.status, words];
}

/** A card is charged once a call, `calls` times in all; of a call that a death cut off nobody knows, and it is told as unknown. */
export async function chargesOf(at: Place, calls: number): Promise<{ twice: string[]; untold: string[] }> {
  const file = join(at.home, "charged.txt");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const { state, agents } = await logsOf(at);
  const made = [state, ...[...agents.values()].map((log) => log.state)].flatMap((one) => [...one.calls.values()]);
  const missing = made
    .filter(({ tool }) => tool.endsWith("charge"))
    .filter(({ operationId }) => !lines.some((l) => l.endsWith(` ${operationId}`)));
  return {
    twice: lines.length > calls || new Set(lines).size < lines.length ? lines : [],
    untold: missing.flatMap(({ callId, result }) => (result?.status === "unknown" ? [] : [callId])),
  };
}
