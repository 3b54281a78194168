import type { LogEvent, Touch } from "../events/event.ts";
import type { EventLog } from "../events/log.ts";
import { showPath } from "../util/bytes.ts";
import type { JournalStep, Workspace } from "../workspace/workspace.ts";
import { areWords, changesOf } from "./step-words.ts";

/** How the logs of `agent undo` and `agent redo` are named. */
export const RUN_PREFIX = "undo-";

/**
 * Tells a log what the door's journal knows more, and gives the facts: steps that landed before a crash could be recorded, and what
 * another session or `agent undo` undid or redid since, with a note for the model (W8). The journal is the truth on what landed.
 */
export async function catchUp(log: EventLog, workspace: Workspace): Promise<LogEvent[]> {
  const facts: LogEvent[] = [];
  const turned = new Map<string, JournalStep[]>();
  for (const step of await workspace.journal()) {
    const known = log.state.steps.findLast((s) => s.operationId === step.operationId);
    if (known?.summary === undefined) continue;
    const { operationId } = step;
    const callId = known.callId === undefined ? {} : { callId: known.callId };
    if (step.status === "landed" && known.status === "proposed") {
      const touched = step.changes.flatMap((c) => touchOf(c, workspace));
      facts.push(
        await log.append({
          type: "changes.landed",
          ...callId,
          operationId,
          summary: known.summary,
          by: "recovery",
          touched,
        }),
      );
    }
    const type = typeOf(step, known.status);
    if (type === undefined) continue;
    const by = byWhom(step, log.state.id);
    facts.push(await log.append({ type, operationId, by, paths: pathsOf(step, workspace) }));
    const key = `${type} ${by}`;
    turned.set(key, [...(turned.get(key) ?? []), step]);
  }
  for (const steps of turned.values()) {
    facts.push(await log.append({ type: "note.added", text: noteOf(steps, workspace, log.state.id) }));
  }
  return facts;
}

function typeOf(step: JournalStep, known: string): "changes.undone" | "changes.redone" | undefined {
  if (step.status === "landed" && known === "undone") return "changes.redone";
  return step.status === "undone" && known === "landed" ? "changes.undone" : undefined;
}

/** Who undid or redid a step last, as the log and the note say it. */
function byWhom({ by }: JournalStep, own: string): string {
  if (by === own) return "person";
  return by.startsWith(RUN_PREFIX) ? `agent undo (${by})` : `session ${by}`;
}

function noteOf(steps: readonly JournalStep[], workspace: Workspace, own: string): string {
  const [first] = steps;
  if (first === undefined) return "";
  const who = {
    person: "The person",
    run: "The person, by `agent undo` or `agent redo` outside this session,",
    session: `The person, in another session (${first.by}),`,
  }[first.by === own ? "person" : first.by.startsWith(RUN_PREFIX) ? "run" : "session"];
  const what = steps.length === 1 ? "a step of this session" : `${steps.length} steps of this session`;
  const are = areWords(changesOf(steps), workspace);
  return first.status === "undone"
    ? `${who} undid ${what}: ${are} as before. Read again before you change them.`
    : `${who} redid ${what} that had been undone: ${are} changed again. Read again before you change them.`;
}

/** Absolute paths of a step's changes. */
export function pathsOf(step: Pick<JournalStep, "changes">, workspace: Workspace): string[] {
  return step.changes.map((c) => join(workspace, c));
}

type At = Pick<JournalStep["changes"][number], "root" | "path">;

function join(workspace: Workspace, { root, path }: At): string {
  return `${workspace.roots[root]?.path ?? ""}/${showPath(path)}`;
}

function touchOf(change: JournalStep["changes"][number], workspace: Workspace): Touch[] {
  const path = join(workspace, change);
  if (change.op === "delete") return [{ path, hash: "", how: "deleted" }];
  return change.after?.hash === undefined ? [] : [{ path, hash: change.after.hash, how: "written" }];
}
