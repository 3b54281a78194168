import type { Draft } from "./draft.ts";
import type { LogEventOf } from "./event.ts";
import type { CheckState } from "./state.ts";

/** A word about a session's limit counts for the session, any other for the query. */
export function limitWarned({ state }: Draft, { limit }: LogEventOf<"limit.warned">): void {
  if (limit.startsWith("session.")) {
    // A fork has a budget of its own.
    if (state.seq >= (state.forkedFrom?.seq ?? 0)) state.warned = [...state.warned, limit];
  } else if (state.query !== undefined) state.query = { ...state.query, warned: [...state.query.warned, limit] };
}

/** A limit that was moved may be told anew. */
export function limitChanged({ state }: Draft, { scope, limit, value }: LogEventOf<"limit.changed">): void {
  const name = `${scope}.${limit}`;
  state.limits = { ...state.limits, [scope]: { ...state.limits[scope], [limit]: value } };
  state.warned = state.warned.filter((w) => w !== name);
  if (state.query !== undefined) state.query = { ...state.query, warned: state.query.warned.filter((w) => w !== name) };
}

export function checkRan({ state }: Draft, event: LogEventOf<"check.ran">): void {
  const { command, exit, name = command, tree = "", round = 0 } = event;
  const before = state.checks.get(name);
  const same = before?.command === command;
  const green = exit === 0 ? new Map(state.changed) : same ? before.green : undefined;
  const check: CheckState = {
    name,
    command,
    exit,
    tree,
    mark: state.marks.files,
    ...(green === undefined ? {} : { green }),
  };
  state.checks = new Map(state.checks).set(name, check);
  if (state.query !== undefined) state.query = { ...state.query, checkRound: Math.max(state.query.checkRound, round) };
}
