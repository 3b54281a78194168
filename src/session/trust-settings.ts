import { resolve } from "node:path";
import { z } from "zod";
import { variablesIn } from "../mcp/config.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { JsoncError, parseJsonc, toValue } from "./jsonc.ts";
import type { Inside } from "../workspace/inside.ts";
import { isBelow, pathIn } from "../workspace/roots.ts";
import { hashOf, type Part } from "./trust-part.ts";

/** Settings files of a folder that may hold hooks; checks stand in the first alone. */
export const SETTINGS_FILES = [".agent/settings.json", ".claude/settings.json", ".claude/settings.local.json"] as const;
const MCP_FILE = ".mcp.json";
/** So many words of a command line are looked at as names of files. */
const MOST_WORDS = 100;

const Keys = z.record(z.string(), z.unknown());

/** Hooks, servers and checks that the folder's files name, each with the files of the folder that its words name. */
export function settingsParts(inside: Inside, folder: string): { parts: Part[]; problems: string[] } {
  const parts: Placed[] = [];
  const problems: string[] = [];
  for (const file of [...SETTINGS_FILES, MCP_FILE]) {
    const seen = inside.look(file);
    if (seen === undefined) continue;
    if (seen.kind !== "file") problems.push(`${file}: ${seen.kind === "unused" ? seen.why : "a folder"}; not used`);
    else {
      const read = valueOf(seen.text);
      if (typeof read === "string") problems.push(`${file}: ${read}; nothing of it is used`);
      else if (file === MCP_FILE) parts.push(...servers(read["mcpServers"], file));
      else {
        parts.push(...hooks(read["hooks"], file));
        if (file === SETTINGS_FILES[0]) parts.push(...checks(read["checks"], file));
      }
    }
  }
  return { parts: parts.map((part) => withFiles(part, inside, folder)), problems };
}

/** The object that a settings file holds, or why there is none. */
function valueOf(text: string | undefined): Record<string, unknown> | string {
  if (text === undefined) return "no UTF-8 text of at most 1 MiB";
  try {
    return Keys.safeParse(toValue(parseJsonc(text))).data ?? "no object in { }";
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    return "can't be understood as JSON";
  }
}

/** Every hook, whatever it is written like: what this program would not use is shown too, since the next version may. */
function hooks(value: unknown, path: string): Part[] {
  const events = Object.entries(Keys.safeParse(value).data ?? {});
  return events.flatMap(([event, groups]) =>
    listOf(groups).flatMap((group) => {
      const { matcher, hooks: entries } = Keys.safeParse(group).data ?? {};
      const name = typeof matcher === "string" && matcher !== "" ? `${event} (${matcher})` : event;
      const all = entries === undefined ? [group] : listOf(entries);
      return all
        .filter((entry) => typeof entry === "object" && entry !== null)
        .map((entry): Part => ({
          kind: "hook",
          path,
          name,
          runs: [runOf(entry)],
          hash: hashOf(event, matcher, entry),
        }));
    }),
  );
}

/** A part whose command runs elsewhere than in the folder's top. */
type Placed = Part & { cwd?: string };

/** With all that it sends, and the person's variables that are in it: none of it is seen later. */
function servers(value: unknown, path: string): Placed[] {
  return Object.entries(Keys.safeParse(value).data ?? {}).map(([name, server]): Placed => {
    const { env, headers, cwd } = Keys.safeParse(server).data ?? {};
    const { given, withheld } = variablesIn(JSON.stringify(server));
    const runs = [
      runOf(server),
      ...(cwd === undefined ? [] : [`in ${wordOf(cwd)}`]),
      ...Object.entries(Keys.safeParse(env).data ?? {}).map(([key, v]) => `with ${key}=${wordOf(v)}`),
      ...Object.entries(Keys.safeParse(headers).data ?? {}).map(([key, v]) => `header ${key}: ${wordOf(v)}`),
      ...(given.length === 0 ? [] : [`is given your ${given.join(", ")}`]),
      ...(withheld.length === 0 ? [] : [`asks for ${withheld.join(", ")}, and is not given that`]),
    ];
    return {
      kind: "server",
      path,
      name,
      runs,
      hash: hashOf(name, server),
      ...(typeof cwd === "string" ? { cwd } : {}),
    };
  });
}

/** Those that run a command; the others only look. */
function checks(value: unknown, path: string): Part[] {
  return listOf(value).flatMap((check): Part[] => {
    const { command } = Keys.safeParse(check).data ?? {};
    if (typeof command !== "string") return [];
    return [{ kind: "check", path, name: "", runs: [command], hash: hashOf(check) }];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** The command line or address of a hook or server; else all of it. */
function runOf(entry: unknown): string {
  const { command, args, url } = Keys.safeParse(entry).data ?? {};
  if (typeof command === "string") return [command, ...listOf(args).map(wordOf)].join(" ");
  return typeof url === "string" ? url : JSON.stringify(entry);
}

/** Quoted, where it would be read as several words. */
function wordOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command is only as old as the script that it names: what lies in the folder belongs to the part. */
function withFiles({ cwd, ...part }: Placed, inside: Inside, folder: string): Part {
  const places = cwd === undefined ? [folder] : [folder, resolve(folder, written(cwd, folder))];
  const named = new Set(part.runs.flatMap((line) => places.flatMap((from) => filesNamed(line, folder, from))));
  const files = [...named].slice(0, MOST_WORDS).flatMap((path): [string, string][] => {
    const seen = inside.look(toRaw(path));
    return seen?.kind === "file" ? [[path, seen.hash]] : [];
  });
  if (files.length === 0) return part;
  return { ...part, runs: [...part.runs, ...files.map(([path]) => `file ${path}`)], hash: hashOf(part.hash, files) };
}

/** With what variables stand for, as far as the folder alone says it. */
function written(line: string, folder: string): string {
  const here = line.replaceAll(/\$\{?(?:AGENT|CLAUDE)_PROJECT_DIR\}?/g, () => folder);
  return here.replaceAll(/\$\{[A-Za-z_]\w*:-([^}]*)\}/g, "$1");
}

/** Words of a command line that may be paths below the folder, taken from where it runs. */
function filesNamed(line: string, folder: string, from: string): RawPath[] {
  return written(line, folder)
    .split(/[\s"'`;|&()<>=]+/)
    .flatMap((word) => {
      if (word === "" || word.startsWith("-")) return [];
      const path = resolve(from, word);
      return path !== folder && isBelow(folder, path) ? [pathIn(folder, path)] : [];
    });
}
