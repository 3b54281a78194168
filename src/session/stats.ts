import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { NO_USAGE, sumOf, Usage } from "../events/usage.ts";
import { costOf, type Prices } from "./prices.ts";

/** What was used, of one day, model or folder. `usd`: undefined where a price is not known. */
export interface Used {
  name: string;
  usage: Usage;
  replies: number;
  sessions: number;
  usd: number | undefined;
}

/** What all sessions used, out of their logs. Days are local, from the first to the last without a gap. */
export interface Stats {
  days: readonly Used[];
  models: readonly Used[];
  folders: readonly Used[];
  all: Used;
  /** Logs that could not be read. */
  unread: readonly string[];
}

const Opened = z.object({
  type: z.literal("session.opened"),
  folder: z.string(),
  model: z.string(),
  /** What a fork took over was used in the other session. */
  forkedFrom: z.object({ seq: z.number() }).optional(),
});
const Replied = z.object({
  type: z.enum(["reply.completed", "reply.cut", "reply.voided", "context.compacted", "aside.asked"]),
  at: z.string(),
  seq: z.number(),
  model: z.string().optional(),
  usage: Usage.optional(),
});
/** Most lines hold no usage, and need no reading. */
const COUNTS = /"type":"(?:session\.opened|model\.changed|reply\.\w+|context\.compacted|aside\.asked)"/;

type Sums = Map<string, { usage: Usage; replies: number; sessions: Set<string>; usd: number | undefined }>;

/**
 * Sums up the logs of a state folder, sub-agents with the folder that they work in. Unchecked, for display alone: chains are not verified.
 * `since`: days before this one (`2026-12-01`) are left out. `dayOf`: the local day of an ISO time.
 */
export async function statsOf(
  sessionsDir: string,
  prices: Prices,
  { since, dayOf }: { since: string; dayOf: (at: string) => string },
): Promise<Stats> {
  const [days, models, folders, all]: [Sums, Sums, Sums, Sums] = [new Map(), new Map(), new Map(), new Map()];
  const unread: string[] = [];
  for (const name of logsIn(sessionsDir)) {
    const session = name.replace(/(-a\d+)*\.jsonl$/, "");
    try {
      for await (const { at, model, folder, usage } of usagesIn(join(sessionsDir, name))) {
        const day = dayOf(at);
        if (day < since) continue;
        const usd = costOf(model, usage, prices);
        const into: [Sums, string][] = [
          [days, day],
          [models, model],
          [folders, folder],
          [all, "all"],
        ];
        for (const [sums, key] of into) add(sums, key, { usage, usd, session });
      }
    } catch {
      unread.push(name);
    }
  }
  const most = (sums: Sums) => listed(sums).toSorted((a, b) => tokensOf(b) - tokensOf(a));
  const [total = { name: "all", usage: NO_USAGE, replies: 0, sessions: 0, usd: 0 }] = listed(all);
  return { days: withoutGaps(listed(days)), models: most(models), folders: most(folders), all: total, unread };
}

/** All that went over the line. */
export function tokensOf({ usage }: Pick<Used, "usage">): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

function logsIn(dir: string): string[] {
  return readdirSync(dir).filter((name) => /^[A-Za-z0-9][A-Za-z0-9_-]*\.jsonl$/.test(name));
}

async function* usagesIn(file: string): AsyncGenerator<{ at: string; model: string; folder: string; usage: Usage }> {
  let [folder, model, taken] = ["", "", 0];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!COUNTS.test(line.slice(0, 300))) continue;
    const value: unknown = parsed(line);
    const opened = Opened.safeParse(value).data;
    if (opened !== undefined) [folder, model, taken] = [opened.folder, opened.model, opened.forkedFrom?.seq ?? 0];
    const replied = Replied.safeParse(value).data;
    if (replied?.usage === undefined || replied.seq <= taken) continue;
    model = replied.model ?? model;
    yield { at: replied.at, model, folder, usage: replied.usage };
  }
}

/** A torn last line is none. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function add(
  sums: Sums,
  key: string,
  { usage, usd, session }: { usage: Usage; usd: number | undefined; session: string },
) {
  const old = sums.get(key) ?? { usage: NO_USAGE, replies: 0, sessions: new Set<string>(), usd: 0 };
  sums.set(key, {
    usage: sumOf(old.usage, usage),
    replies: old.replies + 1,
    sessions: old.sessions.add(session),
    usd: old.usd === undefined || usd === undefined ? undefined : old.usd + usd,
  });
}

function listed(sums: Sums): Used[] {
  return [...sums].map(([name, sum]) => ({ ...sum, name, sessions: sum.sessions.size }));
}

function withoutGaps(days: Used[]): Used[] {
  const by = new Map(days.map((day) => [day.name, day]));
  const [first, ...rest] = days.map(({ name }) => name).toSorted();
  const last = rest.at(-1) ?? first;
  const all: Used[] = [];
  for (let day = first; day !== undefined && last !== undefined && day <= last; day = nextDay(day))
    all.push(by.get(day) ?? { name: day, usage: NO_USAGE, replies: 0, sessions: 0, usd: 0 });
  return all;
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
