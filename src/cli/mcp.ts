import { realpathSync } from "node:fs";
import { lineOf, type ServerConfig } from "../mcp/config.ts";
import type { SignIns } from "../mcp/signed-in.ts";
import { type ServerRow, Servers } from "../mcp/servers.ts";
import { homeOf, programDirs } from "../session/environment.ts";
import { readServers, type ReadServers } from "../session/mcp-files.ts";
import { addServer, namedIn, removeServer } from "../session/mcp-write.ts";
import { openStore } from "../session/store.ts";
import { FolderTrust } from "../session/trust.ts";
import { programVersion } from "../session/version.ts";
import { builtinTools } from "../tools/builtin.ts";
import { randomId, systemClock } from "../util/system.ts";
import { visible } from "../util/visible.ts";
import { userInfo } from "node:os";
import { join } from "node:path";
import { tell, tellJson } from "./diff-text.ts";
import { authState, mcpAuth, type McpAuthOptions, ownSignIns } from "./mcp-auth.ts";
import { UsageError } from "./usage-error.ts";

export type McpOptions =
  | { act: "list"; json: boolean }
  | { act: "get" | "test"; name: string; json: boolean }
  | {
      act: "add";
      name: string;
      command: readonly string[];
      url?: string;
      env: readonly string[];
      headers: readonly string[];
      here: boolean;
    }
  | { act: "remove"; name: string; here: boolean }
  | McpAuthOptions;

/** `agent mcp`. Gives the exit code. */
export async function mcpVerb(options: McpOptions): Promise<number> {
  const dirs = programDirs(process.env);
  openStore(dirs);
  const folder = realpathSync(process.cwd());
  const deps = {
    configDir: dirs.config,
    folder,
    home: homeOf(process.env),
    clock: systemClock,
    makeId: randomId,
  };
  const signIns = ownSignIns({ config: dirs.config, state: dirs.state }, process.env);
  switch (options.act) {
    case "add": {
      const file = await addServer(
        { name: options.name, setting: settingOf(options), source: sourceOf(options) },
        deps,
      );
      tell(
        `${options.name} is named in ${visible(file, "")}; sessions start it from now on. agent mcp test ${options.name} tries it.`,
      );
      return 0;
    }
    case "remove": {
      const named = namedIn(options.name, deps);
      // Without --here it is meant wherever it stands; where it stands twice, the one of all folders.
      const source = options.here ? "person" : (named[0] ?? "user");
      const file = await removeServer(options.name, source, deps);
      tell(`${options.name} is no longer in ${visible(file, "")}.`);
      if (named.length > 1)
        tell(
          `Another one of this name is ${source === "user" ? "yours for this folder: --here takes it out" : "in your settings for all folders"}.`,
        );
      return 0;
    }
    case "auth": {
      const { config } = await found(options.name, deps);
      return await mcpAuth(config, options, { signIns, folder });
    }
    case "list":
      return await list(readServers(deps), options.json, { ...deps, signIns });
    case "get": {
      const { config, used } = await found(options.name, deps);
      if (options.json) tellJson({ ...shown(config), used });
      else for (const line of details(config, used)) tell(line);
      return 0;
    }
    case "test": {
      const { config, used } = await found(options.name, deps);
      if (!used)
        throw new UsageError(`${config.name} is the folder's, which is not trusted: agent trust show, agent trust add`);
      return await test(config, dirs.state, { ...deps, signIns }, options.json);
    }
  }
}

function sourceOf({ here }: { here: boolean }): "user" | "person" {
  return here ? "person" : "user";
}

function settingOf({ command, url, env, headers }: McpOptions & { act: "add" }): object {
  const [program, ...args] = command;
  if (program === undefined && url === undefined)
    throw new UsageError("say how it is started or reached: agent mcp add NAME -- command args, or --url https://…");
  if (program !== undefined && url !== undefined) throw new UsageError("a command or --url: it is one or the other");
  if (program === undefined) {
    if (env.length > 0) throw new UsageError("--env is for a command; for a url there is --header");
    return { type: "http", url, ...(headers.length === 0 ? {} : { headers: pairs(headers, ":") }) };
  }
  if (headers.length > 0) throw new UsageError("--header is for a --url; for a command there is --env");
  return {
    command: program,
    ...(args.length === 0 ? {} : { args }),
    ...(env.length === 0 ? {} : { env: pairs(env, "=") }),
  };
}

function pairs(list: readonly string[], sign: string): Record<string, string> {
  return Object.fromEntries(
    list.map((pair) => {
      const at = pair.indexOf(sign);
      if (at < 1) throw new UsageError(`${JSON.stringify(pair)}: write NAME${sign}value`);
      return [pair.slice(0, at).trim(), sign === ":" ? pair.slice(at + 1).trim() : pair.slice(at + 1)];
    }),
  );
}

interface Place {
  configDir: string;
  folder: string;
  home: string;
}

async function isTrusted({ configDir, folder, home }: Place): Promise<boolean> {
  const homes = [home, userInfo().homedir];
  const uid = process.getuid?.() ?? 0;
  const trust = new FolderTrust({ configDir, folder, homes, uid, clock: systemClock, makeId: randomId });
  return (await trust.look()).state === "trusted";
}

async function found(name: string, place: Place): Promise<{ config: ServerConfig; used: boolean }> {
  const { own, brought } = readServers(place);
  const config = [...own, ...brought].find((one) => one.name === name);
  if (config === undefined) throw new UsageError(`there is no server ${JSON.stringify(name)}: agent mcp list`);
  return { config, used: config.source !== "project" || (await isTrusted(place)) };
}

async function list(
  { own, brought, notices }: ReadServers,
  json: boolean,
  place: Place & { signIns: SignIns },
): Promise<number> {
  const trusted = brought.length > 0 && (await isTrusted(place));
  const all = [
    ...own.map((config) => ({ config, used: true })),
    ...brought.map((config) => ({ config, used: trusted })),
  ];
  if (all.length === 0 && !json) tell("No server is named. agent mcp add NAME -- command names one.");
  for (const { config, used } of all) {
    const auth = authState(config, process.env, place.signIns, place.folder);
    const more = auth === "" ? "" : `, ${auth}`;
    if (json) tellJson({ ...shown(config), used, ...(auth === "" ? {} : { auth: auth.replace(/:.*/, "") }) });
    else tell(`${config.name}  ${visible(lineOf(config), "")}  ${stateOf(config, used)}${more}`);
  }
  for (const notice of notices) process.stderr.write(`agent: ${visible(notice, "")}\n`);
  return 0;
}

function stateOf({ source, enabled }: ServerConfig, used: boolean): string {
  const from = { flag: "typed", person: "yours, for this folder", user: "yours", project: "the folder's" }[source];
  if (!enabled) return `${from}, turned off`;
  return used ? from : `${from}, not used: the folder is not trusted`;
}

/** Without values that may be keys. */
function shown(config: ServerConfig): object {
  const { name, source, file, run, enabled } = config;
  const names = run.kind === "stdio" ? { env: Object.keys(run.env) } : { headers: Object.keys(run.headers) };
  return { name, source, file, kind: run.kind, line: lineOf(config), ...names, enabled };
}

function details(config: ServerConfig, used: boolean): string[] {
  const { name, file, run, startMs, callMs } = config;
  const extra = run.kind === "stdio" ? Object.keys(run.env) : Object.keys(run.headers);
  return [
    `${name}: ${stateOf(config, used)}`,
    `  ${run.kind === "stdio" ? "command" : "url"}  ${visible(lineOf(config), "")}`,
    ...(extra.length === 0 ? [] : [`  ${run.kind === "stdio" ? "env" : "headers"}  ${extra.join(", ")}`]),
    `  times  ${startMs / 1000} s to start, ${callMs / 1000} s for a call`,
    `  file  ${visible(file, "")}`,
  ];
}

async function test(
  config: ServerConfig,
  state: string,
  place: Place & { signIns: SignIns },
  json: boolean,
): Promise<number> {
  const { folder, home, signIns } = place;
  const trusted = await isTrusted(place);
  const servers = new Servers(builtinTools, join(state, "mcp-seen.json"), {
    folder,
    roots: () => [folder],
    home,
    trusted: () => trusted,
    signIns,
    env: process.env,
    clock: systemClock,
    version: programVersion(),
  });
  try {
    servers.begin([{ ...config, enabled: true }]);
    await servers.settled(new AbortController().signal, config.startMs + 1000);
    const row = servers.rows()[0];
    if (json) tellJson(row);
    else if (row !== undefined) for (const line of tried(row)) tell(line);
    return row?.status === "ready" ? 0 : 1;
  } finally {
    await servers.close();
  }
}

function tried({ name, status, why, needsAuth, tools, problems, tail }: ServerRow): string[] {
  if (status !== "ready")
    return [
      `${name} ${needsAuth === true ? "" : "is not there: "}${visible(why ?? "it did not start in time", "")}`,
      ...tail.map((line) => `  it said: ${line}`),
    ];
  const first = (words: string) => words.split("\n")[0]?.slice(0, 100) ?? "";
  return [
    `${name} is ready, with ${tools.length} tools`,
    ...tools.map((tool) => `  ${tool.name}  ${visible(first(tool.description), "")}`),
    ...problems.map((problem) => `  ${visible(problem, "")}`),
  ];
}
