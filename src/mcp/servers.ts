import type { Tool } from "../tools/tool.ts";
import { callTool } from "./call-tool.ts";
import type { ServerDeps } from "./connect.ts";
import type { ServerConfig, ServerSource } from "./config.ts";
import { Guard } from "./guard.ts";
import type { Prompt, Resource } from "./lists.ts";
import { readPrompt, readResource, type PromptText, type ResourceText } from "./offers.ts";
import { searchTool, type Searched } from "./search-tool.ts";
import { seenIn, type Seen } from "./seen.ts";
import type { ServerTool } from "./server-tool.ts";
import { Server, type Status } from "./server.ts";
import { loopTool } from "./tool.ts";

/** A server as the person looks at it. */
export interface ServerRow {
  name: string;
  source: ServerSource;
  file: string;
  /** Command line or address. */
  line: string;
  status: Status;
  why?: string;
  /** It wants the person to sign in. */
  needsAuth?: true;
  tools: readonly { name: string; description: string }[];
  problems: readonly string[];
  resources: readonly Resource[];
  prompts: readonly Prompt[];
  /** The last lines that its program said beside the protocol. */
  tail: readonly string[];
}

/** What the model is told of a server; `off`: only where it was told of it before. */
export interface ServerLine {
  name: string;
  words: string;
  off: boolean;
}

/** Names of one server that a note lists. */
const MOST_NAMES = 40;
/** How long ToolSearch waits for servers that are on their way. */
const PATIENCE_MS = 10_000;

/**
 * The servers of a session. They start in the background, nothing waits for them but who looks for their tools, and they end with it.
 */
export class Servers implements Searched {
  /** The session's tools with those of servers behind them: one list, kept up to date. */
  readonly all: readonly Tool[];
  /** What a request lists of tools: the same from the session's first request to its last (C1). */
  readonly listed: readonly Tool[];
  readonly #live: Tool[];
  /** Lists of others that end with the same tools. */
  readonly #others = new Set<WeakRef<Tool[]>>();
  readonly #servers = new Map<string, Server>();
  readonly #made = new WeakMap<ServerTool, Tool>();
  readonly #guard = new Guard();
  readonly #deps: ServerDeps;
  readonly #seen: Seen;
  readonly #listeners = new Set<() => void>();
  #closed = false;

  /** @param own the session's other tools; `seenFile`: see `seenIn`. */
  constructor(own: readonly Tool[], seenFile: string, deps: Omit<ServerDeps, "builtin">) {
    this.listed = [...own, searchTool(this), callTool];
    this.#live = [...this.listed];
    this.all = this.#live;
    this.#deps = { ...deps, builtin: new Set(this.listed.map(({ name }) => name)) };
    this.#seen = seenIn(seenFile);
  }

  /** Adds servers that are not there yet, and begins to start them. */
  begin(configs: readonly ServerConfig[]): void {
    for (const config of configs) {
      if (this.#closed || this.#servers.has(config.name)) continue;
      const server = new Server(config, { ...this.#deps, guard: this.#guard }, () => this.#changed());
      this.#servers.set(config.name, server);
      if (config.enabled) void server.start();
    }
  }

  /** Other tools with those of servers behind them: a list that is kept up to date as long as somebody has it. */
  with(own: readonly Tool[]): readonly Tool[] {
    const list = [...own, ...this.#live.slice(this.listed.length)];
    this.#others.add(new WeakRef(list));
    return list;
  }

  /** Ends those of a source: what a folder brings, once it is no longer trusted. */
  async end(source: ServerSource, why: string): Promise<void> {
    const gone = [...this.#servers.values()].filter(({ config }) => config.source === source);
    await Promise.all(gone.map((server) => server.end(why)));
  }

  /** The folder's trust is another: what of the person's runs in it starts, or ends. */
  async follow(): Promise<void> {
    const all = [...this.#servers.values()].filter(({ config }) => config.source !== "project" && config.enabled);
    await Promise.all(all.map((server) => server.follow()));
  }

  #changed(): void {
    const tools = [...this.#servers.values()].flatMap((server) =>
      server.status === "off" ? [] : server.tools.map((tool) => this.#toolOf(tool, server)),
    );
    const before = this.#live.splice(this.listed.length, this.#live.length, ...tools).length;
    for (const ref of this.#others) {
      const other = ref.deref();
      if (other === undefined) this.#others.delete(ref);
      else other.splice(other.length - before, before, ...tools);
    }
    for (const listener of this.#listeners) listener();
  }

  #toolOf(tool: ServerTool, server: Server): Tool {
    const known = this.#made.get(tool);
    if (known !== undefined) return known;
    const made = loopTool(tool, server, this.#seen) as Tool;
    this.#made.set(tool, made);
    return made;
  }

  /** Calls back when a server's state or tools changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  tools(): readonly ServerTool[] {
    return [...this.#servers.values()].flatMap((server) => (server.status === "off" ? [] : server.tools));
  }

  missing(): readonly string[] {
    return [...this.#servers.values()].flatMap(({ config, status, why }) =>
      status === "starting"
        ? [`The server ${config.name} is still starting.`]
        : status === "failed"
          ? [`The server ${config.name} is not there: ${why ?? "it failed"}.`]
          : [],
    );
  }

  async settled(signal: AbortSignal, ms = PATIENCE_MS): Promise<void> {
    const on = [...this.#servers.values()].filter(({ status }) => status === "starting");
    if (on.length === 0) return;
    const over = new AbortController();
    await Promise.race([
      Promise.all(on.map((server) => server.start())),
      this.#deps.clock.sleep(ms, AbortSignal.any([signal, over.signal])),
    ]);
    over.abort();
  }

  lines(): ServerLine[] {
    return [...this.#servers.values()].map(({ config: { name }, status, why, tools }) => {
      const off = status === "off";
      if (off) return { name, words: "turned off. Its tools can't be called.", off };
      if (status === "starting") return { name, words: "starting. ToolSearch waits for it.", off };
      if (status === "failed") return { name, words: `not there: ${why ?? "it failed"}. A call tries once more.`, off };
      const names = tools.slice(0, MOST_NAMES).map(({ full }) => full);
      const more = tools.length > MOST_NAMES ? ` and ${tools.length - MOST_NAMES} more` : "";
      return { name, words: tools.length === 0 ? "ready, without tools." : `${names.join(", ")}${more}`, off };
    });
  }

  rows(): ServerRow[] {
    return [...this.#servers.values()].map((server) => {
      const { config, status, why, problems, resources, prompts, tail, line } = server;
      const { name, source, file } = config;
      return {
        name,
        source,
        file,
        line,
        status,
        ...(why === undefined ? {} : { why }),
        ...(status === "failed" && server.needsAuth ? { needsAuth: true } : {}),
        tools: server.tools.map(({ full, description }) => ({ name: full, description })),
        problems,
        resources,
        prompts,
        tail,
      };
    });
  }

  /** Ends it, and starts it anew where `on`. Gives its state then; undefined for a name that it doesn't know. */
  async turn(name: string, on: boolean): Promise<ServerRow | undefined> {
    const server = this.#servers.get(name);
    if (server === undefined) return undefined;
    await server.end("you turned it off");
    if (on) await server.start();
    return this.rows().find((row) => row.name === name);
  }

  /** The server and address of `server:uri`, where that server offers it. */
  resource(mention: string): { server: string; uri: string } | undefined {
    const at = mention.indexOf(":");
    const server = this.#servers.get(mention.slice(0, Math.max(0, at)));
    const uri = mention.slice(at + 1);
    if (server?.status !== "ready" || !server.resources.some((r) => r.uri === uri)) return undefined;
    return { server: server.config.name, uri };
  }

  /** @throws Error with one readable line. */
  readResource(at: { server: string; uri: string }, dir: string, signal: AbortSignal): Promise<ResourceText> {
    return readResource(this.#find(at.server), at.uri, dir, signal);
  }

  /** What `/server:prompt` stands for. @throws Error with one readable line. */
  readPrompt(
    { server, ...of }: { server: string; name: string; words: string; dir: string },
    signal: AbortSignal,
  ): Promise<PromptText> {
    return readPrompt(this.#find(server), of, signal);
  }

  #find(name: string): Server {
    const server = this.#servers.get(name);
    if (server === undefined) throw new Error(`There is no server ${name}: /mcp lists them.`);
    return server;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await Promise.all([...this.#servers.values()].map((server) => server.end()));
    this.#guard.close();
  }
}
