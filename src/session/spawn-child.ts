import { agentWords } from "../context/agent-words.ts";
import { layersOf, rehearses } from "../events/layers.ts";
import { gateNow, stricterMode } from "../loop/above.ts";
import type { Mode } from "../events/effect.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { type Budget, LIMIT_NAMES, leftOf } from "../loop/ledger.ts";
import { budgetsOf, ledgerNow, limitReached } from "../loop/limits.ts";
import type { Asker } from "../permissions/asker.ts";
import type { AgentKind } from "./agents-define.ts";
import type { LiveParts } from "./live-parts.ts";
import { skillsInForce } from "./live-texts.ts";
import type { OpenOptions } from "./options.ts";
import { effortNow } from "./switch.ts";

/** Where nothing else is said: an agent starts agents, these start none. */
export const AGENT_DEPTH = 2;

/** What a sub-agent is opened with. */
export interface ChildInput {
  id: string;
  exists: boolean;
  callId: string;
  kind: AgentKind;
  model: string;
  asker: Asker;
}

/** How deep an agent of this session's would stand, and how deep they may. */
export function depthsOf({ options }: Pick<LiveParts, "options">): { next: number; most: number } {
  return { next: (options.agent?.depth ?? 0) + 1, most: options.config.limits.agentDepth ?? AGENT_DEPTH };
}

/** A session of its own in the same folders, by the same door, on the same rules: whatever it has comes from the one above. */
export function childOptions(parts: LiveParts, deps: LoopDeps, input: ChildInput): OpenOptions {
  const { options, log } = parts;
  const { id, exists, callId, kind, model, asker } = input;
  const modeFor = (): Mode => {
    const { mode } = gateNow(deps);
    return stricterMode(mode, kind.mode ?? mode);
  };
  const { next: depth, most } = depthsOf(parts);
  const deeper = depth < most;
  const same = withoutOwn(options);
  const given = log.events.findLast((e) => e.type === "trust.given");
  return {
    ...same,
    ...(exists ? { resume: id } : {}),
    ...(exists ? {} : { mode: modeFor() }),
    ...(exists ? {} : { model }),
    ...(log.state.trusted ? { trusted: (given?.type === "trust.given" ? given.by : undefined) ?? "person" } : {}),
    config: childConfig(parts, deps, kind, deeper),
    tools: toolsFor(parts, deps, kind, deeper),
    ...(parts.hooks === undefined ? {} : { hooks: () => parts.hooks?.set ?? NONE() }),
    asker,
    agent: {
      id,
      exists,
      parent: { sessionId: log.state.id, callId, mac: log.state.mac },
      above: {
        agentId: id,
        agent: kind.name,
        gate: () => gateNow(deps),
        stop: () => limitReached(deps),
        left: () => leftFor(deps),
      },
      held: () => deps.held(),
      rules: parts.rules,
      book: parts.agents.book,
      skills: () => skillsInForce(parts),
      ...(kind.tools === undefined ? sharedServers(parts) : {}),
      mode: modeFor,
      rehearses: () => kind.isolation === "layer" || rehearses(log.state),
      append: options.agent?.append ?? options.config.appendSystemPrompt ?? "",
      below: () => [...(options.agent?.below() ?? []), ...layersOf(log.state).map((layer) => layer.operationId)],
      depth,
    },
  };
}

/** What only the session of the person's has, or another one of its own. */
function withoutOwn(options: OpenOptions): OpenOptions {
  const same = { ...options };
  for (const key of OWN) delete same[key];
  return same;
}

const OWN = [
  "trust",
  "trusted",
  "bypass",
  "fork",
  "ruleFiles",
  "notices",
  "effort",
  "hooks",
  "mode",
  "model",
  "resume",
  "rehearse",
  "work",
  "judge",
] as const satisfies readonly (keyof OpenOptions)[];

function NONE(): never {
  throw new Error("the session above has no hooks");
}

/** An agent whose kind names no tools has those of servers as the session above has them: behind ToolSearch, under the same rules. */
function sharedServers({ servers, options }: LiveParts): Pick<NonNullable<OpenOptions["agent"]>, "servers"> {
  const set = servers?.set;
  const shared =
    set === undefined ? options.agent?.servers : { with: set.with.bind(set), lines: () => servers?.lines() ?? [] };
  return shared === undefined ? {} : { servers: shared };
}

/** No tool that asks the person, unless it is named; none that starts agents where these may stand no deeper. */
function toolsFor(parts: LiveParts, deps: LoopDeps, kind: AgentKind, deeper: boolean): OpenOptions["tools"] {
  // Of servers that are looked through by a tool, only what is named is had whole.
  const all = kind.tools === undefined ? (parts.servers?.set.listed ?? deps.tools) : deps.tools;
  return all.filter((tool) => {
    if (tool.agents === true && !deeper) return false;
    return kind.tools === undefined ? tool.last !== true : kind.tools.includes(tool.name);
  });
}

/** Completion checks are the business of the session that the person talks to. */
function childConfig(parts: LiveParts, deps: LoopDeps, kind: AgentKind, deeper: boolean): OpenOptions["config"] {
  const { checks: _c, effort: _e, appendSystemPrompt = "", ...config } = parts.options.config;
  const { session: _s, timeMs: _t, ...limits } = config.limits;
  const { timeMs: _time, ...left } = leftFor(deps);
  const own = parts.options.agent?.append ?? appendSystemPrompt;
  const words = agentWords(kind.name, kind.prompt, { deeper, isolated: kind.isolation === "layer" });
  const effort = effortNow(parts);
  return {
    ...config,
    ...(effort === undefined ? {} : { effort }),
    // The person's own words on how to work hold for all.
    appendSystemPrompt: own.trim() === "" ? words : `${own}\n\n${words}`,
    limits: { ...limits, ...left, turns: Math.min(kind.turns ?? Infinity, left.turns ?? limits.turns) },
  };
}

/** What is left of every budget above, together. */
function leftFor(deps: LoopDeps): Budget {
  const own = leftOf(budgetsOf(deps), ledgerNow(deps));
  const up = deps.above?.left() ?? {};
  const left: Budget = {};
  for (const name of LIMIT_NAMES) {
    const least = Math.min(own[name] ?? Infinity, up[name] ?? Infinity);
    if (least !== Infinity) left[name] = least;
  }
  return left;
}
