import type { LogBody } from "../events/event.ts";
import { pendingText, rehearses } from "../events/layers.ts";
import type { StepState } from "../events/state.ts";
import { NO_USAGE, sumOf } from "../events/usage.ts";
import { decideNow } from "../loop/decide-now.ts";
import type { LoopDeps, Stop } from "../loop/deps.ts";
import { amountText, timeText } from "../loop/limit-words.ts";
import { tokensOf } from "../loop/ledger.ts";
import { changeName } from "../loop/say.ts";
import type { Asker } from "../permissions/asker.ts";
import { isLong } from "../tools/task.ts";
import type { AgentAnswer } from "../tools/tool.ts";
import { visible } from "../util/visible.ts";
import { useOf } from "./agents-live.ts";
import type { AgentKind } from "./agents-define.ts";
import { endBackground } from "./background.ts";
import type { LiveParts } from "./live-parts.ts";
import { costOf } from "./prices.ts";
import { openQuestions } from "./questions.ts";
import { land } from "./rehearse.ts";
import { resultOf } from "./result.ts";

/** An agent's session, open. */
export interface Child {
  parts: LiveParts;
  deps: LoopDeps;
}

/** What the log above is told of an agent that has ended. */
export interface HandedOver {
  /** What it landed, and layers of its that are this session's from here on. */
  facts: LogBody[];
  /** In words for the model. */
  words: readonly string[];
  /** Once the facts are in the log: the layers are no longer the agent's. */
  taken(): Promise<void>;
  /** The last fact: what it came to and used. */
  end(took: { durationMs: number; waitedMs?: number }): LogBody;
}

interface Which {
  id: string;
  callId: string;
  kind: Pick<AgentKind, "isolation"> | undefined;
  signal: AbortSignal;
}

/** What an agent did becomes the session's: its landed steps, its layers, what it used. Said again after a crash, only what is missing is. */
export async function handOver(above: LiveParts, child: Child, which: Which, stop: Stop): Promise<HandedOver> {
  const { id, callId, kind, signal } = which;
  const waits = kind?.isolation === "layer" && !rehearses(above.log.state);
  const landing = waits && stop.reason === "done" ? await landSum(child, signal) : undefined;
  const { log } = child.parts;
  const { state } = log;
  const known = new Set(above.log.state.steps.map((step) => step.operationId));
  const fresh = state.steps.filter((step) => !known.has(step.operationId));
  const landed = fresh.filter((step) => step.status === "landed");
  const pended = waits ? [] : fresh.filter((step) => step.status === "pended");
  // What a crash cut off had handed over a part.
  const before = handedBefore(above, id);
  const all = {
    landed: state.steps.filter((step) => landed.includes(step) || before.landed.has(step.operationId)),
    pended: state.steps.filter((step) => pended.includes(step) || before.pended.has(step.operationId)),
  };
  const kept = fresh.filter((step) => step.kept && step.status !== "pended");
  const facts = fresh.flatMap((step): LogBody[] => [
    ...(landed.includes(step) ? landedFact(step, id) : []),
    ...(pended.includes(step) ? pendedFact(step) : []),
    ...(kept.includes(step) ? keptFact(step, child.parts) : []),
  ]);
  const left = waits && rehearses(state) && state.steps.some((step) => step.status === "pended");
  const earlier = above.log.state.agents.find((a) => a.agentId === id);
  return {
    facts,
    words: [
      ...changedWords("It landed", all.landed),
      ...changedWords("Pending, not in the folder yet", all.pended),
      // Of what landed whole the first line tells.
      ...(landing === undefined || (all.landed.length > 0 && !left) ? [] : [visible(landing, "")]),
      ...(left
        ? [
            `In its own layer wait: ${pendingText(state)}; nothing of that is in the folder. Ask it further to redo what is still needed, or the person lands it: agent land ${id}`,
          ]
        : []),
    ],
    async taken() {
      for (const { operationId } of [...pended, ...kept])
        await log.append({ type: "changes.dropped", operationId, reason: `handed to session ${above.log.state.id}` });
    },
    end({ durationMs, waitedMs = 0 }) {
      const used = useOf(child.parts, earlier);
      return {
        type: "agent.ended",
        agentId: id,
        callId,
        reason: stop.reason,
        ...(stop.detail === undefined ? {} : { detail: stop.detail }),
        turns: used.turns,
        calls: state.calls.size - (earlier?.calls ?? 0),
        usage: Object.fromEntries(used.usage),
        durationMs,
        ...(waitedMs === 0 ? {} : { waitedMs }),
        steps: all.landed.length + all.pended.length,
        head: log.state.mac,
      };
    },
  };
}

/** Steps of an agent's that this log took over since it last began. */
function handedBefore({ log }: LiveParts, id: string): { landed: Set<string>; pended: Set<string> } {
  const begun = log.events.findLastIndex((e) => e.type === "agent.started" && e.agentId === id);
  const taken = (type: "changes.landed" | "changes.pended"): Set<string> =>
    new Set(log.events.slice(Math.max(0, begun)).flatMap((e) => (e.type === type ? [e.operationId] : [])));
  return { landed: taken("changes.landed"), pended: taken("changes.pended") };
}

/** All that an isolated agent changed, as one set through the door: decided as any landing, asked where the session asks. */
async function landSum({ parts, deps }: Child, signal: AbortSignal): Promise<string | undefined> {
  if (!parts.log.state.steps.some((step) => step.status === "pended")) return undefined;
  const ask: Asker["ask"] = (question, within) => {
    const { action, reason } = decideNow(question.effect, deps);
    if (action === "deny") return Promise.resolve({ kind: "nobody", reason });
    const clean = (question.review?.conflicts.length ?? 0) === 0;
    return action === "allow" && clean ? Promise.resolve({ kind: "yes" }) : deps.asker.ask(question, within);
  };
  try {
    return (await land(parts, { ...deps, asker: { ...deps.asker, ask } }, {}, signal)).text;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function landedFact({ operationId, summary }: StepState, id: string): LogBody[] {
  return summary === undefined
    ? []
    : [{ type: "changes.landed", operationId, summary, by: `agent ${id}`, touched: [] }];
}

function pendedFact({ operationId, summary }: StepState): LogBody[] {
  return summary === undefined ? [] : [{ type: "changes.pended", operationId, summary, touched: [] }];
}

function keptFact({ operationId }: StepState, { log }: LiveParts): LogBody[] {
  const fact = log.events.findLast((e) => e.type === "changes.kept" && e.operationId === operationId);
  if (fact?.type !== "changes.kept") return [];
  const { files, bytes, paths } = fact;
  return [{ type: "changes.kept", operationId, files, bytes, paths }];
}

const MOST_NAMED = 12;

function changedWords(what: string, steps: readonly StepState[]): string[] {
  const names = [
    ...new Set(
      steps.flatMap(({ summary }) => [
        ...(summary?.entries.map(changeName) ?? []),
        ...(summary?.git.map((g) => visible(g.text, "")) ?? []),
      ]),
    ),
  ];
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : "";
  return [`${what}: ${names.slice(0, MOST_NAMED).join(", ")}${more}`];
}

/** What its caller gets: the last words, and in a line what it took. */
export async function answerOf(
  { id, kind, model }: { id: string; kind: AgentKind; model: string },
  { log, options }: LiveParts,
  above: Pick<LoopDeps, "spill">,
  stop: Stop,
  words: readonly string[],
): Promise<AgentAnswer> {
  const { state } = log;
  const from = state.query?.startSeq ?? 0;
  const result = resultOf(
    stop,
    state,
    log.events.filter((e) => e.seq >= from),
  );
  const file = isLong(result.text) ? await above.spill(id, result.text) : undefined;
  const used = [...state.usage].map(([name, sum]) => ({ usd: costOf(name, sum, options.config.prices), sum }));
  const tokens = tokensOf(used.reduce((sum, u) => sumOf(sum, u.sum), NO_USAGE));
  const usd = used.some((u) => u.usd === undefined) ? undefined : used.reduce((sum, u) => sum + (u.usd ?? 0), 0);
  const took = [
    state.turns === 1 ? "1 turn" : `${state.turns} turns`,
    `${tokens.toLocaleString("en-US")} tokens`,
    ...(usd === undefined || usd === 0 ? [] : [amountText("usd", usd)]),
    timeText(state.workedMs),
  ];
  const short = id.slice(id.lastIndexOf("-") + 1);
  const denied = result.denials.length;
  return {
    agentId: id,
    status:
      stop.reason === "done" || stop.reason === "waiting"
        ? "ok"
        : stop.reason === "interrupted"
          ? "interrupted"
          : "error",
    text: result.text,
    told: [
      `Agent ${short} (${kind.name}) ${endWords(stop, state)}. ${took.join(", ")}. Task with resume: "${short}" asks it further`,
      ...words,
      ...(denied === 0 ? [] : [`${denied} of its calls ${denied === 1 ? "was" : "were"} denied`]),
    ],
    ...(file === undefined ? {} : { file }),
    details: {
      agentId: id,
      agent: kind.name,
      model,
      reason: stop.reason,
      turns: state.turns,
      calls: state.calls.size,
      tokens,
      ...(usd === undefined ? {} : { usd }),
    },
  };
}

function endWords({ reason, detail }: Stop, state: LiveParts["log"]["state"]): string {
  switch (reason) {
    case "done":
      return "is done";
    case "waiting":
      return `waits for an answer to: ${visible(
        openQuestions(state)
          .map((q) => q.question)
          .join(" / "),
        "",
      )}`;
    case "interrupted":
      return `was stopped (${visible(detail ?? "the work was stopped", "")})`;
    default:
      return `did not come to its end (${visible(detail ?? reason, "")})`;
  }
}

/** Nothing of it runs on. */
export async function closeAgent(parts: LiveParts): Promise<void> {
  parts.agents.endAll();
  await endBackground(parts);
  await parts.sandbox.close();
  await parts.workspace.close();
  await parts.log.close();
}
