import { programDirs } from "../session/environment.ts";
import { type Stats, statsOf, tokensOf, type Used } from "../session/stats.ts";
import { openStore } from "../session/store.ts";
import { visible } from "../util/visible.ts";
import { systemClock } from "../util/system.ts";
import { tell, tellJson } from "./diff-text.ts";
import { ownPrices } from "./own-prices.ts";

export interface StatsOptions {
  days: number;
  json: boolean;
}

const WIDTH = 100;
const DAY_MS = 86_400_000;
const EIGHTHS = " ▏▎▍▌▋▊▉";

/** `agent stats`: what all sessions used by day, model and folder. */
export async function printStats({ days, json }: StatsOptions): Promise<number> {
  const store = openStore(programDirs(process.env));
  const since = localDay(new Date(systemClock.now() - (days - 1) * DAY_MS).toISOString());
  const stats = await statsOf(store.sessions, ownPrices(), { since, dayOf: localDay });
  if (json) {
    tellJson({ type: "stats", version: 1, since, ...stats });
    return 0;
  }
  const width = process.stdout.isTTY ? Math.max(40, process.stdout.columns - 1) : WIDTH;
  for (const line of statsLines(stats, { since, width })) tell(line);
  return 0;
}

/** The report as rows: a bar for each day, then models and folders, the most used first. Pure. */
export function statsLines(
  { days, models, folders, all, unread }: Stats,
  at: { since: string; width: number },
): string[] {
  if (all.replies === 0) return [`No reply of a model since ${at.since}.`];
  const part = (title: string, list: readonly Used[]) =>
    list.length === 0 ? [] : ["", title, ...bars(list.slice(0, 15), at.width), ...more(list.length - 15)];
  return [
    `Since ${at.since}: ${all.sessions} ${all.sessions === 1 ? "session" : "sessions"}, ${all.replies} replies, ${short(tokensOf(all))} tokens, ${money(all.usd)}`,
    ...part("by day", days.length > 15 ? days.slice(-15) : days),
    ...part("by model", models),
    ...part("by folder", folders),
    ...(unread.length === 0 ? [] : ["", `Not read: ${unread.join(", ")}`]),
  ];
}

function more(n: number): string[] {
  return n > 0 ? [`and ${n} more`] : [];
}

function bars(list: readonly Used[], width: number): string[] {
  const most = Math.max(1, ...list.map(tokensOf));
  const names = list.map(({ name }) => shortened(visible(name === "" ? "(none)" : name, ""), Math.floor(width / 3)));
  const long = Math.max(...names.map((name) => name.length));
  const room = Math.max(5, width - long - 24);
  return list.map((used, n) => {
    const tokens = short(tokensOf(used)).padStart(8);
    return `  ${(names[n] ?? "").padEnd(long)} ${bar(tokensOf(used) / most, room)} ${tokens} ${money(used.usd).padStart(10)}`;
  });
}

function bar(share: number, room: number): string {
  const eighths = Math.round(share * room * 8);
  const [whole, rest] = [Math.floor(eighths / 8), eighths % 8];
  return `${"█".repeat(whole)}${rest === 0 ? "" : (EIGHTHS[rest] ?? "")}`.padEnd(room);
}

function shortened(name: string, most: number): string {
  return name.length <= most ? name : `…${name.slice(1 - most)}`;
}

function short(tokens: number): string {
  if (tokens < 10_000) return String(tokens);
  return tokens < 1_000_000 ? `${Math.round(tokens / 1000)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

function money(usd: number | undefined): string {
  return usd === undefined ? "no price" : `$${usd.toFixed(2)}`;
}

function localDay(at: string): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
