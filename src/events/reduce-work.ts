import type { Draft } from "./draft.ts";
import type { LogEventOf } from "./event.ts";

export function workBegun({ state }: Draft, { stage, list, feature }: LogEventOf<"work.begun">): void {
  state.work = { stage, list, ...(feature === undefined ? {} : { feature }) };
}

export function judgeNamed({ state }: Draft, { agent, rounds }: LogEventOf<"judge.named">): void {
  state.judge = { agent, rounds, given: 0, against: 0 };
}

/** An agreed contract opens a count of its own for the work. */
export function verdictGiven({ state }: Draft, { about, ok, of }: LogEventOf<"verdict.given">): void {
  const { judge } = state;
  if (judge === undefined) return;
  const agreed = about === "contract" && ok;
  state.judge = {
    ...judge,
    given: judge.given + 1,
    against: ok ? 0 : judge.against + 1,
    ...(agreed ? { contract: of ?? "" } : {}),
  };
}

/** Each message of the person's has a contract of its own. */
export function judgedAnew({ state }: Draft): void {
  if (state.judge === undefined) return;
  const { agent, rounds, given } = state.judge;
  state.judge = { agent, rounds, given, against: 0 };
}
