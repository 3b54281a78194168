import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Root } from "../events/event.ts";
import { isBrought, type Hook } from "../hooks/hook.ts";
import type { ServerConfig } from "../mcp/config.ts";
import { cleanEnv } from "../util/clean-env.ts";
import { isInside } from "../workspace/roots.ts";
import type { RunsOutside } from "../workspace/runs-outside.ts";
import { filesImplied, filesNamed, type LinePlace } from "./named-files.ts";
import type { ReadServers } from "./mcp-files.ts";
import type { OpenOptions } from "./options.ts";

/** What of a session runs outside of the copy, and where. */
export interface OutsideParts {
  hooks: readonly Hook[];
  /** What makes them others. */
  hash: string;
  servers: readonly ServerConfig[];
  trusted: boolean;
}

/**
 * Files of the roots that hooks and servers in force name: who changes one decides what runs as the person, so each is protected as the
 * settings that name it are (P3). Looked at anew only when hooks or trust are others. Those of a folder that is not trusted run nothing.
 */
export function runsOutside(
  now: () => OutsideParts,
  folder: string,
  roots: readonly Root[],
  machine: Pick<OpenOptions["machine"], "env" | "home">,
): () => RunsOutside {
  let known: { key: string; found: RunsOutside } | undefined;
  return () => {
    const parts = now();
    const key = `${parts.hash} ${parts.trusted}`;
    if (known?.key !== key) known = { key, found: filesOf(parts, folder, roots, machine) };
    return known.found;
  };
}

/** Servers are read once: what is protected is what runs. A sub-agent's session has the same, and changes files that the servers above run. */
export function withServersOnce(options: OpenOptions): OpenOptions {
  if (options.servers === undefined) return options;
  let read: ReadServers | undefined;
  return { ...options, servers: () => (read ??= options.servers?.() ?? { own: [], brought: [], notices: [] }) };
}

function filesOf(
  { hooks, servers, trusted }: OutsideParts,
  folder: string,
  roots: readonly Root[],
  { env, home }: Pick<OpenOptions["machine"], "env" | "home">,
): RunsOutside {
  const files = new Map<string, string>();
  const add = (paths: readonly string[], why: string): void => {
    for (const path of paths.flatMap(placesOf)) {
      if (!isInside(roots, path)) continue;
      const before = files.get(path);
      if (before === undefined) files.set(path, why);
      else if (!before.split(", ").includes(why)) files.set(path, `${before}, ${why}`);
    }
  };
  const mine = { ...cleanEnv(env), HOME: env["HOME"] ?? home };
  for (const hook of hooks) {
    if (hook.run.kind !== "command" || hook.inCopy || (isBrought(hook) && !trusted)) continue;
    const at = { cwd: folder, folder, env: mine };
    const { command } = hook.run;
    add([...filesNamed(command, at), ...filesImplied(command, at), ...onPath(command, at)], `hook ${hook.event}`);
  }
  for (const { name, run, source } of servers) {
    if (run.kind !== "stdio" || (source === "project" && !trusted)) continue;
    const words = [run.command, ...run.args];
    const lines = [...words, words.join(" "), ...Object.values(run.env)];
    // The person's run in their home where nothing else is said; what is meant in the folder is protected all the same.
    const places = [folder, home, ...(run.cwd === undefined ? [] : [run.cwd])];
    const all = places.flatMap((place) => {
      const cwd = isAbsolute(place) ? place : (filesNamed(place, { cwd: folder, folder, env: mine })[0] ?? folder);
      const at = { cwd, folder, env: { ...mine, ...run.env } };
      // A word with blanks in it is one file's name as well.
      const whole = words.filter((word) => /\s/.test(word)).map((word) => resolve(cwd, word));
      return [...whole, ...lines.flatMap((line) => filesNamed(line, at)), ...filesImplied(words.join(" "), at)];
    });
    add(all, `server ${name}`);
  }
  return files;
}

/** A file as it is named, and where it really lies: a link from elsewhere may lead into the roots. */
function placesOf(path: string): string[] {
  const real = realOr(path) ?? join(realOr(dirname(path)) ?? dirname(path), basename(path));
  return real === path ? [path] : [path, real];
}

function realOr(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Where the search path leads into the roots, a bare name is a file of theirs. */
function onPath(command: string, { env = {}, ...at }: LinePlace): string[] {
  const folders = (env["PATH"] ?? "").split(":").filter((path) => isAbsolute(path));
  const bare = filesNamed(command, { ...at, env }).map((path) => basename(path));
  return folders.flatMap((path) => bare.map((name) => join(path, name)));
}
