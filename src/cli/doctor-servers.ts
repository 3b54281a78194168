import { expanded, lineOf, MissingVariable, type ServerConfig } from "../mcp/config.ts";
import type { SignIns } from "../mcp/signed-in.ts";
import type { Env } from "../session/environment.ts";
import { readServers } from "../session/mcp-files.ts";
import { SettingsError } from "../session/settings-file.ts";
import { visible } from "../util/visible.ts";
import { authState } from "./mcp-auth.ts";

/** The tool servers of this folder's sessions, a line each, with what would keep one from starting. None is started. */
export function serverLines(
  place: { configDir: string; folder: string },
  env: Env,
  signIns?: SignIns,
): [name: string, value: string][] {
  const named = (lines: readonly string[]) =>
    lines.map((text, at): [string, string] => [at === 0 ? "servers" : "", visible(text, "")]);
  try {
    const { own, brought, notices } = readServers(place);
    if (own.length + brought.length + notices.length === 0)
      return named(["no tool servers: agent mcp add NAME -- command names one"]);
    const lines = [...own, ...brought].map(
      (config) => `${config.name}: ${lineOf(config)} (${stateOf(config, { env, signIns, folder: place.folder })})`,
    );
    return named([...lines, ...notices]);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return named(error.problems);
  }
}

function stateOf(
  config: ServerConfig,
  { env, signIns, folder }: { env: Env; signIns: SignIns | undefined; folder: string },
): string {
  if (!config.enabled) return "turned off";
  try {
    expanded(config, env);
  } catch (error) {
    if (!(error instanceof MissingVariable)) throw error;
    return error.message;
  }
  const whose = config.source === "project" ? "the folder's, used while it is trusted; " : "";
  const auth = signIns === undefined ? "" : authState(config, env, signIns, folder);
  if (auth.startsWith("needs")) return `${whose}${auth}`;
  return `${whose}${auth === "" ? "" : `${auth}; `}agent mcp test ${config.name} tries it`;
}
