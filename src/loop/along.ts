import type { Along, AlongVerdict } from "../events/along.ts";
import type { ChangeEntry, Decision } from "../events/effect.ts";
import type { Answer, LeftOut, OneOfMany, Question } from "../permissions/asker.ts";

/** Said of a call all of whose files the person left out of a question about several. */
export const LEFT_OUT = "the person left it out of what they allowed";

/** The further calls of a question, for the log. */
export function alongOf({ callId, together = [] }: Question): Along[] {
  return together.filter((one) => one.callId !== callId).map((one) => ({ callId: one.callId, shown: one.shown }));
}

/** What an answer says of the further calls of a question; nothing where nobody answered or the work stops. */
export function alongVerdicts(question: Question, answer: Answer): AlongVerdict[] {
  const { callId, together = [] } = question;
  return together
    .filter((one) => one.callId !== callId)
    .flatMap((one): AlongVerdict[] => {
      const of = { callId: one.callId, shown: one.shown };
      if (answer.kind === "no" && answer.note !== undefined) return [{ ...of, outcome: "deny", note: answer.note }];
      if (answer.kind !== "yes") return [];
      const share = shareOf(one, answer.left ?? [], together);
      if (share === "none") return [{ ...of, outcome: "deny" }];
      return [{ ...of, outcome: "allow", ...(share.length === 0 ? {} : { dropped: share }) }];
    });
}

/** The same for the call that was asked about itself: what of it was left out, or that all of it was. */
export function ownShare({ callId, together }: Question, left: readonly LeftOut[]): readonly LeftOut[] | "none" {
  const own = together?.find((one) => one.callId === callId);
  return own === undefined || together === undefined ? left : shareOf(own, left, together);
}

type Share = { root: number; path: string; hunks?: number[] }[];

/** Hunks of a file that several calls change are none of any one of them: such a file is left out whole. */
function shareOf({ entries }: OneOfMany, left: readonly LeftOut[], together: readonly OneOfMany[]): Share | "none" {
  const alone = (l: LeftOut): boolean => together.filter((one) => one.entries.some((e) => isOf(e, l))).length < 2;
  const share = left
    .filter((l) => entries.some((e) => isOf(e, l)))
    .map(({ root, path, hunks, ...l }) => ({
      root,
      path,
      ...(hunks === undefined || !alone({ root, path, ...l }) ? {} : { hunks: [...hunks] }),
    }));
  const whole = share.filter((l) => l.hunks === undefined);
  const stays = entries.filter((e) => e.type !== "folder" || e.op !== "create");
  return stays.length > 0 && stays.every((e) => whole.some((l) => isOf(e, l))) ? "none" : share;
}

function isOf({ root, path }: ChangeEntry, of: { root: number; path: string }): boolean {
  return of.root === root && of.path === path;
}

/** Whether a yes of before holds for what a call comes to now: exactly that was shown, and it is no more than medium risk by the policy alone. */
export function holds(along: AlongVerdict, decision: Decision, shown: string): boolean {
  const plain = decision.risk !== "high" && decision.rule === undefined && decision.hook === undefined;
  return along.outcome === "allow" && plain && along.shown === shown;
}
