import { randomBytes } from "node:crypto";
import { openBrowser } from "../mcp/browser.ts";
import { expanded, MissingVariable, type ServerConfig } from "../mcp/config.ts";
import { ConnectError, namesAuth } from "../mcp/connect.ts";
import { folderVariables } from "../mcp/where.ts";
import { signIn } from "../mcp/sign-in.ts";
import { SignInError } from "../mcp/sign-in-error.ts";
import { isOver, type SignIns } from "../mcp/signed-in.ts";
import type { Env } from "../session/environment.ts";
import { signInsAt } from "../session/sign-ins.ts";
import { findKeyring } from "../util/keyring.ts";
import { systemClock } from "../util/system.ts";
import { visible } from "../util/visible.ts";
import { tell } from "./diff-text.ts";
import { UsageError } from "./usage-error.ts";

export interface McpAuthOptions {
  act: "auth";
  name: string;
  forget: boolean;
  clientId?: string;
  port: number;
}

/** The sign-ins of the person, outside of sessions. */
export function ownSignIns(dirs: { config: string; state: string }, env: Env): SignIns {
  return signInsAt({ ...dirs, keyring: () => findKeyring(env, process.platform), learn: () => undefined });
}

/** `agent mcp auth`: signs the person in at a server, or forgets that. Gives the exit code. */
export async function mcpAuth(
  config: ServerConfig,
  { name, forget, clientId, port }: McpAuthOptions,
  { signIns, folder }: { signIns: SignIns; folder: string },
): Promise<number> {
  const { url, headers } = overHttp(config, folder);
  if (forget) {
    const was = await signIns.forget(url);
    tell(
      was
        ? `The sign-in at ${name} is forgotten. Revoke it at the service too, if it is to end there.`
        : `You were not signed in at ${name}.`,
    );
    return was ? 0 : 1;
  }
  if (namesAuth(headers))
    throw new UsageError(
      `${name} has an Authorization header in ${config.file}, which goes before a sign-in: take it out first`,
    );
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    const how = {
      url,
      headers,
      port,
      clock: systemClock,
      randomState: () => randomBytes(24).toString("base64url"),
      show: shown(folder),
    };
    const signed = await signIn({ ...how, ...(clientId === undefined ? {} : { clientId }) }, stop.signal);
    if (signed === undefined) {
      signIns.setWanted(url, false);
      tell(`${name} wants no sign-in. agent mcp test ${name} tries it.`);
      return 0;
    }
    const where = await signIns.keep(url, signed);
    signIns.setWanted(url, false);
    tell(
      `You are signed in at ${name}; kept in ${visible(where, "")}. agent mcp test ${name} tries it, /mcp reconnect ${name} uses it in a session.`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof SignInError || error instanceof ConnectError)) throw error;
    process.stderr.write(`agent: ${name}: ${visible(error.message, "")}\n`);
    return 1;
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

function shown(folder: string): (address: URL) => void {
  return (address) => {
    const opened = openBrowser(address, { env: process.env, platform: process.platform, notBelow: [folder] });
    tell(
      opened
        ? "Your browser is asked to open this page; sign in there:"
        : "Open this page in a browser on this machine, and sign in there:",
    );
    tell(`  ${visible(address.href, "")}`);
  };
}

function overHttp(config: ServerConfig, folder: string): Extract<ServerConfig["run"], { kind: "http" }> {
  try {
    const run = expanded(config, { ...process.env, ...folderVariables(folder) });
    if (run.kind === "http") return run;
  } catch (error) {
    if (!(error instanceof MissingVariable)) throw error;
    throw new UsageError(`${config.name}: ${error.message}`);
  }
  throw new UsageError(
    `${config.name} is a program on this machine: what it needs stands in its env (agent mcp get ${config.name})`,
  );
}

/** How a server stands with its sign-in, as far as is known without reaching it; "" where nothing is. */
export function authState(config: ServerConfig, env: Env, signIns: SignIns, folder: string): string {
  try {
    const run = expanded(config, { ...env, ...folderVariables(folder) });
    if (run.kind !== "http" || namesAuth(run.headers)) return "";
    const kept = signIns.read(run.url);
    if (kept !== undefined && !isOver(kept, systemClock.now())) return "signed in";
    return kept !== undefined || signIns.wanted(run.url) ? `needs auth: agent mcp auth ${config.name}` : "";
  } catch (error) {
    if (!(error instanceof MissingVariable)) throw error;
    return "";
  }
}
