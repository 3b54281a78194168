import type { Effect, Mode, Rule } from "../events/effect.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import { decide, ruleName } from "../permissions/decide.ts";

type Decided = LogEventOf<"permission.decided">;

/** A landing with all that the log says led to it. */
export interface LandedFact {
  landed: LogEventOf<"changes.landed">;
  proposed?: LogEventOf<"changes.proposed">;
  /** The newest yes to it between proposal and landing. */
  decided?: Decided;
  asked?: LogEventOf<"permission.asked">;
  /** The person typed its command (`!`). */
  typed: boolean;
  /** When it was decided; when it landed, where nothing was decided. */
  mode: Mode;
  /** The same of `--bypass`. */
  bypass: boolean;
}

/** Every landing of a log, in order. */
export function landings(events: readonly LogEvent[]): LandedFact[] {
  const modes = modesOf(events);
  const bypass = bypassOf(events);
  const asked = questions(events);
  const typed = new Set(events.flatMap((e) => (e.type === "shell.ran" && !e.outside ? [`${e.operationId}`] : [])));
  const proposals = new Map<string, LogEventOf<"changes.proposed">>();
  const yes = new Map<string, Decided>();
  const found: LandedFact[] = [];
  for (const event of events) {
    if (event.type === "changes.proposed") {
      proposals.set(event.operationId, event);
      // A verdict on an earlier set of the same call says nothing about this one.
      yes.delete(event.callId);
    }
    if (event.type === "permission.decided" && event.gate === "changes") {
      if (event.outcome === "allow") yes.set(event.callId, event);
      else yes.delete(event.callId);
    }
    if (event.type !== "changes.landed") continue;
    const proposed = proposals.get(event.operationId);
    const decided = proposed === undefined ? undefined : yes.get(proposed.callId);
    const question = decided?.questionId === undefined ? undefined : asked.get(decided.questionId);
    found.push({
      landed: event,
      ...(proposed === undefined ? {} : { proposed }),
      ...(decided === undefined ? {} : { decided }),
      ...(question === undefined || question.seq > (decided?.seq ?? 0) ? {} : { asked: question }),
      typed: typed.has(event.operationId),
      mode: modes(decided?.seq ?? event.seq),
      bypass: bypass(decided?.seq ?? event.seq),
    });
  }
  return found;
}

/** The first time that each question was asked. */
export function questions(events: readonly LogEvent[]): ReadonlyMap<string, LogEventOf<"permission.asked">> {
  const asked = new Map<string, LogEventOf<"permission.asked">>();
  for (const event of events)
    if (event.type === "permission.asked" && !asked.has(event.questionId)) asked.set(event.questionId, event);
  return asked;
}

/** The mode that held when event `seq` was written. */
export function modesOf(events: readonly LogEvent[]): (seq: number) => Mode {
  const changes = events.flatMap((e): { seq: number; mode: Mode }[] => {
    if (e.type === "session.opened" || e.type === "mode.changed") return [{ seq: e.seq, mode: e.mode }];
    return e.type === "session.foreign" ? [{ seq: e.seq, mode: "ask" }] : [];
  });
  return (seq) => changes.findLast((c) => c.seq <= seq)?.mode ?? "ask";
}

/** Whether `--bypass` was on when event `seq` was written: from its fact to the end of that run. */
export function bypassOf(events: readonly LogEvent[]): (seq: number) => boolean {
  const changes = events.flatMap((e): { seq: number; on: boolean }[] => {
    if (e.type === "bypass.changed") return [{ seq: e.seq, on: e.on }];
    return e.type === "session.resumed" || e.type === "session.foreign" ? [{ seq: e.seq, on: false }] : [];
  });
  return (seq) => changes.findLast((c) => c.seq <= seq)?.on ?? false;
}

/** Why a verdict by `--bypass` is none; undefined where it is one. */
export function unbypassed(effect: Effect, mode: Mode, on: boolean): string | undefined {
  if (!on) return "allowed by --bypass, which was not on";
  return decide(effect, mode, [], false, [], true).action === "allow" ? undefined : "--bypass doesn't lift it";
}

/** The rules that a verdict rests on. */
export function rulesOf({ rule, rules }: Decided): readonly Rule[] {
  return rules ?? (rule === undefined ? [] : [rule]);
}

/** Whether the rules that a verdict names, and no others, allow this effect in this mode. */
export function lifted(decided: Decided, effect: Effect, mode: Mode): boolean {
  const rules = rulesOf(decided).filter((rule) => rule.action === "allow");
  return rules.length > 0 && decide(effect, mode, rules, false).action === "allow";
}

/** "by Delete(tmp/**) (your settings), …" of some verdicts, each rule once; empty where there is none. */
export function ruleNames(verdicts: readonly Decided[]): string {
  const names = [...new Set(verdicts.flatMap((v) => rulesOf(v).map(ruleName)))];
  return names.length === 0 ? "" : `: ${names.join(", ")}`;
}
