import type { Change } from "./change.ts";
import type { Door } from "./door.ts";
import { type Entry, type EntryState, type Journal, openJournal } from "./journal.ts";
import type { Pass, PassEnd } from "./plan.ts";
import type { JournalStep } from "./workspace.ts";

/** A pass that ended well: what the folder was made of. */
export interface Done {
  state: EntryState;
  end: PassEnd;
}

/** A step as its newest pass left it, with the door of the journal that it lies in. */
export interface StepAt extends Done {
  door: Door;
  operationId: string;
  /** Its landing; of an old one that is forgotten, its newest pass. */
  first: Pass;
}

/** The newest pass of a step that ended well. Throws where there is none. */
export function lastDone(journal: Journal, operationId: string): Done {
  const entry = journal.find(operationId);
  if (entry === undefined) throw new Error(`no step ${operationId} in the journal`);
  const done = doneIn(journal, entry);
  if (done === undefined) throw new Error(`step ${operationId} never landed`);
  return done;
}

function doneIn(journal: Journal, entry: Entry): Done | undefined {
  for (let number = journal.newest(entry); number >= 0; number--) {
    const state = journal.read(entry, number);
    if (state?.end?.done === true) return { state, end: state.end };
  }
  return undefined;
}

/** The door as the session saw it in whose journal a step lies: this folder's, or another's that had one of our roots too. */
export function homeOf(door: Door, operationId: string): Door {
  if (door.journal.find(operationId) !== undefined) return door;
  const found = pointersOf(door).find((pointer) => pointer.operationId === operationId);
  return found === undefined ? door : doorAt(door, found.home);
}

/** The same door with another folder's journal. */
export function doorAt(door: Door, home: string): Door {
  return home === door.home ? door : { ...door, home, journal: openJournal(door.state, door.foldersDir, home) };
}

function pointersOf(door: Door): { operationId: string; home: string }[] {
  return door.roots.flatMap((root) => [...openJournal(door.state, door.foldersDir, root.path).pointers()]);
}

/** Every entry that touched our roots: of this folder's journal and of those it points to. */
export function entriesOf(door: Door): { door: Door; entry: Entry }[] {
  const own = door.journal.entries().map((entry) => ({ door, entry }));
  const others = pointersOf(door).flatMap(({ operationId, home }) => {
    if (home === door.home) return [];
    const other = doorAt(door, home);
    const entry = other.journal.find(operationId);
    return entry === undefined ? [] : [{ door: other, entry }];
  });
  const all = new Map([...own, ...others].map((found) => [found.entry.folder, found]));
  return [...all.values()];
}

/** Every step that landed, whatever became of it since; the one whose newest pass came last is last. */
export function stepsOf(door: Door): StepAt[] {
  const found = entriesOf(door).flatMap(({ door: at, entry }): StepAt[] => {
    const done = doneIn(at.journal, entry);
    if (done === undefined) return [];
    const first = at.journal.read(entry, 0)?.pass ?? done.state.pass;
    return [{ ...done, door: at, operationId: entry.operationId, first }];
  });
  return found.toSorted(byPass);
}

/** Earlier passes first: by their place where one journal holds both, which no clock can mix up. */
export function byPass(a: StepAt, b: StepAt): number {
  const [x, y] = [a.state.pass, b.state.pass];
  if (a.door.home === b.door.home) {
    const place =
      (x.behind ?? x.order) - (y.behind ?? y.order) || Number(x.kind !== "land") - Number(y.kind !== "land");
    if (place !== 0) return place;
    const turns = (x.turn ?? 0) - (y.turn ?? 0);
    if (turns !== 0) return turns;
  }
  return x.at < y.at ? -1 : x.at > y.at ? 1 : x.number - y.number;
}

/** What a step took away is still there: without it nothing of the step can be undone or redone. */
export function isKept({ door, state }: Pick<StepAt, "door" | "state">): boolean {
  return door.state.lstat(`${state.entry.folder}/slots`) !== undefined;
}

/** Steps that touched our roots, oldest landing first; roots counted as this workspace counts them. */
export function journalSteps(door: Door): JournalStep[] {
  const all = entriesOf(door).flatMap(({ door: at, entry }): JournalStep[] => {
    const newest = at.journal.read(entry);
    if (newest?.pass.number === 0 && newest.end?.done === false) return [rolledBack(door, newest)];
    const done = doneIn(at.journal, entry);
    if (done === undefined) return [];
    const first = at.journal.read(entry, 0)?.pass ?? done.state.pass;
    return [told(door, { ...done, door: at, operationId: entry.operationId, first })];
  });
  return all.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function rolledBack(door: Door, { entry, pass }: EntryState): JournalStep {
  const { sessionId, at, changes, roots } = pass;
  const base = { operationId: entry.operationId, sessionId, at, by: sessionId, turnedAt: at };
  return { ...base, status: "rolled-back", kept: false, bytes: 0, changes: ours(door, roots, changes) };
}

/** A step as the front-ends and the sessions know it. */
export function told(door: Door, step: StepAt): JournalStep {
  const { state, end, first, operationId } = step;
  const { kind, sessionId, at } = state.pass;
  return {
    operationId,
    sessionId: first.sessionId,
    at: first.at,
    by: sessionId,
    turnedAt: at,
    ...(state.pass.group === undefined ? {} : { group: state.pass.group }),
    status: kind === "undo" ? "undone" : "landed",
    kept: isKept(step),
    bytes: isKept(step) ? end.bytes : 0,
    changes: ours(door, first.roots, end.changes),
  };
}

/** Changes in our own roots, counted our way. */
function ours(door: Door, theirs: readonly string[], changes: readonly Change[]): Change[] {
  return changes.flatMap((change) => {
    const root = door.roots.findIndex((r) => r.path === theirs[change.root]);
    return root < 0 ? [] : [{ ...change, root }];
  });
}

/** Another text once anybody has landed, undone or forgotten a step here. Looks at each step's folder, not into it. */
export function stampOf(door: Door): string {
  const stats = entriesOf(door).map(({ door: at, entry }) => at.state.lstat(entry.folder));
  return stats.map((stat) => `${stat?.ino} ${stat?.mtimeNs}`).join("\n");
}
