import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Rule } from "../events/effect.ts";
import type { LogEvent } from "../events/event.ts";
import { listSessions } from "../events/sessions.ts";
import { sameRule } from "./policy-live.ts";

/** A rule as it is listed. */
export interface RuleRow {
  rule: Rule;
  /** `file:line`; undefined for what was typed or answered. */
  at?: string;
  /** `disk`: its file has it by now, and it does not count yet; `gone`: it counts, and its file has it no more. */
  state: "counts" | "disk" | "gone";
  /** Whether it can be changed from here; text: where instead. */
  edit: true | string;
  /** Verdicts that rested on it in this session. */
  uses: number;
  /** ISO time of the newest of them. */
  lastUse?: string;
  /** ISO time of the newest in an earlier session of this folder; null: none was found; undefined: not looked for. */
  before?: string | null;
}

/** Where a rule that can't be changed from here can be. */
export function editWords({ source, action }: Rule, at: string | undefined): true | string {
  const file = at?.replace(/:\d+$/, "") ?? "its file";
  switch (source) {
    case "session":
      return true;
    case "user":
      return /[/\\]\.claude[/\\]/.test(file) ? `it belongs to another program: edit ${file}` : true;
    case "person":
      return true;
    case "managed":
      return `the machine's: whoever looks after this machine edits ${file}`;
    case "project":
      return `the project's: edit ${file}`;
    case "cli":
      return `typed: start without --${action}`;
  }
}

/** How often each rule decided in a log, and when last. */
export function usesOf(events: readonly LogEvent[], rule: Rule): { uses: number; lastUse?: string } {
  let uses = 0;
  let lastUse: string | undefined;
  for (const event of events) {
    if (event.type !== "permission.decided") continue;
    const rules = event.rules ?? (event.rule === undefined ? [] : [event.rule]);
    if (!rules.some((r) => sameRule(r, rule))) continue;
    uses++;
    lastUse = event.at;
  }
  return { uses, ...(lastUse === undefined ? {} : { lastUse }) };
}

const MAX_SESSIONS = 50;
const MAX_BYTES = 32 << 20;

const Line = z.object({ at: z.string(), rule: Rule.optional(), rules: z.array(Rule).optional() });

/**
 * When each rule last decided in earlier sessions of a folder, by `keyOf`: the newest 50 logs, 32 MiB of them at most, looked through as
 * text and unchecked, for display alone. Logs that can't be read are left out.
 */
export function decidedBefore(sessionsDir: string, folder: string, except?: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let left = MAX_BYTES;
  for (const { id } of listSessions(sessionsDir, folder).slice(0, MAX_SESSIONS)) {
    if (id === except) continue;
    const text = readSome(join(sessionsDir, `${id}.jsonl`), left);
    left -= text.length;
    for (const line of text.split("\n")) note(line, found);
  }
  return found;
}

export function keyOf({ action, text, source }: Rule): string {
  return `${action} ${source} ${text}`;
}

function readSome(file: string, left: number): string {
  try {
    return statSync(file).size > left ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function note(line: string, found: Map<string, string>): void {
  if (!line.includes('"permission.decided"') || !line.includes('"rule"')) return;
  try {
    const { at, rule, rules } = Line.parse(JSON.parse(line));
    for (const r of rules ?? (rule === undefined ? [] : [rule])) {
      const key = keyOf(r);
      if ((found.get(key) ?? "") < at) found.set(key, at);
    }
  } catch {
    // A damaged line tells nothing here; opening the session says so.
  }
}
