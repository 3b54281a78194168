import { realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { isBelow } from "../workspace/roots.ts";
import type { ServerConfig } from "./config.ts";

/** Places that decide where a server runs. */
export interface Places {
  /** Real path of the session's folder. */
  folder: string;
  roots: () => readonly string[];
  /** The person's home. */
  home: string;
  /** Whether what the folder holds may run. */
  trusted: () => boolean;
}

/** Variables that name the folder in the words of a server. */
export function folderVariables(folder: string): Record<string, string> {
  return { AGENT_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder };
}

type Stdio = Extract<ServerConfig["run"], { kind: "stdio" }>;

/**
 * Where a server runs. The folder's own run in it, since they are used only where it is trusted. The person's run in their home: launchers
 * such as npx prefer what lies where they are started, so a folder that nobody trusts would choose the program.
 */
export function whereOf(run: Stdio, source: ServerConfig["source"], { folder, home }: Places): string {
  if (run.cwd !== undefined) return isAbsolute(run.cwd) ? run.cwd : resolve(folder, run.cwd);
  if (source === "project") return folder;
  return isFolder(home) ? home : "/";
}

/** Why a server may not start as it stands; undefined: it may. `run` with its variables filled in. */
export function heldBecause(run: ServerConfig["run"], source: ServerConfig["source"], at: Places): string | undefined {
  if (run.kind !== "stdio" || source === "project") return undefined;
  const here = run.cwd === undefined ? run.args.find((word) => /^\.{1,2}(\/|$)/.test(word)) : undefined;
  if (here !== undefined)
    return `its argument ${JSON.stringify(here.slice(0, 80))} would mean your home, where it runs: write \${AGENT_PROJECT_DIR} for the folder, or give it a "cwd"`;
  if (at.trusted()) return undefined;
  const places = [whereOf(run, source, at), ...(isAbsolute(run.command) ? [run.command] : [])].map(realOr);
  const inside = places.some((place) => [at.folder, ...at.roots()].some((root) => isBelow(root, place)));
  return inside ? "it runs in the folder, which is not trusted: /trust, or another cwd for it" : undefined;
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function isFolder(path: string): boolean {
  return isAbsolute(path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}
