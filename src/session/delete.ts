import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { belongsTo } from "../events/agent-id.ts";
import { freeContent, type Freed } from "../events/content-gc.ts";
import { loadKey } from "../events/key.ts";
import { layersOf, pendingText } from "../events/layers.ts";
import { loadLog, sessionFiles } from "../events/load.ts";
import { takeLock } from "../events/lock.ts";
import type { SessionState } from "../events/state.ts";
import { removeTree } from "../sandbox/remove.ts";
import type { Clock } from "../util/deps.ts";
import { stepFolderOf } from "../workspace/steps.ts";
import { forget } from "./index-search.ts";
import type { Store } from "./store.ts";

/** A session that isn't deleted, and what would help. */
export class DeleteError extends Error {
  override name = "DeleteError";
}

/**
 * Deletes a session for good: log, head, the HOME of its commands, its long results, what it has pending, its words in the index, and the
 * content that no other session names. What it landed stays, and can be undone (`agent undo`): that is the journal's. `freed`:
 * undefined where another log can't be read, so that content can't be told from garbage.
 * @throws LogError "locked" when it is open; DeleteError when changes wait for a review, or that can't be known, unless `force`.
 */
export async function deleteSession(
  id: string,
  { store, clock, force }: { store: Store; clock: Clock; force: boolean },
): Promise<{ freed: Freed | undefined }> {
  const files = sessionFiles(store.sessions, id);
  const lock = await takeLock(files.lock, `Session ${id}`, clock);
  try {
    const state = await stateOf(store, id, force);
    if (!force && state !== undefined) refusePending(state);
    // The log first: what is left behind it by a power failure is nobody's, and no session.
    rmSync(files.log, { force: true });
    for (const head of [files.head, `${files.head}.aside`]) rmSync(head, { force: true, recursive: true });
    await removeTree(join(store.sessions, `${id}.home`));
    await removeTree(join(store.results, id));
    await removeAgents(store, id);
    for (const folder of state === undefined ? [] : layerFolders(store, state)) await removeTree(folder);
    await forget(store, id);
    return { freed: await freeContent(store.content, [store.sessions, join(store.state, "runs")], clock.now()) };
  } finally {
    lock.release();
  }
}

/** Sub-agents are part of their session. */
async function removeAgents(store: Store, id: string): Promise<void> {
  for (const name of readdirSync(store.sessions)) {
    const own = name.replace(/\.(?:jsonl|head|head\.aside|home|lock)$/, "");
    if (own !== name && own !== id && belongsTo(own, id)) await removeTree(join(store.sessions, name));
  }
  for (const name of readdirSync(store.results))
    if (name !== id && belongsTo(name, id)) await removeTree(join(store.results, name));
}

async function stateOf(store: Store, sessionId: string, force: boolean): Promise<SessionState | undefined> {
  const place = { sessionsDir: store.sessions, contentDir: store.content, sessionId };
  try {
    return (await loadLog({ ...place, key: loadKey(store.key) })).state;
  } catch (error) {
    if (force) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new DeleteError(`${why} Whether changes wait in it can't be known; --force deletes it all the same.`, {
      cause: error,
    });
  }
}

function refusePending(state: SessionState): void {
  if (!layersOf(state).some((layer) => layer.pended)) return;
  throw new DeleteError(
    `session ${state.id} has changes pending (${pendingText(state)}) that would be lost: agent review ${state.id} shows them, agent land ${state.id} lands them, --force deletes them too`,
  );
}

/** Layers that never landed; of one that did the journal may still need what lies there. */
function layerFolders({ folders: foldersDir }: Store, state: SessionState): string[] {
  const { roots } = state;
  const waiting = state.steps.filter((step) => step.status === "pended" || step.status === "kept");
  if (state.foreign || roots.length === 0) return [];
  return waiting
    .map((step) => stepFolderOf({ roots, foldersDir }, step.operationId))
    .filter((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
}
