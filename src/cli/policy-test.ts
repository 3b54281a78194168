import { realpathSync } from "node:fs";
import type { Mode, Rule } from "../events/effect.ts";
import { findSession, listSessions, type SessionEntry } from "../events/sessions.ts";
import { homeOf, programDirs } from "../session/environment.ts";
import { pastCalls } from "../session/policy-past.ts";
import { testPolicy, type PolicyDifference, type PolicyInput, type PolicyReport } from "../session/policy-test.ts";
import { readSettings } from "../session/settings-file.ts";
import { loadSettings } from "../session/settings.ts";
import { openStore, type Store } from "../session/store.ts";
import { line, textOfLine } from "../ui/render/spans.ts";
import { tableLines } from "../ui/render/table.ts";
import { exactRow } from "../ui/render/clean.ts";
import { jsonLine } from "../util/json-line.ts";
import { sanitize } from "../util/visible.ts";
import { inHome } from "../permissions/rule-roots.ts";
import { outWidth } from "./out-width.ts";
import { refuseBad } from "./refuse-bad.ts";
import { readLog } from "./read-log.ts";
import { UsageError } from "./usage-error.ts";

export interface PolicyTestOptions {
  session?: string[];
  last?: number;
  all: boolean;
  /** A settings file whose rules stand in the place of the person's and the project's. */
  settings?: string;
  allow: string[];
  ask: string[];
  deny: string[];
  mode?: Mode;
  failOnChange: boolean;
  json: boolean;
}

const LAST = 20;

/** `agent policy test`: 0, or 1 with `--fail-on-change` where a decision would be another; 2 for rules or files that can't be used. */
export async function policyTest(options: PolicyTestOptions): Promise<number> {
  const dirs = programDirs(process.env);
  const store = openStore(dirs);
  const sessions = chosen(options, store);
  if (sessions.length === 0)
    throw new UsageError("there is no session in this folder; --session names one, --all takes those of every folder");
  const rulesOf = rulesByFolder(options, dirs.config);
  const inputs: PolicyInput[] = [];
  for (const { id, folder } of sessions) {
    const { events } = await readLog(store, id);
    const mode = options.mode === undefined ? {} : { mode: options.mode };
    inputs.push({ session: id, calls: pastCalls(events), rules: rulesOf(folder), ...mode });
  }
  const report = testPolicy(inputs);
  const lines = options.json ? jsonLines(report) : textLines(report);
  process.stdout.write(lines.map((text) => `${text.trimEnd()}\n`).join(""));
  return options.failOnChange && report.differences.length > 0 ? 1 : 0;
}

function chosen({ session, last = LAST, all }: PolicyTestOptions, { sessions }: Store): SessionEntry[] {
  if (session !== undefined) {
    const entries = listSessions(sessions);
    return session.map((wanted) => findSession(sessions, wanted, entries));
  }
  return all ? listSessions(sessions) : listSessions(sessions, realpathSync(process.cwd())).slice(0, last);
}

/** The rules for a folder: its own as they are now, or those of a file, with what was typed. */
function rulesByFolder(options: PolicyTestOptions, configDir: string): (folder: string) => readonly Rule[] {
  const home = homeOf(process.env);
  const typed = (["allow", "ask", "deny"] as const).flatMap((action) =>
    options[action].map((text): Rule => ({ action, text: inHome(text, home), source: "cli" })),
  );
  for (const rule of typed) refuseBad(rule, `--${rule.action}: `);
  const instead = options.settings === undefined ? undefined : fileRules(options.settings, home);
  const known = new Map<string, readonly Rule[]>();
  return (folder) => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const own = loadSettings({ configDir, folder, home }).rules;
    const rules = [
      ...(instead === undefined ? own : [...own.filter((r) => r.source === "managed"), ...instead]),
      ...typed,
    ];
    known.set(folder, rules);
    return rules;
  };
}

function fileRules(file: string, home: string): readonly Rule[] {
  const read = readSettings(realFile(file), "person", { home, own: true });
  if (read === undefined) throw new UsageError(`--settings ${file}: there is no such file`);
  return read.rules;
}

function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function jsonLines({ differences, ...sums }: PolicyReport): string[] {
  return [
    ...differences.map((d) => jsonLine({ type: "difference", version: 1, ...d })),
    jsonLine({ type: "policy_test", version: 1, ...sums, differences: differences.length }),
  ];
}

function textLines(report: PolicyReport): string[] {
  const { sessions, decisions, before, after, differences } = report;
  const header = ["session", "call", "tool", "subject", "then → now", "rule"].map((text) => line(text));
  const rows = differences.map((d) => cells(d).map((text) => line(sanitize(text))));
  return [
    ...(rows.length === 0 ? [] : [...tableLines(header, rows, outWidth()).map(textOfLine), ""]),
    `${decisions} decisions in ${sessions} ${sessions === 1 ? "session" : "sessions"}: ${differences.length === 0 ? "none" : differences.length} would be another.`,
    `Questions: ${before.ask} then, ${after.ask} now. Denied by policy, rules or hooks: ${before.deny} then, ${after.deny} now.`,
  ];
}

function cells({ session, n, tool, subject, then, now, rule, gate, reason }: PolicyDifference): string[] {
  return [
    session,
    `#${n}`,
    tool,
    exactRow(subject),
    `${then} → ${now}${gate === "changes" ? " (changes)" : ""}`,
    rule ?? reason,
  ];
}
