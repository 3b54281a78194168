import { join } from "node:path";
import { loadKey } from "../events/key.ts";
import { openLog } from "../events/open-log.ts";
import { RUN_PREFIX } from "../session/catch-up.ts";
import { previewSteps, turnSteps } from "../session/changes.ts";
import type { StepPreview, WayPreview } from "../session/session.ts";
import { stepNamed } from "../session/step-words.ts";
import { openStore, type Store } from "../session/store.ts";
import { fileSystemSync } from "../sandbox/sync-fs.ts";
import { randomId, systemClock } from "../util/system.ts";
import { openWorkspace } from "../workspace/open.ts";
import { findRoots } from "../workspace/roots.ts";
import type { JournalStep, Workspace } from "../workspace/workspace.ts";
import type { UndoOptions } from "./args.ts";
import { diffHead, pathList, say, tell, tellJson } from "./diff-text.ts";
import { programDirs } from "../session/environment.ts";

/**
 * `agent undo` and `agent redo`: the newest step of this folder, or the one named, whichever session it was. Writes a log of its own;
 * sessions learn of it from the journal, at their next turn (W8).
 */
export async function undoLanded(options: UndoOptions, version: string): Promise<number> {
  const store = openStore(programDirs(process.env));
  const roots = await findRoots({ folder: process.cwd() });
  const stamp = new Date(systemClock.now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const id = `${RUN_PREFIX}${stamp}${randomId("")}`;
  const syncFs = fileSystemSync(roots.map((r) => r.path));
  const workspace = await openWorkspace(
    { roots, foldersDir: store.folders, sessionId: id },
    { clock: systemClock, makeId: randomId, ...(syncFs === undefined ? {} : { syncFs }) },
  );
  try {
    for (const note of workspace.recovered) say(note);
    const ids = idsOf(await workspace.journal(), options);
    if (ids.length === 0) return missing(options);
    if (options.dryRun) return await show(workspace, ids, options);
    return await turn(store, workspace, ids, options, { id, version });
  } finally {
    await workspace.close();
  }
}

/** The step named; else the one that landed (was undone) last, with those that were undone together with it. */
function idsOf(journal: readonly JournalStep[], { kind, operation }: UndoOptions): string[] {
  const open = journal.filter((s) => s.status === (kind === "undo" ? "landed" : "undone"));
  if (operation !== undefined) {
    const named = stepNamed(open, operation);
    return named === undefined ? [] : [named.operationId];
  }
  const newest = open.toSorted((a, b) => (a.turnedAt < b.turnedAt ? -1 : a.turnedAt > b.turnedAt ? 1 : 0)).at(-1);
  if (newest === undefined) return [];
  const together = (s: JournalStep): boolean => kind === "redo" && s.group !== undefined && s.group === newest.group;
  return open.filter((s) => s === newest || together(s)).map((s) => s.operationId);
}

function missing({ kind, operation, json }: UndoOptions): number {
  const word = kind === "undo" ? "landed" : "undone";
  const text =
    operation === undefined
      ? `nothing to ${kind} in this folder`
      : `there is no ${word} step ${operation} in this folder`;
  if (json) tellJson({ ok: false, kind, text });
  else say(operation === undefined ? text : `${text}; \`agent changes\` lists them`);
  return 1;
}

async function turn(
  store: Store,
  workspace: Workspace,
  ids: readonly string[],
  { kind, how, json }: UndoOptions,
  run: { id: string; version: string },
): Promise<number> {
  const log = await openLog({
    sessionsDir: join(store.state, "runs"),
    contentDir: store.content,
    sessionId: run.id,
    key: loadKey(store.key),
    clock: systemClock,
    create: true,
  });
  try {
    const folder = workspace.roots[0]?.path ?? "";
    const opened = { sessionId: run.id, folder, roots: [...workspace.roots], program: run.version };
    await log.append({ type: "session.opened", ...opened, mode: "ask", model: "" });
    const flag = { alone: "", along: " --with-later", merge: " --merge" }[how];
    await log.append({ type: "note.added", text: `agent ${kind} ${ids.join(" ")}${flag}` });
    await log.barrier();
    const report = await turnSteps({ log, workspace }, kind, ids, how);
    if (json) tellJson({ kind, log: run.id, ...report });
    else if (report.ok) told(kind, report);
    else refused(kind, ids, report);
    return report.ok ? 0 : 1;
  } finally {
    await log.close();
  }
}

type Report = Awaited<ReturnType<typeof turnSteps>>;

function told(kind: string, report: Report): void {
  tell(`${kind === "undo" ? "Undone" : "Redone"} ${report.steps.join(", ")}:`);
  for (const path of pathList(report.paths)) tell(`  ${path}`);
  if (report.merged.length > 0) tell(`Later lines stayed in ${report.merged.join(", ")}.`);
}

function refused(kind: string, ids: readonly string[], report: Report): void {
  for (const { path, why } of report.conflicts) say(`${path}: ${why}`);
  say(`nothing was ${kind === "undo" ? "undone" : "redone"}`);
  for (const choice of report.choices) say(`agent ${kind} ${ids.join(" ")} ${flagOf(choice)}: ${choice}`);
}

/** The flag that takes a choice of `choiceWords`. */
function flagOf(choice: string): string {
  return choice.startsWith("keep") ? "--merge" : "--with-later";
}

async function show(workspace: Workspace, ids: readonly string[], { kind, how, json }: UndoOptions): Promise<number> {
  const preview = await previewSteps({ workspace }, kind, ids);
  if (json) {
    tellJson(preview);
    return preview.alone.conflicts.length === 0 ? 0 : 1;
  }
  const way = chosen(preview, how);
  for (const step of way.steps) tell(`${step.operationId}  ${step.at.slice(0, 16).replace("T", " ")}  ${step.text}`);
  for (const diff of way.diffs) tell(`  ${diffHead(diff)}`);
  for (const { path, why } of way.conflicts) tell(`  conflict: ${path}: ${why}`);
  const more: [WayPreview | undefined, string][] = [
    [preview.along, "--with-later"],
    [preview.merged, "--merge"],
  ];
  for (const [other, flag] of more) {
    if (other === undefined || other === way) continue;
    const left = other.conflicts.length === 0 ? "possible" : `${other.conflicts.length} conflicts are left`;
    tell(`${flag}: ${left}; ${other.steps.map((s) => s.operationId).join(", ")}`);
  }
  return way.conflicts.length === 0 ? 0 : 1;
}

function chosen({ alone, along, merged }: StepPreview, how: UndoOptions["how"]): WayPreview {
  if (alone.conflicts.length === 0) return alone;
  return (how === "along" ? along : how === "merge" ? merged : alone) ?? alone;
}
