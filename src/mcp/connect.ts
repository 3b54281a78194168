import { pathToFileURL } from "node:url";
import type {
  AuthProvider,
  Client,
  ElicitRequestFormParams,
  ElicitResult,
  Transport,
} from "@modelcontextprotocol/client";
import { boundedFetch, TOO_LARGE } from "./bounded-fetch.ts";
import { cleanEnv } from "../util/clean-env.ts";
import type { Clock } from "../util/deps.ts";
import { expanded, type ServerConfig } from "./config.ts";
import type { Guard } from "./guard.ts";
import { StdioTransport } from "./stdio.ts";
import { folderVariables, heldBecause, type Places, whereOf } from "./where.ts";
import { bearer } from "./bearer.ts";
import { NeedsAuth, type SignIns } from "./signed-in.ts";
import { maskOf, theirWords } from "./words.ts";

/** What servers are started with. */
export interface ServerDeps extends Places {
  /** The person's own environment; servers get it without keys. */
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Understudy's version. */
  version: string;
  /** Why a server may not be started as what it runs is now: it is other than what was agreed to. */
  changed?: (config: ServerConfig) => string | undefined;
  /** Where sign-ins are kept; without it none is used. */
  signIns?: SignIns;
  /** Names of built-in tools. */
  builtin: ReadonlySet<string>;
}

/** An open connection to a server. */
export interface Connection {
  client: Client;
  /** Why it is over, as far as is known. */
  ended(): string | undefined;
  /** What a program said beside the protocol. */
  tail(): readonly string[];
  pid?: number;
  close(): Promise<void>;
}

/** What the server may send us without being asked. */
export interface Listener {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  elicit(request: ElicitRequestFormParams): Promise<ElicitResult>;
  closed(): void;
}

/**
 * Starts or reaches a server and greets it. The client's package is loaded with the first of them.
 * @throws Error with one readable line; nothing of the server is left then. `tail` on it: what its program said.
 */
export async function connect(
  config: ServerConfig,
  deps: ServerDeps & { guard: Guard },
  listener: Listener,
  signal: AbortSignal,
): Promise<Connection> {
  const run = filled(config, deps);
  const held = heldBecause(run, config.source, deps);
  if (held !== undefined) throw new ConnectError(held, []);
  const sdk = await import("@modelcontextprotocol/client");
  const client = new sdk.Client(
    { name: "understudy", version: deps.version },
    { capabilities: { roots: {}, elicitation: { form: {} } } },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: deps.roots().map((path) => ({ uri: pathToFileURL(path).href })),
  }));
  client.setRequestHandler("elicitation/create", ({ params }) =>
    params.mode === "url" ? { action: "decline" as const } : listener.elicit(params),
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => listener.toolsChanged());
  client.setNotificationHandler("notifications/prompts/list_changed", () => listener.promptsChanged());
  client.setNotificationHandler("notifications/resources/list_changed", () => listener.resourcesChanged());
  let tooLarge: string | undefined;
  const stdio = run.kind === "stdio" ? launch(run, config.source, deps) : undefined;
  const transport: Transport =
    stdio ??
    new sdk.StreamableHTTPClientTransport(addressOf(run.kind === "http" ? run.url : ""), {
      requestInit: { headers: run.kind === "http" ? checkedHeaders(run.headers) : {} },
      ...authOf(run, config.name, sdk, deps),
      fetch: boundedFetch(() => {
        tooLarge = TOO_LARGE;
        void client.close().catch(() => undefined);
      }),
    });
  // What a server sends and nobody understands is its own affair; the connection goes on.
  client.onerror = () => undefined;
  const close = async (): Promise<void> => {
    await client.close().catch(() => undefined);
    await stdio?.close();
  };
  try {
    await client.connect(transport, { timeout: config.startMs, signal });
  } catch (error) {
    // Before it is ended: how it ends then is our doing.
    const mask = maskOf(config, deps.env);
    const why = stdio?.ended ?? tooLarge ?? wordsOf(error, config.startMs, mask);
    await close();
    const wants = neededIn(error);
    if (wants !== undefined) throw wants;
    throw new ConnectError(why, stdio?.tail.lines() ?? []);
  }
  client.onclose = () => listener.closed();
  return {
    client,
    ended: () => stdio?.ended ?? tooLarge,
    tail: () => stdio?.tail.lines() ?? [],
    ...(stdio?.pid === undefined ? {} : { pid: stdio.pid }),
    close,
  };
}

/** A header that the person named goes before a sign-in. */
function authOf(
  run: ServerConfig["run"],
  name: string,
  sdk: typeof import("@modelcontextprotocol/client"),
  { signIns, clock }: ServerDeps,
): { authProvider?: AuthProvider } {
  if (run.kind !== "http" || signIns === undefined || namesAuth(run.headers)) return {};
  return { authProvider: bearer({ name, url: run.url }, { sdk, signIns, clock }) };
}

/** Whether headers say who asks. */
export function namesAuth(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/** That the person has to sign in, where it stands behind what the client made of it. */
function neededIn(error: unknown): NeedsAuth | undefined {
  for (let at = error, n = 0; at instanceof Error && n < 5; at = at.cause, n++) if (at instanceof NeedsAuth) return at;
  return undefined;
}

function filled(config: ServerConfig, { env, folder }: ServerDeps): ServerConfig["run"] {
  return expanded(config, { ...env, ...folderVariables(folder) });
}

/** Why it may not start where it would run. @throws MissingVariable. */
export function heldIn(config: ServerConfig, deps: ServerDeps): string | undefined {
  return heldBecause(filled(config, deps), config.source, deps);
}

/** Why there is no connection, in words for the person, and the last words of the program. */
export class ConnectError extends Error {
  override name = "ConnectError";
  readonly tail: readonly string[];
  constructor(words: string, tail: readonly string[]) {
    super(words);
    this.tail = tail;
  }
}

type Stdio = Extract<ServerConfig["run"], { kind: "stdio" }>;

function launch(run: Stdio, source: ServerConfig["source"], deps: ServerDeps & { guard: Guard }): StdioTransport {
  const { folder, roots, env, clock, guard } = deps;
  const cwd = whereOf(run, source, deps);
  const own = { ...cleanEnv(env), PWD: cwd, ...folderVariables(folder) };
  return new StdioTransport({
    command: run.command,
    args: run.args,
    env: { ...own, ...run.env },
    cwd,
    roots: roots(),
    guard,
    clock,
  });
}

/** An address that a request may go to. @throws ConnectError. */
export function addressOf(url: string): URL {
  if (!URL.canParse(url) || !/^https?:\/\//.test(url))
    throw new ConnectError("its url is no http or https address", []);
  const address = new URL(url);
  if (address.username !== "" || address.password !== "")
    throw new ConnectError(
      "its url holds a name or password, which errors and logs would show: send it in headers",
      [],
    );
  return address;
}

/** What the client would refuse with the whole value in its words. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const wrong = Object.entries(headers).find(([name, value]) => !isHeader(name, value));
  if (wrong !== undefined)
    throw new ConnectError(`its header ${theirWords(wrong[0], 60)} holds a character that no header may have`, []);
  return { ...headers };
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}

/** What went wrong, as a sentence's part: a server's own words in quotation marks. `mask`: see `maskOf`. */
export function wordsOf(error: unknown, ms: number, mask = (words: string): string => words): string {
  const words = mask(error instanceof Error ? error.message : String(error));
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (code === "REQUEST_TIMEOUT" || /timed out/i.test(words)) return `it did not answer within ${ms / 1000} s`;
  if (code === "CONNECTION_CLOSED" || /connection closed/i.test(words)) return "the connection was closed";
  if (error instanceof NeedsAuth) return words;
  const cause = error instanceof Error && error.cause instanceof Error ? mask(`: ${error.cause.message}`) : "";
  return `it failed: ${theirWords(`${words}${cause}`)}`;
}
