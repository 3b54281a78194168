import type { EventLog } from "../events/log.ts";
import { layersOf } from "../events/layers.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Clock } from "../util/deps.ts";
import { mirrored, type Tell } from "../workspace/mirror.ts";
import { type Watch, watchRoots } from "../workspace/mirror-watch.ts";
import { stepFolderOf } from "../workspace/steps.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ChangeReport } from "./session.ts";

export interface BackgroundParts {
  log: EventLog;
  workspace: Workspace;
  sandbox: Sandbox;
  clock: Clock;
  foldersDir: string;
}

/**
 * Ties background shells to the session: they see what lands and what the person edits, and those of an earlier run of the program
 * can be asked what they changed. Gives the workspace to use from here on.
 */
export function withBackground({ log, workspace, sandbox, clock, foldersDir }: BackgroundParts): Workspace {
  const { groups } = sandbox;
  if (groups === undefined) return workspace;
  const { roots } = workspace;
  const folderOf = (operationId: string): string => stepFolderOf({ roots, foldersDir }, operationId);
  const layers = (): string[] => layersOf(log.state).map(({ operationId }) => folderOf(operationId));
  for (const { groupId: id, operationId, command } of log.state.groups)
    groups.reopen({ id, operationId, command }, folderOf(operationId));
  let watch: Watch | undefined;
  groups.onChange(() => {
    const living = groups.living().length > 0;
    if (living) watch ??= watchRoots({ roots, clock, changed: (paths) => groups.mirror(paths, layers()) });
    else {
      watch?.close();
      watch = undefined;
    }
  });
  const tell: Tell = async (changed, layer) => {
    const done = groups.mirror(changed, layer === undefined ? layers() : [...layers(), layer]);
    // Of a whole node_modules the rest comes while the query goes on.
    const late = new AbortController();
    await Promise.race([done, clock.sleep(PATIENCE_MS, late.signal)]);
    late.abort();
  };
  return mirrored(workspace, tell);
}

/** Ends the shells, and writes down that they ended with the program. */
export async function endBackground({ log, sandbox }: Pick<BackgroundParts, "log" | "sandbox">): Promise<void> {
  const { groups } = sandbox;
  if (groups === undefined) return;
  await groups.close();
  for (const { groupId, end } of log.state.groups) {
    const own = groups.find(groupId)?.end;
    const how = own?.reason === "killed" || own === undefined ? LOST : own;
    if (end === undefined) await log.append({ type: "group.ended", groupId, how, told: false });
  }
}

const PATIENCE_MS = 3000;
const LOST = { reason: "lost", code: null, signal: null } as const;

/** Ends a background shell, for the person who asked for it. */
export async function stopShell({ groups }: Sandbox, id: string): Promise<ChangeReport> {
  const group = groups?.living().find((one) => one.info.id === id);
  if (group === undefined) return { ok: false, text: `No background shell ${id} runs. /shells lists them.`, paths: [] };
  await group.kill();
  return { ok: true, text: `${id} was ended, with all that it started.`, paths: [] };
}

/** Opens a port of the copy's on the machine's loopback, for the person who asked for it; without one, says which are open. */
export async function openPort({ groups }: Sandbox, port: number | undefined): Promise<ChangeReport> {
  const ok = (text: string): ChangeReport => ({ ok: true, text, paths: [] });
  const no = (text: string): ChangeReport => ({ ok: false, text, paths: [] });
  const open = (groups?.ports() ?? []).map((f) => `port ${f.port} of the copy: http://127.0.0.1:${f.at}/`);
  if (port === undefined)
    return ok(open.length === 0 ? "No port of the copy is open. /port 3000 opens one." : `Open: ${open.join(" · ")}`);
  if (groups === undefined) return no("Nothing can go on in the background here, so there is no port to open.");
  if (groups.living().length === 0)
    return no("No background shell runs. Ask for the server to be started in the background first.");
  try {
    const { at } = await groups.openPort(port);
    return ok(`Open until the last background shell ends: http://127.0.0.1:${at}/ leads to port ${port} of the copy.`);
  } catch (error) {
    return no(error instanceof Error ? error.message : String(error));
  }
}
