import type { Effect, Decision } from "../events/effect.ts";
import type { LogBodyOf, SessionEvent } from "../events/event.ts";
import type { Answer, LeftOut, Question } from "../permissions/asker.ts";
import { shownHash } from "../permissions/shown.ts";
import type { Verdict as HookVerdict } from "../permissions/lattice.ts";
import { visible } from "../util/visible.ts";
import { gateNow } from "./above.ts";
import { alongOf, alongVerdicts, holds, LEFT_OUT, ownShare } from "./along.ts";
import { stopOf } from "./deadline.ts";
import { decideNow } from "./decide-now.ts";
import type { LoopDeps } from "./deps.ts";
import { rewrittenText } from "./hook-words.ts";
import { notify, questionHooks } from "./moment-hooks.ts";

export type Verdict =
  | { allow: true; by: "policy" | "rule" | "person"; left: readonly LeftOut[]; withRegenerable: boolean }
  /** `ends`: a bare no of the person's, the query ends (P5). `instead`: what the person made of the call. */
  | { allow: false; reason: string; note?: string; ends: boolean; instead?: Instead };

/** An answer that is neither yes nor no. `questionId`: what it answers. */
export type Instead = Extract<Answer, { kind: "edit" | "rewrite" | "self" }> & { questionId: string };

export interface Asking {
  callId: string;
  gate: "needs" | "changes";
  effect: Effect;
  /** What hooks say of it. */
  hooks?: readonly HookVerdict[];
  /** An open question of before, asked again on resume (P7). */
  questionId?: string;
  /** Everything else that the question shows. */
  question(id: string, decision: Decision): Promise<Question>;
  /** `resultHash` of what it would change, against which an answer of before is held (ADR 37). */
  exact?(): Promise<string>;
  /** Before a yes counts: what would run is still what was asked about, in the same folder. Changes are compared by the door. */
  still?(question: Question): Promise<boolean>;
}

/** Nobody answered it: a bare no to another call of the turn ended the query (UX P-7). */
const BESIDE_A_NO = "another call of this turn was denied";

/** What a call is told whose words, folder or reach changed under an open question. */
const NOT_AS_ASKED = "what was asked about changed while the question was open, so the yes doesn't count: call again";

/**
 * Decides by policy and rules, asks the person where these say so, and appends the verdict with who and why. Mode and rules are
 * read now, so a question of before whose rules changed is decided anew (P7).
 */
export async function* permit(
  asking: Asking,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Verdict> {
  const decision = decideNow(asking.effect, deps, asking.hooks);
  if (decision.action === "ask")
    return (
      (yield* askedAlong(asking, decision, deps)) ??
      (yield* ask(asking, withRewriting(asking, decision, deps), deps, signal))
    );
  const allow = decision.action === "allow";
  const by = decision.rule === undefined ? "policy" : "rule";
  // What no gate had to judge (a read inside the roots), or a later gate will (its changes), needs no line of its own.
  const judged = asking.effect.changes !== undefined || asking.effect.needs.some((need) => need.kind !== "change");
  if (!allow || by === "rule" || judged) {
    const who = decision.bypassed === true ? "bypass" : by === "policy" && decision.hook !== undefined ? "hook" : by;
    const outcome = allow ? "allow" : "deny";
    yield await decided(asking, decision, { outcome, by: who, reason: decision.reason }, deps);
  }
  if (allow) return { allow, by, left: [], withRegenerable: false };
  return { allow, reason: decision.reason, ends: false };
}

/**
 * What the person said of it already, in the question of another call of the reply. A no is to the call; a yes is to what was shown, so
 * whatever comes out otherwise is asked anew.
 */
async function* askedAlong(
  asking: Asking,
  decision: Decision,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Verdict | undefined> {
  const along = asking.gate === "changes" ? deps.log.state.calls.get(asking.callId)?.along : undefined;
  if (along === undefined || asking.questionId !== undefined) return undefined;
  const { questionId, shown, outcome, note, dropped: left } = along;
  const said = { outcome, by: "person", questionId, shown } as const;
  if (outcome === "deny") {
    const reason = note === undefined ? LEFT_OUT : personSaidNo(decision);
    const words = note === undefined ? {} : { note };
    yield await decided(asking, decision, { ...said, reason, ...words }, deps);
    return { allow: false, reason, ends: false, ...words };
  }
  if (!holds(along, decision, (await asking.exact?.()) ?? "")) return undefined;
  const dropped = left === undefined ? {} : { dropped: left };
  yield await decided(asking, decision, { ...said, reason: decision.reason, ...dropped }, deps);
  await deps.log.barrier();
  return { allow: true, by: "person", left: (left ?? []).map(asLeft), withRegenerable: false };
}

function asLeft({ root, path, hunks }: NonNullable<Decided["dropped"]>[number]): LeftOut {
  return { root, path, ...(hunks === undefined ? {} : { hunks }) };
}

function personSaidNo({ reason }: Decision): string {
  return `the person said no (${reason})`;
}

/** The person is told that what would run is a hook's, not the model's. */
function withRewriting({ callId }: Asking, decision: Decision, deps: LoopDeps): Decision {
  const call = deps.log.state.calls.get(callId);
  if (call?.hooks?.by === undefined) return decision;
  return { ...decision, reason: `${decision.reason}; ${rewrittenText(call.hooks.by)}` };
}

async function* ask(
  asking: Asking,
  decision: Decision,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Verdict> {
  const questionId = asking.questionId ?? deps.makeId("question");
  const question = await asking.question(questionId, decision);
  const { callId, effect } = asking;
  const refused = yield* questionHooks(asking, decision, deps, signal);
  if (refused !== undefined) {
    const reason = `blocked by the hook ${visible(refused.hook, "")}: ${visible(refused.reason, "")}`;
    yield await decided(asking, decision, { outcome: "deny", by: "hook", reason }, deps);
    return { allow: false, reason, ends: refused.stop !== undefined };
  }
  const shown = shownHash(question);
  const along = alongOf(question);
  yield await deps.log.append({
    type: "permission.asked",
    questionId,
    callId,
    effect,
    decision,
    shown,
    ...(along.length === 0 ? {} : { along }),
  });
  await deps.log.barrier();
  const modeBefore = gateNow(deps).mode;
  const told = notify("permission_prompt", `Asks for your permission: ${effect.tool}`, deps);
  const answer = await deps.asker.ask(question, signal);
  yield* await told.end();
  // A switch to plan while the question was open answers no, whatever came after it (P8).
  const planned = modeBefore !== "plan" && gateNow(deps).mode === "plan";
  const final: Answer = planned ? { kind: "no", note: "switched to plan mode" } : answer;
  if (final.kind === "yes") {
    const against = await heldBack(asking, question, deps);
    if (against === undefined) return yield* yes(asking, decision, { question, shown }, final, deps);
    yield await decided(asking, decision, { outcome: "deny", ...against, questionId, shown }, deps);
    return { allow: false, reason: against.reason, ends: false };
  }
  if ((final.kind === "edit" || final.kind === "self") && question.also?.includes(final.kind) === true)
    return yield* instead(asking, decision, { questionId, shown }, final, deps);
  if (final.kind === "rewrite" && question.proposed !== undefined)
    return yield* instead(asking, decision, { questionId, shown }, final, deps);
  if (signal.aborted && stopOf(signal).reason === "denied") {
    yield await decided(
      asking,
      decision,
      { outcome: "deny", by: "policy", reason: BESIDE_A_NO, questionId, shown },
      deps,
    );
    return { allow: false, reason: BESIDE_A_NO, ends: false };
  }
  const nobody = final.kind === "nobody";
  const note = final.kind === "no" ? final.note : undefined;
  const reason = nobody ? `${decision.reason} (needs an answer; ${final.reason})` : personSaidNo(decision);
  const ends = !nobody && note === undefined;
  const extra = {
    questionId,
    shown,
    ...(note === undefined ? {} : { note }),
    ...(ends ? { ends } : {}),
    ...alongIn(question, final),
  };
  yield await decided(asking, decision, { outcome: "deny", by: nobody ? "nobody" : "person", reason, ...extra }, deps);
  return { allow: false, reason, ends, ...(note === undefined ? {} : { note }) };
}

/** Said of a call that the program itself doesn't run. */
const BY_PERSON = "the person did it themselves, outside the copy";

/** The call as it was asked about is not run: what the caller makes of that is a fact of its own. */
async function* instead(
  asking: Asking,
  decision: Decision,
  asked: { questionId: string; shown: string },
  answer: Extract<Answer, { kind: "edit" | "rewrite" | "self" }>,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Verdict> {
  if (answer.kind === "self")
    yield await decided(asking, decision, { outcome: "deny", by: "person", reason: BY_PERSON, ...asked }, deps);
  return { allow: false, reason: BY_PERSON, ends: false, instead: { ...answer, questionId: asked.questionId } };
}

/** Why a yes doesn't count: something else would run now, or a rule of meanwhile denies it (P7). */
async function heldBack(
  asking: Asking,
  question: Question,
  deps: LoopDeps,
): Promise<Pick<Decided, "by" | "reason"> | undefined> {
  if ((await asking.still?.(question)) === false) return { by: "policy", reason: NOT_AS_ASKED };
  const now = decideNow(asking.effect, deps, asking.hooks);
  return now.action === "deny" ? { by: "rule", reason: now.reason } : undefined;
}

async function* yes(
  asking: Asking,
  decision: Decision,
  { question, shown }: { question: Question; shown: string },
  answer: Extract<Answer, { kind: "yes" }>,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Verdict> {
  const { remember, withRegenerable = false, note } = answer;
  const asked = { questionId: question.id, shown, ...alongIn(question, answer) };
  if (remember !== undefined) {
    yield await deps.log.append({ type: "rule.added", ...(await remembered(remember, deps)) });
  }
  const left = ownShare(question, answer.left ?? []);
  if (left === "none") {
    const words = note === undefined ? {} : { note };
    yield await decided(
      asking,
      decision,
      { outcome: "deny", by: "person", reason: LEFT_OUT, ...asked, ...words },
      deps,
    );
    return { allow: false, reason: LEFT_OUT, ends: false, ...words };
  }
  const dropped = left.map(({ root, path, hunks }) => ({
    root,
    path,
    ...(hunks === undefined ? {} : { hunks: [...hunks] }),
  }));
  yield await decided(
    asking,
    decision,
    {
      outcome: "allow",
      by: "person",
      reason: decision.reason,
      ...asked,
      ...(dropped.length === 0 ? {} : { dropped }),
      ...(withRegenerable ? { withRegenerable } : {}),
      ...(note === undefined ? {} : { note }),
    },
    deps,
  );
  // Durable before the answer takes effect.
  await deps.log.barrier();
  return { allow: true, by: "person", left, withRegenerable };
}

/** A file that can't be written is no reason to lose the answer: the rule then counts for this session, and says why. */
async function remembered(
  { scope, rule: text }: { scope: "session" | "always"; rule: string },
  deps: LoopDeps,
): Promise<Pick<LogBodyOf<"rule.added">, "rule" | "unsaved">> {
  const here = { action: "allow", text, source: "session" } as const;
  if (scope === "session") return { rule: here };
  try {
    return { rule: await deps.saveRule(text) };
  } catch (error) {
    return { rule: here, unsaved: error instanceof Error ? error.message : String(error) };
  }
}

type Decided = LogBodyOf<"permission.decided">;

function alongIn(question: Question, answer: Answer): Pick<Decided, "along"> {
  const along = alongVerdicts(question, answer);
  return along.length === 0 ? {} : { along };
}

function decided(
  { callId, gate, effect }: Asking,
  { risk, rule, rules, hook }: Decision,
  verdict: Pick<
    Decided,
    "outcome" | "by" | "reason" | "questionId" | "note" | "ends" | "dropped" | "withRegenerable" | "shown" | "along"
  >,
  deps: LoopDeps,
): Promise<SessionEvent> {
  return deps.log.append({
    type: "permission.decided",
    callId,
    gate,
    risk,
    ...verdict,
    ...(rule === undefined ? {} : { rule }),
    ...(rules === undefined ? {} : { rules }),
    ...(hook === undefined ? {} : { hook }),
    effect,
  });
}
