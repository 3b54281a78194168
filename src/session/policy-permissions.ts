import type { PlacedRule, Rule } from "../events/effect.ts";
import { parseRule } from "../permissions/rule-parse.ts";
import { inHome } from "../permissions/rule-roots.ts";
import type { LiveParts } from "./live-parts.ts";
import { findCall, whyOf, type Why } from "./policy-why.ts";
import { sameRule, type RuleFiles } from "./policy-live.ts";
import { differences } from "./policy-news.ts";
import { pastCalls } from "./policy-past.ts";
import { decidedBefore, editWords, keyOf, usesOf, type RuleRow } from "./policy-rows.ts";
import { refuseAllows } from "./settings-managed.ts";

/** What /permissions shows and does (P6). Texts are for the person, one line each. */
export interface Permissions {
  /** Every rule that counts, and where files say another thing by now; `problem`: why these can't be read. */
  rows(): { rows: readonly RuleRow[]; problem?: string };
  /** The newest decisions, newest first. */
  recent(count: number): readonly Why[];
  /** By number or id; the last without. */
  why(call?: string): Why | undefined;
  /** A rule that counts from now on. Throws an Error that says what is wrong with it or its file. */
  add(rule: Rule): Promise<string>;
  /** Another text in its place; undefined takes it away. Throws as `add`. */
  change(rule: Rule, to: string | undefined): Promise<string>;
  /** What files say now counts from here on. Throws where they can't be read. */
  reload(): Promise<string>;
}

type Parts = Pick<LiveParts, "log" | "rules" | "options">;

/** Of an open session. */
export function permissionsOf(parts: Parts): Permissions {
  const { log } = parts;
  const calls = () => pastCalls(log.events);
  return {
    rows: () => rowsOf(parts),
    recent: (count) =>
      calls()
        .filter((call) => call.gates.some((gate) => gate.decided !== undefined || gate.asked !== undefined))
        .slice(-count)
        .toReversed()
        .map(whyOf),
    why(call) {
      const found = findCall(calls(), call);
      return found === undefined ? undefined : whyOf(found);
    },
    add: (rule) => add(parts, rule),
    change: (rule, to) => change(parts, rule, to),
    reload: () => reload(parts),
  };
}

function rowsOf({ log, rules, options }: Parts): { rows: RuleRow[]; problem?: string } {
  const disk = readDisk(options.ruleFiles);
  const before = decidedBefore(options.store.sessions, log.state.folder, log.state.id);
  const row = (rule: Rule, at: string | undefined, state: RuleRow["state"]): RuleRow => ({
    rule,
    ...(at === undefined ? {} : { at }),
    state,
    edit: state === "counts" ? editWords(rule, at) : "what files say now counts with /permissions reload",
    ...usesOf(log.events, rule),
    before: before.get(keyOf(rule)) ?? null,
  });
  const counting = rules.now().map((rule) => {
    const here = disk.rules?.find((r) => sameRule(r, rule));
    const gone = rule.source !== "cli" && disk.rules !== undefined && here === undefined;
    const at = here === undefined ? rules.placeOf(rule) : disk.places?.get(here);
    return row(rule, at, gone ? "gone" : "counts");
  });
  const { fresh } = differences(rules.now(), disk.rules ?? []);
  const rows = [
    ...counting,
    ...log.state.rules.map((rule) => row(rule, undefined, "counts")),
    ...fresh.map((rule) => row(rule, disk.places?.get(rule), "disk")),
  ];
  return { rows, ...(disk.problem === undefined ? {} : { problem: disk.problem }) };
}

function readDisk(files: RuleFiles | undefined): Partial<ReturnType<RuleFiles["read"]>> & { problem?: string } {
  try {
    return files?.read() ?? {};
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Kinds of rules that count only outside of the session and the project (P3). */
const EXACT = /^\s*(?:Network|Outside|Unsandboxed|Delete|Land)\b/;

async function add({ log, rules, options }: Parts, typed: Rule): Promise<string> {
  if (typed.action === "allow" && typed.source !== "session") refuseAllows(options.config.managed);
  const rule: Rule = { ...typed, text: inHome(typed.text.trim(), options.machine.home) };
  parseRule(rule);
  if ([...rules.now(), ...log.state.rules].some((r) => sameRule(r, rule))) return "That rule counts already.";
  if (rule.source === "session") {
    await log.append({ type: "rule.added", rule, by: "person" });
    const weak = rule.action === "allow" && EXACT.test(rule.text);
    return `It counts for this session.${weak ? " But a rule of the session spares no question about high risk: save it for this project (/permissions allow RULE)." : ""}`;
  }
  const { files, own } = writable(options.ruleFiles, rule);
  await files.add({ ...own, text: typed.text.trim() });
  const at = placeNow(files, rule);
  rules.add(rule, at);
  await log.append({ type: "rule.added", rule, by: "person" });
  return `Saved${at === undefined ? "" : ` to ${at}`}; it counts from now on.`;
}

async function change({ log, rules, options }: Parts, rule: Rule, to: string | undefined): Promise<string> {
  const next: Rule | undefined =
    to === undefined ? undefined : { ...rule, text: inHome(to.trim(), options.machine.home) };
  if (next !== undefined) parseRule(next);
  if (rule.source !== "session") {
    const { files, own } = writable(options.ruleFiles, rule);
    await files.change(own, to?.trim());
    rules.change(rule, next, next === undefined ? undefined : placeNow(files, next));
  }
  await log.append({ type: "rule.removed", rule });
  if (next !== undefined) await log.append({ type: "rule.added", rule: next, by: "person" });
  return next === undefined ? "It is taken away and counts no more." : "It is changed and counts so from now on.";
}

function writable(
  files: RuleFiles | undefined,
  rule: Rule,
): { files: RuleFiles; own: Parameters<RuleFiles["add"]>[0] } {
  const { action, text, source } = rule;
  if (source !== "user" && source !== "person")
    throw new Error(`That can't be changed from here (${String(editWords(rule, undefined))}).`);
  if (files === undefined) throw new Error("This program saves no rules; it can be changed for the session.");
  return { files, own: { action, text, source } };
}

function placeNow(files: RuleFiles, rule: Rule): string | undefined {
  try {
    const { rules, places } = files.read();
    const found = rules.find((r) => sameRule(r, rule));
    return found === undefined ? undefined : places?.get(found);
  } catch {
    return undefined;
  }
}

async function reload({ log, rules, options }: Parts): Promise<string> {
  if (options.ruleFiles === undefined) throw new Error("This program reads no rules from files.");
  const read = options.ruleFiles.read();
  const plain = ({ action, text, source }: PlacedRule): Rule => ({ action, text, source });
  const { fresh, gone } = differences(rules.now(), read.rules);
  rules.replace(read);
  for (const rule of gone) await log.append({ type: "rule.removed", rule: plain(rule) });
  for (const rule of fresh) await log.append({ type: "rule.added", rule: plain(rule), by: "person" });
  if (gone.length + fresh.length === 0) return "The files say what counts already.";
  return `The files' rules count as they are now: ${fresh.length} new, ${gone.length} gone.`;
}
