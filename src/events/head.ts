import { closeSync, readFileSync } from "node:fs";
import { z } from "zod";
import { type ChainKey, signHead } from "./chain.ts";
import { pendingFiles } from "./layers.ts";
import { Prefix } from "./prefix.ts";
import { openPrivate } from "./private.ts";
import type { SessionState } from "./state.ts";
import { Usage } from "./usage.ts";
import { textOf } from "./block.ts";

/** Bytes of a head file: one page, rewritten in place by one write. */
export const HEAD_SIZE = 4096;

/** As it is summed up: what long requests used of it apart. */
const Used = Usage.extend({ long: Usage.optional() });

/**
 * How far a session's log is durable, beside the log (`<id>.head`), so that a cut tail is noticed (E1), and what a list of sessions
 * shows. Never ahead of what is on the disk: it is written after a sync, not before, or a power failure would look like a cut.
 */
const Head = z.object({
  seq: z.number(),
  mac: z.string(),
  folder: z.string(),
  name: z.string().optional(),
  model: z.string(),
  title: z.string(),
  prompts: z.number(),
  branch: z.string().optional(),
  /** Tokens by model, for what it cost. */
  usage: z.record(z.string(), Used).optional(),
  /** Files that wait for a review (W6). */
  pending: z.number().optional(),
  startedAt: z.string(),
  lastAt: z.string(),
  /** How the log begins, where it is long; it ends at this head's event. */
  prefix: Prefix.optional(),
});
export type Head = z.infer<typeof Head>;

/** The head of a state whose events are all durable. `mac`: what the next line goes over. `prefix`: all of the log so far. */
export function headOf(state: SessionState, mac: string, prefix?: Prefix): Head {
  return {
    seq: state.seq,
    mac,
    folder: state.folder,
    ...(state.name === undefined ? {} : { name: short(state.name) }),
    model: short(state.model),
    title: titleOf(state),
    prompts: state.prompts,
    ...(state.branch === undefined ? {} : { branch: short(state.branch) }),
    ...usageOf(state),
    ...pendingOf(state),
    startedAt: state.startedAt,
    lastAt: state.lastAt,
    ...(prefix === undefined ? {} : { prefix }),
  };
}

/** More models than these leave no room in a page, and no cost to be shown. */
const MOST_MODELS = 6;

function usageOf({ usage }: SessionState): { usage?: Record<string, Usage> } {
  if (usage.size === 0 || usage.size > MOST_MODELS) return {};
  const rows = [...usage].map(([model, used]): [string, Usage] => [short(model), Used.parse(used)]);
  return { usage: Object.fromEntries(rows) };
}

function pendingOf(state: SessionState): { pending?: number } {
  return state.steps.some((step) => step.status === "pended") ? { pending: pendingFiles(state) } : {};
}

/** First line with words of the first prompt. */
export function titleOf(state: SessionState): string {
  for (const item of state.items) {
    if (item.kind !== "prompt") continue;
    const line = textOf(item.content)
      .split(/[\r\n\u0085\u2028\u2029]+/)
      .find((l) => l.trim() !== "");
    if (line !== undefined) return short(line.trim());
  }
  return "";
}

/** Cut at whole signs. */
function short(text: string): string {
  return text.length <= 200
    ? text.toWellFormed()
    : text
        .slice(0, 200)
        .toWellFormed()
        .replace(/\uFFFD$/, "");
}

/** Two lines, JSON and signature, filled up to one page. */
export function encodeHead(key: ChainKey, sessionId: string, head: Head): Buffer {
  let json = JSON.stringify(head);
  // Only a folder's name can be that long; the log itself knows it.
  if (Buffer.byteLength(json) > HEAD_SIZE - 80) json = JSON.stringify({ ...head, folder: "", title: "" });
  const text = `${json}\n${signHead(key, sessionId, json)}`;
  return Buffer.from(text + " ".repeat(HEAD_SIZE - 1 - Buffer.byteLength(text)) + "\n");
}

/** Reads and checks a head; undefined when it is missing, or not what this program wrote. */
export function readHead(key: ChainKey, sessionId: string, file: string): Head | undefined {
  const text = headText(file);
  const json = text?.split("\n", 1)[0];
  if (text === undefined || json === undefined) return undefined;
  const rest = text.slice(json.length + 1);
  return rest.trimEnd() === signHead(key, sessionId, json) ? parse(json) : undefined;
}

/** What a head says, unchecked: for lists alone. */
export function peekHead(file: string): Head | undefined {
  const json = headText(file)?.split("\n", 1)[0];
  return json === undefined ? undefined : parse(json);
}

function headText(file: string): string | undefined {
  let opened: { fd: number; size: number } | undefined;
  try {
    opened = openPrivate(file);
    return opened?.size === HEAD_SIZE ? readFileSync(opened.fd, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened.fd);
  }
}

function parse(json: string): Head | undefined {
  try {
    return Head.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
