import type { LogEvent } from "../events/event.ts";
import type { EventLog } from "../events/log.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { catchUp } from "./catch-up.ts";

/**
 * What happened to the folder's steps beside this session, asked before every turn: undone by `agent undo` or another session, or too
 * old to be undone any more. The journal is read only when it changed by another hand than ours.
 */
export function watchSteps(
  log: EventLog,
  workspace: Workspace,
): { workspace: Workspace; news: () => Promise<LogEvent[]> } {
  const lost: string[] = [];
  let stamp = workspace.journalStamp();
  const own = async <R>(work: () => Promise<R>): Promise<R> => {
    const clean = workspace.journalStamp() === stamp;
    try {
      return await work();
    } finally {
      // What somebody else did just before is not to be taken for ours.
      if (clean) stamp = workspace.journalStamp();
    }
  };
  return {
    workspace: {
      ...workspace,
      land: async (set, left) => {
        const landing = await own(() => workspace.land(set, left));
        if (landing.ok && landing.note !== undefined) lost.push(landing.note);
        return landing;
      },
      adoptStep: (sight) => own(() => workspace.adoptStep(sight)),
      undo: (operationId) => own(() => workspace.undo(operationId)),
      redo: (operationId) => own(() => workspace.redo(operationId)),
      turn: (wanted) => own(() => workspace.turn(wanted)),
    },
    news: async () => {
      const facts: LogEvent[] = [];
      for (const text of lost.splice(0)) facts.push(await log.append({ type: "limit.warned", limit: "undo", text }));
      const now = workspace.journalStamp();
      if (now === stamp) return facts;
      stamp = now;
      return [...facts, ...(await catchUp(log, workspace))];
    },
  };
}
