import { COMPACT, type CompactSettings } from "../loop/compact-settings.ts";
import type { Limits } from "../loop/deps.ts";
import type { Budget } from "../loop/ledger.ts";
import { LIMITS } from "./defaults.ts";
import type { SettingsFile } from "./settings-schema.ts";

type Written = NonNullable<SettingsFile["limits"]>;

/** Limits of settings and flags, and the built-in ones where these say nothing. */
export function limitsOf({
  maxTurns,
  limits = {},
  compact,
}: Pick<SettingsFile, "maxTurns" | "limits" | "compact">): Limits {
  const session = budget(limits.session ?? {});
  return {
    ...LIMITS,
    turns: maxTurns ?? LIMITS.turns,
    parallel: limits.parallel ?? LIMITS.parallel,
    ...(limits.agentDepth === undefined ? {} : { agentDepth: limits.agentDepth }),
    resultChars: limits.resultChars ?? LIMITS.resultChars,
    ...budget({ tokens: limits.tokens, usd: limits.usd, minutes: limits.minutes }),
    ...(Object.keys(session).length === 0 ? {} : { session }),
    ...(compact === undefined || Object.keys(compact).length === 0 ? {} : { compact: compactOf(compact) }),
  };
}

function compactOf({ at, window, auto, policy }: NonNullable<SettingsFile["compact"]>): CompactSettings {
  return {
    at: at === undefined ? COMPACT.at : at / 100,
    auto: auto ?? COMPACT.auto,
    policy: policy ?? COMPACT.policy,
    ...(window === undefined ? {} : { window }),
  };
}

/** A project's limits count where they are lower. */
export function tightened(base: Limits, { maxTurns, limits = {} }: Pick<SettingsFile, "maxTurns" | "limits">): Limits {
  const { session: before, ...rest } = base;
  const message = budget({ tokens: limits.tokens, usd: limits.usd, minutes: limits.minutes });
  const session = lower(before ?? {}, budget(limits.session ?? {}));
  return {
    ...rest,
    ...lower(rest, message),
    turns: Math.min(base.turns, maxTurns ?? base.turns),
    parallel: Math.min(base.parallel, limits.parallel ?? base.parallel),
    ...(limits.agentDepth === undefined ? {} : { agentDepth: Math.min(base.agentDepth ?? 2, limits.agentDepth) }),
    resultChars: Math.min(base.resultChars, limits.resultChars ?? base.resultChars),
    ...(Object.keys(session).length === 0 ? {} : { session }),
  };
}

function budget({ turns, tokens, usd, minutes }: NonNullable<Written["session"]>): Budget {
  return {
    ...(turns === undefined ? {} : { turns }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
    ...(minutes === undefined ? {} : { timeMs: Math.round(minutes * 60_000) }),
  };
}

/** The smaller of two limits, either of which may be missing. */
function lower(a: Budget, b: Budget): Budget {
  const out: Budget = {};
  for (const name of ["turns", "tokens", "usd", "timeMs"] as const) {
    const least = Math.min(a[name] ?? Infinity, b[name] ?? Infinity);
    if (least !== Infinity) out[name] = least;
  }
  return out;
}
