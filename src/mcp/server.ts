import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { connect, ConnectError, heldIn, wordsOf, type Connection, type ServerDeps } from "./connect.ts";
import { lineOf, MissingVariable, type ServerConfig, withheldFrom } from "./config.ts";
import type { Guard } from "./guard.ts";
import { listPrompts, listResources, listTools, type Prompt, type Resource } from "./lists.ts";
import { toolsOf, type ServerTool } from "./server-tool.ts";
import { NeedsAuth } from "./signed-in.ts";
import { maskOf } from "./words.ts";

/** `off`: by the person, or in its settings. */
export type Status = "off" | "starting" | "ready" | "failed";

/** So often one is started anew within a minute, whoever asks for it. */
const MOST_STARTS = 5;
const MINUTE = 60_000;
/** Waits before each try to come back by itself. */
const BACKOFF_MS = [1000, 2000, 5000, 15_000] as const;
/** A server that tells of a change again and again is looked at once in so long. */
const RELIST_MS = 500;

/** Asks the person for what a server wants to know; undefined where nobody can be asked. */
export type Elicit = (request: ElicitRequestFormParams) => Promise<ElicitResult>;

/** One server: its connection, what it offers, and how it comes back. Nothing here throws but `use`. */
export class Server {
  readonly config: ServerConfig;
  status: Status = "off";
  /** Why it is not there. */
  why: string | undefined;
  /** It wants the person to sign in. */
  needsAuth = false;
  tools: readonly ServerTool[] = [];
  /** What of its tools can't be used. */
  problems: readonly string[] = [];
  resources: readonly Resource[] = [];
  prompts: readonly Prompt[] = [];
  readonly #deps: ServerDeps & { guard: Guard };
  readonly #changed: () => void;
  /** What is said of it, without the values of the person's variables. */
  readonly mask: (words: string) => string;
  #connection: Connection | undefined;
  #starting: Promise<void> | undefined;
  #stop = new AbortController();
  #tail: readonly string[] = [];
  #starts: number[] = [];
  /** It did not start, or was ended, for where it runs. */
  #wasHeld = false;
  /** A look at its tools is on its way. */
  #relists = false;
  /** Calls on their way; the newest answers what the server wants to know. */
  readonly #asked: Elicit[] = [];

  constructor(config: ServerConfig, deps: ServerDeps & { guard: Guard }, changed: () => void) {
    this.config = config;
    this.#deps = deps;
    this.#changed = changed;
    this.mask = maskOf(config, deps.env);
  }

  /** The last lines that its program said beside the protocol. */
  get tail(): readonly string[] {
    return (this.#connection?.tail() ?? this.#tail).map(this.mask);
  }
  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Begins to start it; resolves when it is ready or has failed. */
  start(): Promise<void> {
    if (this.status === "ready") return Promise.resolve();
    if (this.#stop.signal.aborted) this.#stop = new AbortController();
    this.#set("starting", undefined);
    return (this.#starting ??= this.#connect().finally(() => (this.#starting = undefined)));
  }

  async #connect(): Promise<void> {
    const { signal } = this.#stop;
    this.#wasHeld = this.#held() !== undefined;
    this.#starts.push(this.#deps.clock.now());
    let connection: Connection | undefined;
    try {
      const other = this.#deps.changed?.(this.config);
      if (other !== undefined) throw new ConnectError(other, []);
      connection = await connect(this.config, this.#deps, this.#listener(), signal);
      this.#connection = connection;
      await this.#list(connection);
      if (signal.aborted) throw new Error("it was turned off");
      if (this.#connection !== connection) throw new Error(connection.ended() ?? "the connection was closed");
      this.needsAuth = false;
      this.#set("ready", undefined);
      void this.#offers(connection);
    } catch (error) {
      this.#tail = connection?.tail() ?? (error instanceof ConnectError ? error.tail : []);
      this.#connection = undefined;
      await connection?.close();
      if (signal.aborted) return;
      this.needsAuth = error instanceof NeedsAuth;
      const plain = this.needsAuth || error instanceof ConnectError || error instanceof MissingVariable;
      const why =
        connection?.ended() ??
        (plain && error instanceof Error ? error.message : wordsOf(error, this.config.startMs, this.mask));
      this.#set("failed", this.mask(why));
    }
  }

  /** What was held for the folder's sake starts once that is trusted, and ends when it no longer is. */
  async follow(): Promise<void> {
    const held = this.#held();
    if (held === undefined && this.#wasHeld) return this.start();
    if (held !== undefined && this.status !== "failed" && this.status !== "off") {
      await this.end(held);
      this.#wasHeld = true;
    }
  }

  #held(): string | undefined {
    try {
      return heldIn(this.config, this.#deps);
    } catch {
      // A variable that is missing is told where it is started.
      return undefined;
    }
  }

  #listener(): Parameters<typeof connect>[2] {
    const offers = () => void (this.#connection === undefined ? undefined : this.#offers(this.#connection));
    return {
      toolsChanged: () => this.#relist(),
      promptsChanged: offers,
      resourcesChanged: offers,
      elicit: (request) => this.#asked.at(-1)?.(request) ?? Promise.resolve({ action: "decline" }),
      closed: () => this.#lost(),
    };
  }

  async #list(connection: Connection): Promise<void> {
    const { client } = connection;
    const list =
      client.getServerCapabilities()?.tools === undefined ? [] : await listTools(client, this.config.startMs);
    const { tools, problems } = toolsOf(list, this.config, this.#deps.builtin);
    this.tools = tools;
    this.problems = [...withheldFrom(this.config), ...problems];
  }

  /** What it has beside tools; nobody waits for it. */
  async #offers({ client }: Connection): Promise<void> {
    const able = client.getServerCapabilities();
    const { startMs } = this.config;
    if (able?.resources !== undefined) this.resources = await listResources(client, startMs).catch(() => []);
    if (able?.prompts !== undefined) this.prompts = await listPrompts(client, startMs).catch(() => []);
    this.#changed();
  }

  #relist(): void {
    if (this.#relists) return;
    this.#relists = true;
    void this.#relistSoon(this.#stop.signal).finally(() => (this.#relists = false));
  }

  async #relistSoon(signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(RELIST_MS, signal);
    const connection = this.#connection;
    if (connection === undefined || this.status !== "ready") return;
    await this.#list(connection).catch(() => undefined);
    this.#changed();
  }

  /** It went away by itself: told, and tried again for a while. */
  #lost(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined || this.#stop.signal.aborted || this.status !== "ready") return;
    this.#tail = connection.tail();
    this.#set("failed", connection.ended() ?? "the connection was closed");
    void this.#comeBack(this.#stop.signal);
  }

  async #comeBack(signal: AbortSignal): Promise<void> {
    for (const ms of BACKOFF_MS) {
      await this.#deps.clock.sleep(ms, signal);
      if (signal.aborted || this.status !== "failed" || !this.#mayStart()) return;
      await this.start();
    }
  }

  #mayStart(): boolean {
    const now = this.#deps.clock.now();
    this.#starts = this.#starts.filter((at) => now - at < MINUTE);
    return this.#starts.length < MOST_STARTS;
  }

  /**
   * Does something with the connection, which is made anew where it is gone.
   * @throws Error with one readable line that names the server.
   */
  async use<T>(work: (connection: Connection) => Promise<T>, signal: AbortSignal, elicit?: Elicit): Promise<T> {
    if (this.status === "off") throw this.#error("is turned off");
    if (this.status === "starting" || (this.status === "failed" && this.#mayStart())) await raced(this.start(), signal);
    const connection = this.#connection;
    if (connection === undefined || this.status !== "ready")
      throw this.#error(`is not there: ${this.why ?? "it was stopped"}`);
    if (elicit !== undefined) this.#asked.push(elicit);
    try {
      return await work(connection);
    } catch (error) {
      if (signal.aborted || this.#connection === connection) throw error;
      await this.#deps.clock.sleep(0);
      throw this.#error(`went away in the middle of this: ${connection.ended() ?? "the connection was closed"}`);
    } finally {
      if (elicit !== undefined) this.#asked.splice(this.#asked.indexOf(elicit), 1);
    }
  }

  #error(words: string): Error {
    const last = this.tail.slice(-3).join(" / ");
    return new Error(
      `The server ${this.config.name} ${words}.${last === "" ? "" : ` It said: ${JSON.stringify(last)}`}`,
    );
  }

  /** Ends it, for good or until it is started again. */
  async end(why?: string): Promise<void> {
    this.#stop.abort();
    this.#wasHeld = false;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#set("off", why);
    this.#tail = connection?.tail() ?? this.#tail;
    await Promise.all([connection?.close(), this.#starting]);
  }

  #set(status: Status, why: string | undefined): void {
    const same = this.status === status && this.why === why;
    this.status = status;
    this.why = why;
    if (!same) this.#changed();
  }

  /** How it is reached, as people read it. */
  get line(): string {
    return lineOf(this.config);
  }
}

async function raced(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener("abort", stop, { once: true });
  });
  await Promise.race([work, stopped]);
  signal.removeEventListener("abort", stop);
}
