import type { Decision, Effect, Mode, Need, Rule } from "../events/effect.ts";
import { netHostText, plainHost } from "../sandbox/net-host.ts";
import { visible } from "../util/visible.ts";
import { decide } from "./decide.ts";
import { highFacts } from "./risk.ts";
import { fetchText, PORTS } from "./rule-host.ts";
import { rulesOf } from "./tool-rules.ts";
import { readScript } from "./words.ts";

/** A rule longer than this can't be read at a glance, so it is not offered. */
const MAX_RULE = 500;

/**
 * What "for this session" and "always" would save, literally: the narrowest rule that answers this question next time (P5).
 * undefined where remembering is not offered: high risk but for P3's two exceptions, an ask that a rule or a hook demands, words that
 * the shell expands, text that can't be shown as it is.
 */
export function offer(effect: Effect, decision: Decision): { session: string; always: string } | undefined {
  if (decision.action !== "ask" || decision.rule !== undefined || decision.hook !== undefined) return undefined;
  const rule = decision.risk === "high" ? exactRule(effect) : lowerRule(effect);
  const lines = rulesOf(effect.tool) === "command" ? "\n" : "";
  if (rule === undefined || unclear(rule, lines) || !answers(effect, rule)) return undefined;
  return { session: rule, always: rule };
}

/** It can't be read at a glance and exactly as it is. A command's words may have lines, a name with one looks like another name. */
function unclear(rule: string, keep = ""): boolean {
  return rule.length > MAX_RULE || visible(rule, keep) !== rule || rule.includes("\ufffd");
}

/** Names that are read otherwise than they are meant (a blank at the end) give a rule that answers nothing, or something else. */
function answers(effect: Effect, text: string): boolean {
  return decide(effect, "ask", [{ action: "allow", text, source: "session" }], true).action === "allow";
}

function lowerRule(effect: Effect): string | undefined {
  return rulesOf(effect.tool) === "command" ? commandRule(effect) : fileRule(effect);
}

/** The two needs of high risk that may be remembered (P3): a server's tool pinned by its hash, and a host that a page is got from. */
function exactRule(effect: Effect): string | undefined {
  const [need] = effect.needs;
  if (need === undefined || effect.needs.length > 1 || effect.changes !== undefined) return undefined;
  return exactText(need);
}

function exactText(need: Need): string | undefined {
  if (need.kind === "mcp") return need.pin === undefined ? undefined : `${toolText(need)}@${need.pin}`;
  if (need.kind !== "network" || need.get === undefined) return undefined;
  return fetchText(need.get, need.host, need.port ?? PORTS[need.get]);
}

function commandRule({ tool, subject }: Effect): string | undefined {
  const text = subject.trim();
  const script = readScript(text);
  if (script.opaque || !script.sure || script.commands.length === 0 || /(:|\s)\*$/.test(text)) return undefined;
  return `${tool}(${text})`;
}

/** Rules name paths below any root, so only the folder's own files are offered. */
function fileRule({ tool, changes }: Effect): string | undefined {
  if (rulesOf(tool) !== "change") return undefined;
  const files = (changes?.entries ?? []).filter((e) => e.type !== "folder" || e.op !== "create");
  const [only] = files;
  if (only === undefined || files.length > 1 || only.root !== 0 || only.type !== "file") return undefined;
  // What deletes is never remembered, also where the session made the file itself.
  if (only.op === "delete" || highFacts(only).length > 0) return undefined;
  return `Edit(${pathPattern(only.path)})`;
}

/** A pattern of one path alone. */
function pathPattern(path: string): string {
  const literal = path.replace(/[\\*?[\]{}]/g, "\\$&");
  return literal.includes("/") ? literal : `/${literal}`;
}

/** More deletions than these are no few rules to read. */
const MAX_DELETIONS = 5;

/**
 * The rules of the person's own by which a few deletions would land unasked, each by its path (P3): told where nobody can be asked,
 * never saved from a question. Empty where something else than these deletions asks too.
 */
export function deleteRules(effect: Effect, mode: Mode): readonly string[] {
  const gone = (effect.changes?.entries ?? []).filter((e) => e.op === "delete" && highFacts(e).length > 0);
  if (gone.length === 0 || gone.length > MAX_DELETIONS || gone.some((e) => e.root !== 0)) return [];
  const texts = gone.map((e) => `Delete(${pathPattern(e.path)})`);
  if (texts.some((text) => unclear(text))) return [];
  const rules = texts.map((text): Rule => ({ action: "allow", text, source: "cli" }));
  return decide(effect, mode, rules, true).action === "allow" ? texts : [];
}

/**
 * The rules of the person's own by which this would not be asked before it runs, each need pinned (P3): told, never saved from a
 * question. Empty where one of the needs has none: the whole network, any host, what runs without the copy.
 */
export function pinnedRules({ needs }: Pick<Effect, "needs">): readonly string[] {
  const rules = needs.map(pinned);
  const known = rules.filter((rule) => rule !== undefined).filter((rule) => !unclear(rule));
  return known.length === needs.length ? known : [];
}

function pinned(need: Need): string | undefined {
  // Another form of a name than the plain one is a rule that never matches.
  if (need.kind === "network" && need.port !== undefined && plainHost(need.host) === need.host)
    return `Network(${netHostText({ host: need.host, port: need.port })})`;
  if (need.kind === "mcp") return toolText(need);
  // What the system makes up for each program is no place to open for good.
  if (need.kind !== "outside" || /^\/(proc|sys|dev)(\/|$)/.test(need.path)) return undefined;
  return !/[()*?[\]{}\\]/.test(need.path) ? `Outside(${need.path})` : undefined;
}

function toolText({ server, tool }: Need & { kind: "mcp" }): string {
  return `mcp__${server}__${tool}`;
}
