import { closeSync, lstatSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isAgentId } from "./agent-id.ts";
import { type Head, peekHead } from "./head.ts";
import { NoSessionError } from "./log-error.ts";
import { openPrivate } from "./private.ts";
import type { Usage } from "./usage.ts";

/** A session as a list shows it. Unchecked, for display and choice alone; what is opened is verified then. */
export interface SessionEntry {
  id: string;
  name?: string;
  folder: string;
  /** First line of the first prompt; empty when there is none yet. */
  title: string;
  /** Started by the person; undefined when the session's files are damaged. */
  prompts?: number;
  /** Files that wait for a review; undefined: nothing is pending. */
  pending?: number;
  /** Of git, when it was last opened. */
  branch?: string;
  /** Tokens by model. */
  usage?: Readonly<Record<string, Usage>>;
  /** ISO times. */
  startedAt: string;
  lastAt: string;
  /** Bytes of its log. */
  size: number;
  model: string;
}

/**
 * The sessions of a state folder, newest first; with `folder` those that were started or last resumed there. Reads one page a session;
 * for damaged ones the log's beginning. Sub-agents are part of their session. Never throws for a damaged session; links and special files are left out.
 */
export function listSessions(sessionsDir: string, folder?: string): SessionEntry[] {
  const entries = names(sessionsDir).flatMap((name) => {
    const id = name.slice(0, -".jsonl".length);
    const entry = isAgentId(id) ? undefined : entryOf(sessionsDir, id);
    return entry !== undefined && (folder === undefined || entry.folder === folder) ? [entry] : [];
  });
  return entries.toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : a.id < b.id ? -1 : 1));
}

/** Finds a session by id, name, or the beginning of its id, when it is the only one. Throws a NoSessionError that names what it may be. */
export function findSession(sessionsDir: string, wanted: string, entries = listSessions(sessionsDir)): SessionEntry {
  const exact = entries.find((e) => e.id === wanted);
  const agent =
    exact === undefined && /^[\w-]+$/.test(wanted) && isAgentId(wanted) ? entryOf(sessionsDir, wanted) : exact;
  if (agent !== undefined) return agent;
  const named = entries.filter((e) => e.name === wanted);
  const near =
    named.length > 0
      ? named
      : wanted === ""
        ? []
        : entries.filter((e) => e.id.startsWith(wanted) || e.id.split("_")[1]?.startsWith(wanted));
  const only = near[0];
  if (only !== undefined && near.length === 1) return only;
  if (only === undefined) {
    throw new NoSessionError(
      "missing",
      sessionsDir,
      `There is no session ${JSON.stringify(wanted)}. \`agent sessions\` lists them.`,
    );
  }
  const ids = near.slice(0, 5).map((e) => e.id);
  throw new NoSessionError(
    "invalid",
    sessionsDir,
    `${JSON.stringify(wanted)} may be ${ids.join(", ")}${near.length > 5 ? " and more" : ""}.`,
  );
}

function names(sessionsDir: string): string[] {
  try {
    return readdirSync(sessionsDir).filter((name) => /^[A-Za-z0-9][A-Za-z0-9_-]*\.jsonl$/.test(name));
  } catch {
    return [];
  }
}

function entryOf(sessionsDir: string, id: string): SessionEntry | undefined {
  const file = join(sessionsDir, `${id}.jsonl`);
  try {
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size === 0) return undefined;
    const modified = stat.mtime.toISOString();
    const head = peekHead(join(sessionsDir, `${id}.head`));
    // Without a folder it was written before the first event, and not since, or its folder's name has no room in it.
    return head !== undefined && head.folder !== ""
      ? { id, size: stat.size, ...shown(head) }
      : { id, size: stat.size, lastAt: modified, ...beginning(file, modified) };
  } catch {
    return undefined;
  }
}

function shown(head: Head): Omit<SessionEntry, "id" | "size"> {
  const { name, folder, title, prompts, pending, startedAt, lastAt, model, branch, usage } = head;
  return {
    folder,
    title,
    prompts,
    startedAt,
    lastAt,
    model,
    ...(name === undefined ? {} : { name }),
    ...(pending === undefined ? {} : { pending }),
    ...(branch === undefined ? {} : { branch }),
    ...(usage === undefined ? {} : { usage }),
  };
}

const Opened = z.object({ type: z.literal("session.opened"), at: z.string(), folder: z.string(), model: z.string() });
const Prompt = z.object({
  type: z.literal("prompt.submitted"),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});

/** What the first 64 KB of a log tell. */
function beginning(file: string, modified: string): Pick<SessionEntry, "folder" | "title" | "startedAt" | "model"> {
  const found = { folder: "", title: "", startedAt: modified, model: "" };
  for (const line of firstLines(file)) {
    const opened = Opened.safeParse(line).data;
    if (opened !== undefined)
      Object.assign(found, { folder: opened.folder, startedAt: opened.at, model: opened.model });
    const words = Prompt.safeParse(line).data?.content.flatMap((b) => b.text?.split("\n") ?? []);
    const title = words?.find((w) => w.trim() !== "");
    if (title !== undefined) return { ...found, title: title.trim().slice(0, 200).toWellFormed() };
  }
  return found;
}

function firstLines(file: string): unknown[] {
  const opened = openPrivate(file);
  if (opened === undefined) return [];
  try {
    const bytes = Buffer.alloc(Math.min(opened.size, 64 * 1024));
    const n = readSync(opened.fd, bytes, 0, bytes.length, 0);
    return bytes
      .toString("utf8", 0, n)
      .split("\n")
      .flatMap((line) => parsed(line));
  } finally {
    closeSync(opened.fd);
  }
}

function parsed(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return [value];
  } catch {
    return [];
  }
}
