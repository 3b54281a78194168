import { layersOf } from "../events/layers.ts";
import type { SessionState } from "../events/state.ts";
import { conflictLines } from "../permissions/conflict-text.ts";
import { changeLines } from "../permissions/question-text.ts";
import { openReview, type Review, reviewQuestion } from "../session/rehearse-review.ts";
import { openStore, ownFolders, type Store } from "../session/store.ts";
import { randomId, systemClock } from "../util/system.ts";
import { jsonLine } from "../util/json-line.ts";
import { sanitize, visible } from "../util/visible.ts";
import { findGitProgram } from "../workspace/git.ts";
import { findIgnored } from "../workspace/ignored.ts";
import { openWorkspace } from "../workspace/open.ts";
import { regenerableOf } from "../workspace/pieces.ts";
import type { Hunk } from "../workspace/workspace.ts";
import { programDirs } from "../session/environment.ts";
import { readLog } from "./read-log.ts";

/** `agent review ID`: the sum of what a session has pending, as diffs by file and hunk (W6). Nothing changes; a running session can be looked at too. */
export async function printReview(wanted: string, json: boolean): Promise<number> {
  const store = openStore(programDirs(process.env));
  const { state } = await readLog(store, wanted);
  const layers = layersOf(state);
  if (!layers.some((layer) => layer.pended)) {
    if (json) process.stdout.write(`${jsonLine({ version: 1, session_id: state.id, files: 0, entries: [] })}\n`);
    else process.stderr.write(`agent: nothing is pending in session ${state.id}\n`);
    return 0;
  }
  await withReview(store, state, (review, lines) => {
    const text = json ? jsonLine(asJson(state, review)) : lines.map((line) => sanitize(line)).join("\n");
    process.stdout.write(`${text}\n`);
  });
  return 0;
}

async function withReview(
  store: Store,
  state: SessionState,
  show: (review: Review, lines: readonly string[]) => void,
): Promise<void> {
  const { roots } = state;
  const paths = roots.map((root) => root.path);
  const git = findGitProgram(process.env["PATH"] ?? "", paths);
  const workspace = await openWorkspace(
    { roots, foldersDir: store.folders, sessionId: "agent-review" },
    { clock: systemClock, makeId: randomId, git, own: ownFolders(store) },
  );
  const id = randomId("review");
  try {
    const ignored = await findIgnored(roots);
    const parts = {
      workspace,
      state,
      facts: { made: state.made, ignored },
      regenerable: (change: Parameters<typeof regenerableOf>[0]) => regenerableOf(change, ignored) !== undefined,
      rules: [],
      contained: true,
    };
    const review = await openReview(parts, id, layersOf(state));
    show(review, textOf(state, review, changeLines(reviewQuestion(parts, review, { id, callId: id }), true)));
  } finally {
    await workspace.drop(id);
    await workspace.close();
  }
}

function textOf(state: SessionState, review: Review, changes: readonly string[]): string[] {
  const { conflicts, merged, summary } = review;
  const empty = summary.entries.length + summary.git.length === 0;
  return [
    `Session ${state.id} has pending for ${visible(state.folder, "")}:`,
    ...(empty ? ["nothing that can land"] : changes),
    ...merged.map((path) => `holds your own edits as well: ${visible(path, "")}`),
    ...conflictLines(conflicts),
    ...(empty ? [] : [`To land: agent land ${state.id}   (--only PATH… lands a part, --without PATH#N… drops one)`]),
    ...(conflicts.length === 0
      ? []
      : [
          `To settle a conflict: agent land ${state.id}, with --take PATH#N… (the rehearsed lines over yours), --without PATH#N… (yours stay), --fitting PATH… (what fits lands), --beside PATH… (both go into a new file)`,
        ]),
    `To drop: agent land ${state.id} --drop`,
  ];
}

function asJson(state: SessionState, { summary, diffs, conflicts, merged }: Review): Record<string, unknown> {
  const { files, entries, git, regenerable } = summary;
  return {
    version: 1,
    session_id: state.id,
    folder: state.folder,
    roots: state.roots.map((root) => root.path),
    files,
    entries,
    git,
    regenerable,
    diffs: diffs.map(({ hunks, ...diff }) => ({ ...diff, hunks: hunks.map(hunkJson) })),
    conflicts: conflicts.map(({ hunks, ...conflict }) => ({ ...conflict, hunks: hunks.map(hunkJson) })),
    merged,
    land: `agent land ${state.id}`,
  };
}

function hunkJson({ oldStart, newStart, lines, was }: Hunk, n: number): Record<string, unknown> {
  return {
    n: n + 1,
    old_start: oldStart,
    new_start: newStart,
    lines,
    ...(was === undefined ? {} : { was, both_changed: true }),
  };
}
