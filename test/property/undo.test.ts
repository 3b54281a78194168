import fc from "fast-check";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { copyTree, stepTo } from "../support/change-set.ts";
import { deepRuns } from "../support/deep.ts";
import { missingOtherDisk, openAt, place, type Place } from "../support/door.ts";
import { needs } from "../support/runnable.ts";

/** Content of every file and link of a folder by path, and under `path#` its mode. Folders count only by what is in them. */
type Files = Map<string, string>;

function filesIn(dir: string): Files {
  const found: Files = new Map();
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    const stat = lstatSync(join(dir, name));
    if (stat.isSymbolicLink()) found.set(name, `-> ${readlinkSync(join(dir, name))}`);
    if (!stat.isFile()) continue;
    found.set(name, readFileSync(join(dir, name), "latin1"));
    found.set(`${name}#`, String(stat.mode & 0o777));
  }
  return found;
}

interface Step {
  id: string;
  before: Files;
  after: Files;
  /** What the step changed. */
  touched: string[];
  /** Folders that came or went as one. */
  whole: readonly string[];
  undone: boolean;
}

const path = fc.constantFrom("a", "b", "d/x", "d/y", "d/e/z", "f/x");
const line = fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8);
const doing = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("line" as const), path, line }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("big" as const), path: fc.constantFrom("d/big", "big") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("chmod" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("link" as const), path: fc.constantFrom("l", "d/l") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("remove" as const), path: fc.constantFrom("d", "d/e", "f") }),
  },
);
type Doing = typeof doing extends fc.Arbitrary<infer T> ? T : never;
const nth = fc.nat(20);
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("land" as const),
      does: fc.array(doing, { minLength: 1, maxLength: 3 }),
      whole: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("person" as const),
      does: fc.array(doing, { minLength: 1, maxLength: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("undo" as const), nth, how: fc.constantFrom("alone", "along", "merge") }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("newest" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("redo" as const), nth, how: fc.constantFrom("alone", "along", "merge") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("several" as const), from: nth }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

let word = 0;
function act(dir: string, { kind, path: at, ...more }: Doing): void {
  const file = join(dir, at);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (kind === "remove") return rmSync(file, { recursive: true, force: true });
  if (kind === "chmod") return stat?.isFile() === true ? chmodSync(file, stat.mode ^ 0o100) : undefined;
  mkdirSync(dirname(file), { recursive: true });
  if (stat?.isDirectory() === true) return;
  if (kind === "link") {
    rmSync(file, { force: true });
    return symlinkSync(`to-${++word}`, file);
  }
  if (kind === "big") return writeFileSync(file, Buffer.alloc((1 << 20) + 5, `${++word}`));
  const lines = stat === undefined ? [] : readFileSync(file, "utf8").split("\n");
  while (lines.length < 10) lines.push(`line ${lines.length}`);
  if ("line" in more) lines[more.line] = `word ${++word}`;
  writeFileSync(file, lines.join("\n"));
}

function differing(a: Files, b: Files): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key)).toSorted();
}

/** The folders that a change set moves as one. */
async function landed(
  at: Place,
  ws: Workspace,
  id: string,
  does: readonly Doing[],
  whole: boolean,
): Promise<Step | undefined> {
  const wanted = join(at.folder, `../wanted-${id}`);
  copyTree(at.folder, wanted);
  for (const one of does) act(wanted, one);
  const before = filesIn(at.folder);
  const set = await stepTo(ws, id, at.folder, wanted, { whole });
  if (set.changes.length === 0) return undefined;
  expect(await ws.land(set)).toMatchObject({ ok: true });
  const after = filesIn(at.folder);
  expect(after).toEqual(filesIn(wanted));
  const wholes = set.changes.filter((c) => c.tree !== undefined).map((c) => c.path);
  return { id, before, after, touched: differing(before, after), whole: wholes, undone: false };
}

/** Nothing that the step changed was changed since, so nothing may stand in its way. */
function mustTurn(dir: string, now: Files, { after, before, touched, whole, undone }: Step): boolean {
  const left = undone ? before : after;
  const keys = touched.flatMap((key) => (key.endsWith("#") ? [key] : [key, `${key}#`]));
  const same = keys.every((key) => now.get(key) === left.get(key));
  const extra = [...now.keys()].some((key) => whole.some((dir) => key.startsWith(`${dir}/`)) && !left.has(key));
  // An empty folder in the place of a whole one that comes back is somebody's.
  const inWay = whole.some((path) => {
    const gone = ![...left.keys()].some((key) => key.startsWith(`${path}/`));
    return gone && lstatSync(join(dir, path), { throwIfNoEntry: false }) !== undefined;
  });
  return same && !extra && !inWay;
}

async function turned(at: Place, ws: Workspace, steps: readonly Step[], step: Step, how: string): Promise<void> {
  const kind = step.undone ? "redo" : "undo";
  const before = filesIn(at.folder);
  const preview = await ws.previewTurn({ kind, steps: [step.id] });
  const way = how === "along" ? preview.along : how === "merge" ? preview.merged : undefined;
  const chosen = way ?? preview.alone;
  const ids = chosen.steps.map((s) => s.operationId);
  expect(ids).toContain(step.id);
  if (mustTurn(at.folder, before, step)) expect(preview.alone.conflicts).toEqual([]);
  const report = await ws.turn({ kind, steps: ids, merge: way !== undefined && how === "merge" });
  const after = filesIn(at.folder);
  const told = `${kind} ${how} ${ids.join()}: ${JSON.stringify([chosen.conflicts, report.conflicts])}`;
  expect({ told, ok: report.ok }).toEqual({ told, ok: chosen.conflicts.length === 0 });
  if (!report.ok) {
    expect(after).toEqual(before);
    const clear = report.conflicts.every(({ path: p, why }) => p !== "" && why !== "");
    expect(clear).toBe(true);
    return;
  }
  for (const other of steps) if (ids.includes(other.id)) other.undone = kind === "undo";
  if (way !== undefined && how === "merge") {
    // No line that is in the folder and that the step didn't make is lost.
    for (const [key, text] of before) {
      const kept = linesOf(text).filter(
        (l) => l.startsWith("word") && !linesOf(step[kind === "undo" ? "after" : "before"].get(key)).includes(l),
      );
      expect(linesOf(after.get(key))).toEqual(expect.arrayContaining(kept));
    }
    if (kind === "undo") [step.before, step.after] = [after, before];
    else [step.before, step.after] = [before, after];
    step.touched = differing(before, after);
    return;
  }
  const wanted = new Map(before);
  for (const id of ids) for (const one of steps) if (one.id === id) play(wanted, one, kind);
  expect({ told, files: after }).toEqual({ told, files: wanted });
  const shown = chosen.changes.flatMap((c) => c.path);
  for (const key of differing(before, after))
    expect(
      shown.some((p) => p === key.replace("#", "") || key.startsWith(`${p}/`)),
      `${key} in ${shown.join()}`,
    ).toBe(true);
}

/** What a step's turn makes of the files. What was gone already when the step was undone stays so when it is redone. */
function play(files: Files, step: Step, kind: "undo" | "redo"): void {
  const to = kind === "undo" ? step.before : step.after;
  step.touched = step.touched.filter((key) => files.get(key) !== to.get(key));
  for (const key of step.touched) set(files, key, to.get(key));
}

function linesOf(text: string | undefined): string[] {
  return text === undefined || text.length > 1 << 20 ? [] : text.split("\n");
}

function set(files: Files, key: string, value: string | undefined): void {
  if (value === undefined) files.delete(key);
  else files.set(key, value);
}

/** A link in a folder that came whole, replaced by a later step: where the state lies apart it is put back as another link to the same. */
const LINK_IN_WHOLE: (typeof action extends fc.Arbitrary<infer T> ? T : never)[] = [
  { kind: "land", does: [{ kind: "remove", path: "d" }], whole: false },
  { kind: "land", does: [{ kind: "link", path: "d/l" }], whole: true },
  { kind: "land", does: [{ kind: "link", path: "d/l" }], whole: false },
  { kind: "several", from: 0 },
];

describe.each([false, true])("undo of any step, state on another file system: %s", (apart) => {
  it("W3 W4: any row of landings, undos, redos and the person's edits: as the model says, or a named conflict and nothing touched", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 16 }), async (actions) => {
        const at = place(apart);
        for (const name of ["a", "d/x"] as const) act(at.folder, { kind: "line", path: name, line: 0 });
        let ws = await openAt(at);
        const steps: Step[] = [];
        for (const one of actions) {
          if (one.kind === "restart") ws = await openAt(at);
          else if (one.kind === "person") for (const does of one.does) act(at.folder, does);
          else if (one.kind === "land") {
            const step = await landed(at, ws, `op_${steps.length + 1}_${++word}`, one.does, one.whole);
            if (step !== undefined) steps.push(step);
          } else if (one.kind === "several") {
            const open = steps.filter((s) => !s.undone);
            const before = filesIn(at.folder);
            const ids = open.slice(one.from % (open.length + 1)).map((s) => s.id);
            const preview = await ws.previewTurn({ kind: "undo", steps: ids });
            const report = await ws.turn({ kind: "undo", steps: ids });
            expect(report.ok).toBe(preview.alone.conflicts.length === 0);
            const wanted = new Map(before);
            if (report.ok) for (const s of steps) s.undone ||= ids.includes(s.id);
            if (report.ok)
              for (const { operationId: id } of preview.alone.steps)
                for (const s of steps) if (s.id === id) play(wanted, s, "undo");
            if (report.ok) expect(filesIn(at.folder)).toEqual(wanted);
            else expect(filesIn(at.folder)).toEqual(before);
          } else {
            const open = steps.filter((s) => s.undone === (one.kind === "redo"));
            const step = one.kind === "newest" ? open.at(-1) : open[one.nth % Math.max(1, open.length)];
            if (step !== undefined) await turned(at, ws, steps, step, one.kind === "newest" ? "alone" : one.how);
          }
        }
      }),
      { ...deepRuns(40, 2000), examples: [[LINK_IN_WHOLE]] },
    );
  });
});
