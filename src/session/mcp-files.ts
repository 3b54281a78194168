import { join } from "node:path";
import { configOf, foreignServers, type ServerConfig, type ServerSource } from "../mcp/config.ts";
import { ServersSetting } from "../mcp/schema.ts";
import { JsoncError, parseJsonc, placeOf, toValue } from "./jsonc.ts";
import { personSettingsFile, userSettingsFile } from "./rules-files.ts";
import { readSettingsText, SettingsError } from "./settings-file.ts";

/** What other programs of this kind read of a project as well. */
export function projectServersFile(folder: string): string {
  return join(folder, ".mcp.json");
}

export interface ServerPlace {
  configDir: string;
  /** Real path. */
  folder: string;
  /** Files of servers that were named on the command line. */
  typed?: readonly string[];
  /** Servers of the program that opens the session, above all others. */
  given?: readonly ServerConfig[];
}

/** The servers of a session. */
export interface ReadServers {
  /** The person's own. */
  own: readonly ServerConfig[];
  /** The folder's: they wait for trust (H5). */
  brought: readonly ServerConfig[];
  /** What was left out, and why: one line each. */
  notices: readonly string[];
}

/**
 * Reads the servers of every file, those of the person's above those of the folder. Files of the person's are strict: what is wrong in one
 * is an error; of the folder's what can't be used is left out and told.
 * @throws SettingsError.
 */
export function readServers({ configDir, folder, typed = [], given = [] }: ServerPlace): ReadServers {
  const settings = [
    { file: personSettingsFile(configDir, folder), source: "person" },
    { file: userSettingsFile(configDir), source: "user" },
  ] as const;
  const own = [
    ...given,
    ...typed.flatMap(typedServers),
    ...settings.flatMap(({ file, source }) => ownServers(file, source)),
  ];
  const { servers, problems } = broughtServers(projectServersFile(folder));
  const names = new Set(own.map(({ name }) => name));
  const twice = servers.filter(({ name }) => names.has(name));
  return {
    own: own.filter(({ name }, at) => own.findIndex((other) => other.name === name) === at),
    brought: servers.filter(({ name }) => !names.has(name)),
    notices: [
      ...problems,
      ...twice.map(({ name, file }) => `${file}: the server ${name} is not used: one of your own has this name`),
    ],
  };
}

function typedServers(file: string): ServerConfig[] {
  const text = readSettingsText(file, true);
  if (text === undefined) throw new SettingsError([`--mcp-config ${file}: there is no such file`]);
  const { servers, problems } = foreignServers(valueOf(text, file), "flag", file);
  if (problems.length > 0) throw new SettingsError(problems);
  return servers;
}

function ownServers(file: string, source: ServerSource): ServerConfig[] {
  const text = readSettingsText(file, true);
  const value = text === undefined ? undefined : valueOf(text, file);
  const setting: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "mcpServers") : undefined;
  if (setting === undefined) return [];
  // Settings with a mistake were refused before.
  const read = ServersSetting.safeParse(setting);
  if (!read.success)
    throw new SettingsError(
      read.error.issues.map((i) => `${file}: mcpServers.${i.path.map(String).join(".")}: ${i.message}`),
    );
  return Object.entries(read.data).map(([name, one]) => configOf(name, one, source, file));
}

/** Follows no link: trust is in what lies in the folder. */
function broughtServers(file: string): ReturnType<typeof foreignServers> {
  try {
    const text = readSettingsText(file, false);
    return text === undefined ? { servers: [], problems: [] } : foreignServers(valueOf(text, file), "project", file);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { servers: [], problems: error.problems.map((problem) => `${problem} Its servers are not used.`) };
  }
}

function valueOf(text: string, file: string): unknown {
  try {
    return toValue(parseJsonc(text));
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    const { line, column } = placeOf(text, error.offset);
    throw new SettingsError([`${file}:${line}:${column}: ${error.message}.`]);
  }
}
