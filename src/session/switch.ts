import type { Effort } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { knownModel, plainName } from "../model/known.ts";
import type { LiveParts } from "./live-parts.ts";
import { priceOf } from "./prices.ts";
import { refuseLocked } from "./settings-managed.ts";

type Parts = Pick<LiveParts, "log" | "options">;

/**
 * Another model for the turns to come (M2). Gives one line on what that means; the conversation stays as it is.
 * @throws Error with one readable line for a model that can't be used, or whose window is too small for what was said.
 */
export async function switchModel({ log, options }: Parts, name: string): Promise<string> {
  refuseLocked(options.config.managed, "model");
  const model = plainName(name);
  const { contextWindow } = options.openModel(model);
  const { state } = log;
  if (model === state.model) return `${model} answers already.`;
  const tokens = state.contextTokens;
  if (tokens > contextWindow)
    throw new Error(
      `${model} holds ${count(contextWindow)} tokens, and this conversation has about ${count(tokens)}: /clear first, or choose another.`,
    );
  const before = state.model;
  const words = [
    ...anew(tokens, model, options),
    ...left(log.state, before),
    ...guessed(model, contextWindow, options),
  ];
  await log.append({ type: "model.changed", model, by: "person" });
  return [`${model} answers from now on.`, ...words].join(" ");
}

/** How long the model thinks (M2); undefined: as settings say, or as it does by itself. Gives one line on what that means. */
export async function switchEffort({ log, options }: Parts, effort: Effort | undefined): Promise<string> {
  refuseLocked(options.config.managed, "effort");
  const { state } = log;
  const { thinking } = knownModel(state.model, options.config.models);
  if (effort === state.effort) return effort === undefined ? "No effort was chosen." : `Effort is ${effort} already.`;
  await log.append({ type: "effort.changed", ...(effort === undefined ? {} : { effort }), by: "person" });
  const now = effort ?? options.config.effort;
  const what = now === undefined ? "The model thinks as it likes." : `Effort is ${now} from now on.`;
  const none = thinking === "none" ? [`${state.model} takes none, so nothing changes with it.`] : [];
  // The service keeps what it read by how it was asked to think.
  const again = state.contextTokens > 0 && none.length === 0 ? ["Nothing of the next request is in its cache."] : [];
  return [what, ...none, ...again].join(" ");
}

/** What a request asks for: the person's choice in the session, or what settings and flags say. */
export function effortNow({ log, options }: Parts): Effort | undefined {
  return log.state.effort ?? options.config.effort;
}

/** What is in the cache of one model is in none of another's. */
function anew(tokens: number, model: string, { config }: LiveParts["options"]): string[] {
  if (tokens === 0) return [];
  const price = priceOf(model, config.prices);
  const usd = price === undefined ? undefined : (tokens * price.cacheWrite) / 1e6;
  const cost = usd === undefined || usd === 0 ? "" : `, about $${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
  return [`The next request sends about ${count(tokens)} tokens that are not in its cache${cost}.`];
}

function left(state: SessionState, before: string): string[] {
  const thought = state.items
    .slice(state.firstItem)
    .some(
      (item) => item.kind === "reply" && item.model === before && item.blocks.some((b) => b.type.endsWith("thinking")),
    );
  return thought ? [`Only ${before} can read its own thoughts: they are left out until it answers again.`] : [];
}

function guessed(model: string, contextWindow: number, { config }: LiveParts["options"]): string[] {
  if (/^(demo|scripted|recorded)\b/.test(model) || knownModel(model, config.models).guessed !== true) return [];
  return [
    `Its limits are not known: a window of ${count(contextWindow)} tokens is taken for it; settings say otherwise by models.`,
  ];
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}
