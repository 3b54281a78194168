import { z } from "zod";
import { holdsPassword } from "../util/clean-env.ts";
import { ServerName, ServerSetting } from "./schema.ts";

/** Where a server was named: the command line, the person's settings for this project or for all, the folder's `.mcp.json`. */
export type ServerSource = "flag" | "person" | "user" | "project";

/** A server as it will be started or reached; `${…}` is still in its words. */
export interface ServerConfig {
  name: string;
  source: ServerSource;
  file: string;
  run:
    | { kind: "stdio"; command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd?: string }
    | { kind: "http"; url: string; headers: Readonly<Record<string, string>> };
  enabled: boolean;
  startMs: number;
  callMs: number;
}

const START_MS = 30_000;
const CALL_MS = 300_000;
/** So many of one file. */
const MOST = 50;
/** Keys that other programs write beside ours, and that mean nothing here. */
const FOREIGN = new Set(["disabled", "description", "timeout", "alwaysAllow", "autoApprove", "trust", "tools"]);

/** A server of a checked settings file. */
export function configOf(name: string, setting: ServerSetting, source: ServerSource, file: string): ServerConfig {
  const { enabled = true, startSeconds, callSeconds } = setting;
  return {
    name,
    source,
    file,
    run:
      "command" in setting
        ? {
            kind: "stdio",
            command: setting.command,
            args: setting.args ?? [],
            env: setting.env ?? {},
            ...(setting.cwd === undefined ? {} : { cwd: setting.cwd }),
          }
        : { kind: "http", url: setting.url, headers: setting.headers ?? {} },
    enabled,
    startMs: startSeconds === undefined ? START_MS : Math.round(startSeconds * 1000),
    callMs: callSeconds === undefined ? CALL_MS : Math.round(callSeconds * 1000),
  };
}

/**
 * The servers of a file that other programs of this kind read too (`{"mcpServers": {…}}`). What can't be used is left out and told, a line
 * each; keys of other programs are passed over.
 */
export function foreignServers(
  value: unknown,
  source: ServerSource,
  file: string,
): { servers: ServerConfig[]; problems: string[] } {
  const named = z.object({ mcpServers: z.record(z.string(), z.unknown()).optional() }).safeParse(value);
  if (!named.success) return { servers: [], problems: [`${file}: no object with "mcpServers" in it; not used`] };
  const entries = Object.entries(named.data.mcpServers ?? {});
  const problems = entries.length > MOST ? [`${file}: ${entries.length} servers, only the first ${MOST} are used`] : [];
  const servers = entries.slice(0, MOST).flatMap(([name, given]): ServerConfig[] => {
    const read = readOne(name, given);
    if (typeof read !== "string") return [configOf(name, read, source, file)];
    problems.push(`${file}: mcpServers.${JSON.stringify(name.slice(0, 80))}: ${read}; not used`);
    return [];
  });
  return { servers, problems };
}

/** The setting, or what is wrong with it. */
export function readOne(name: string, given: unknown): ServerSetting | string {
  const called = ServerName.safeParse(name);
  if (!called.success) return called.error.issues[0]?.message ?? "no such name";
  const fields = z.record(z.string(), z.unknown()).safeParse(given);
  if (!fields.success) return "no object in { }";
  const { disabled } = fields.data;
  const own = Object.fromEntries(Object.entries(fields.data).filter(([key]) => !FOREIGN.has(key)));
  const problem = problemOf(own);
  if (problem !== undefined) return problem;
  const read = ServerSetting.safeParse({ ...own, ...(disabled === true ? { enabled: false } : {}) });
  return read.success ? read.data : firstIssue(read.error, "command" in own);
}

/** Mistakes that people make, told better than a schema does. */
function problemOf(own: Readonly<Record<string, unknown>>): string | undefined {
  const { type, command, url } = own;
  if (type === "sse" || type === "ws")
    return `the transport ${type} is not spoken here; where the server has streamable HTTP too, write "type": "http"`;
  if (command === undefined && url === undefined) return 'neither "command" (a program) nor "url" (a server elsewhere)';
  if (command !== undefined && url !== undefined) return '"command" and "url": it is one or the other';
  if (url !== undefined && type === "stdio") return '"url" with the type stdio: write "type": "http"';
  if (typeof url === "string" && !/^https?:\/\/|\$\{/.test(url))
    return `"url": ${JSON.stringify(url.slice(0, 80))} is no http or https address`;
  if (typeof url === "string" && /^https?:\/\/[^/?#]*@/.test(url))
    return '"url" holds a name or password, which errors and lists would show: send it in "headers"';
  if (Array.isArray(command)) return '"command" is a list: its first word is the command, the others are "args"';
  return undefined;
}

function firstIssue(error: z.ZodError, stdio: boolean): string {
  const issue = error.issues[0];
  if (issue === undefined) return "it can't be read";
  // Of the two kinds the one that was meant.
  const nested = issue.code === "invalid_union" ? issue.errors[stdio ? 0 : 1]?.[0] : issue;
  const at = nested?.path.map(String).join(".") ?? "";
  return `${at === "" ? "" : `${at}: `}${nested?.message ?? issue.message}`;
}

/** A variable that is asked for and not there. */
export class MissingVariable extends Error {
  override name = "MissingVariable";
}

/**
 * Variables of the person's that a folder's file may have: where things lie and how they are shown. A key may stand in any other, whatever
 * it is called; who wants a server to have one names the server in their own settings.
 */
const OPEN =
  /^(HOME|USER|LOGNAME|PATH|PWD|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|TEMP|TMP|EDITOR|VISUAL|HOSTNAME|HOST|PORT|CI|DEBUG|LOG_LEVEL|NODE_ENV|XDG_[A-Z]+_(HOME|DIR|DIRS)|(AGENT|CLAUDE|UNDERSTUDY)_PROJECT_DIR)$/;
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Variables of the person's that a text asks for: those that a folder's file may have, and those that it gets from nobody. */
export function variablesIn(text: string): { given: string[]; withheld: string[] } {
  const names = [...new Set([...text.matchAll(VARIABLE)].map(([, name = ""]) => name))];
  return {
    given: names.filter((name) => !isWithheld(name) && !name.endsWith("_PROJECT_DIR")),
    withheld: names.filter(isWithheld),
  };
}

function isWithheld(name: string): boolean {
  return !OPEN.test(name);
}

/** What a folder's server asks for and does not get, as a line for whoever looks at it. */
export function withheldFrom({ source, run }: Pick<ServerConfig, "source" | "run">): string[] {
  const { withheld } = variablesIn(source === "project" ? JSON.stringify(run) : "");
  return withheld.map((name) => `it is not given your ${name}: a folder's file gets only what says where things lie`);
}

/**
 * Puts variables of the environment in the place of `${NAME}`; `${NAME:-words}` has something for one that is missing.
 * @throws MissingVariable naming it.
 */
export function expanded(config: ServerConfig, env: Readonly<Record<string, string | undefined>>): ServerConfig["run"] {
  const fill = (value: string): string =>
    value.replaceAll(VARIABLE, (_all, name: string, instead?: string) => {
      const own = config.source === "project" && isWithheld(name);
      const value = env[name];
      const found = own || (config.source === "project" && holdsPassword(value)) ? undefined : value;
      if (found !== undefined && found !== "") return found;
      if (instead !== undefined) return instead;
      throw new MissingVariable(
        own
          ? `it wants ${name}, which a folder's file gets from nobody: name the server in your own settings`
          : `the environment variable ${name} is not set; set it, or write \${${name}:-something}`,
      );
    });
  const each = (of: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(of).map(([key, value]) => [key, fill(value)]));
  const { run } = config;
  if (run.kind === "http") return { ...run, url: fill(run.url), headers: each(run.headers) };
  return {
    ...run,
    command: fill(run.command),
    args: run.args.map(fill),
    env: each(run.env),
    ...(run.cwd === undefined ? {} : { cwd: fill(run.cwd) }),
  };
}

/** Its command line or address as people read it, and as it is part of its tools' hash. No values of variables are in it. */
export function lineOf({ run }: Pick<ServerConfig, "run">): string {
  if (run.kind === "http") return run.url;
  return [run.command, ...run.args]
    .map((word) => (/^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
}
