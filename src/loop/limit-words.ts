import type { LimitName, Scope } from "./ledger.ts";

/** What sets a limit before a session begins: a flag, or else a setting. */
const NAMED: Record<Scope, Record<LimitName, string>> = {
  message: { turns: "--max-turns", tokens: "--max-tokens-total", usd: "limits.usd", timeMs: "--max-time" },
  session: {
    turns: "limits.session.turns",
    tokens: "limits.session.tokens",
    usd: "--max-cost",
    timeMs: "limits.session.minutes",
  },
};
const KINDS: Record<LimitName, string> = { turns: "turns", tokens: "tokens", usd: "money", timeMs: "time" };
/** As `/limits` names them. */
export const LIMIT_WORDS: Record<LimitName, string> = { turns: "turns", tokens: "tokens", usd: "usd", timeMs: "time" };

/** "90 s", "12 min", "1.5 h". */
export function timeText(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${rounded(ms / 60_000)} min`;
  return `${rounded(ms / 3_600_000)} h`;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** An amount of something with its unit. */
export function amountText(name: LimitName, value: number): string {
  switch (name) {
    case "turns":
      return value === 1 ? "1 turn" : `${value} turns`;
    case "tokens":
      return `${value} tokens`;
    case "usd":
      return `${rounded(value * 100) === "0" ? value.toPrecision(2) : value.toFixed(2)} USD`;
    case "timeMs":
      return timeText(value);
  }
}

/** What a limit is for. */
export function scopeText(scope: Scope): string {
  return scope === "message" ? "for one message" : "for the session";
}

/** Why a query stopped at a limit, and how to go on; for the person. */
export function limitText(scope: Scope, name: LimitName, limit: number, used: number): string {
  const over = name === "turns" ? "" : `: ${amountText(name, used)} used`;
  const here = scope === "message" ? LIMIT_WORDS[name] : `session ${LIMIT_WORDS[name]}`;
  const on = scope === "message" ? "a new message goes on" : "a higher limit and a new message go on";
  return `Stopped at the limit of ${amountText(name, limit)} ${scopeText(scope)} (${NAMED[scope][name]}, /limits ${here})${over}. The work is not done; ${on}.`;
}

/** A limit that is almost reached, for both. */
export function nearWords(scope: Scope, name: LimitName, limit: number, used: number): string {
  const share = Math.floor((used / limit) * 100);
  const [now, all] = [amountText(name, used), amountText(name, limit)];
  const unit = all.slice(all.lastIndexOf(" "));
  const short = now.endsWith(unit) ? now.slice(0, -unit.length) : now;
  return `${share} % of the ${KINDS[name]} ${scopeText(scope)} is used: ${short} of ${all}.`;
}

/** Why a money limit stops a model that nobody knows the price of. */
export function noPriceText(model: string): string {
  return `Stopped: there is a limit in money, and no price of ${model} is known, so it can't be kept. Name it in the settings (prices), or take the limit off: /limits usd none, /limits session usd none.`;
}
