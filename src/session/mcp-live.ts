import { join } from "node:path";
import type { EventLog } from "../events/log.ts";
import type { ServerLine, ServerRow } from "../mcp/servers.ts";
import { Servers } from "../mcp/servers.ts";
import { findKeyring } from "../util/keyring.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { AgreedServers } from "./mcp-agreed.ts";
import type { ReadServers } from "./mcp-files.ts";
import type { OpenOptions } from "./options.ts";
import type { ChangeReport } from "./session.ts";
import { signInsAt } from "./sign-ins.ts";

/** The servers of an open session, as a person looks at and turns them. */
export interface SessionServers {
  rows(): readonly ServerRow[];
  /** What of their files can't be used. */
  readonly notices: readonly string[];
  /** Resolves once no server is on its way any more, or after `ms`. */
  settled(ms: number, signal: AbortSignal): Promise<void>;
  /** Starts one anew. */
  reconnect(name: string): Promise<ChangeReport>;
  /** For this session. */
  turn(name: string, on: boolean): Promise<ChangeReport>;
  /** The words that a server's prompt stands for. Throws Error with one readable line. */
  prompt(server: string, name: string, words: string, signal: AbortSignal): ReturnType<Servers["readPrompt"]>;
  /** Calls back when one of them changed. */
  onChange(listener: () => void): void;
}

/** Of a session without servers. */
export const NO_SERVERS: SessionServers = {
  rows: () => [],
  notices: [],
  settled: () => Promise.resolve(),
  reconnect: () => Promise.resolve(none("")),
  turn: () => Promise.resolve(none("")),
  prompt: (server) => Promise.reject(new Error(`There is no server ${server}: agent mcp add names one.`)),
  onChange: () => undefined,
};

function none(name: string): ChangeReport {
  return {
    ok: false,
    text:
      name === "" ? "There are no servers. agent mcp add names one." : `There is no server ${name}. /mcp lists them.`,
    paths: [],
  };
}

/** The servers of an open session: the person's own from the start, the folder's while it is trusted (H5). */
export class LiveServers implements SessionServers {
  readonly set: Servers;
  readonly notices: readonly string[];
  readonly #log: EventLog;
  readonly #brought: ReadServers["brought"];
  readonly #resultsDir: string;
  readonly #agreed: AgreedServers;
  #trusted = false;

  constructor(read: ReadServers, log: EventLog, workspace: Pick<Workspace, "roots">, options: OpenOptions) {
    const { machine, clock, program, store, tools } = options;
    this.#log = log;
    this.#brought = read.brought;
    this.notices = read.notices;
    this.#agreed = new AgreedServers(log.state.folder);
    this.#resultsDir = join(store.results, log.state.id);
    this.set = new Servers(tools, join(store.state, "mcp-seen.json"), {
      folder: log.state.folder,
      roots: () => workspace.roots.map(({ path }) => path),
      home: machine.home,
      trusted: () => log.state.trusted,
      env: machine.env,
      clock,
      version: program,
      signIns: signInsAt({
        config: store.config,
        state: store.state,
        keyring: () => findKeyring(machine.env, machine.platform),
        learn: (value) => log.secrets.learn(value),
      }),
      changed: (config) => (config.source === "project" ? this.#agreed.changed(config.name) : undefined),
    });
    this.set.begin(read.own);
    this.follow();
  }

  /** What the model is told of them; the folder's come and go with its trust. */
  lines(): ServerLine[] {
    this.follow();
    return this.set.lines();
  }

  follow(): void {
    const { trusted } = this.#log.state;
    if (trusted === this.#trusted) return;
    this.#trusted = trusted;
    this.#agreed.take();
    if (trusted) this.set.begin(this.#brought);
    else void this.set.end("project", "its folder is not trusted");
    void this.set.follow();
  }

  rows(): readonly ServerRow[] {
    return this.set.rows();
  }
  settled(ms: number, signal: AbortSignal): Promise<void> {
    this.follow();
    return this.set.settled(signal, ms);
  }
  reconnect(name: string): Promise<ChangeReport> {
    return this.turn(name, true);
  }
  async turn(name: string, on: boolean): Promise<ChangeReport> {
    const held = this.rows().find((row) => row.name === name);
    if (on && held?.source === "project" && !this.#log.state.trusted)
      return { ok: false, text: `${name} is the folder's, which is not trusted: /trust.`, paths: [] };
    // The person asked for it as it is now.
    if (on && held?.source === "project") this.#agreed.take(name);
    const row = await this.set.turn(name, on);
    if (row === undefined) return none(name);
    if (row.status === "ready")
      return { ok: true, text: `${name} is ready, with ${row.tools.length} tools.`, paths: [] };
    if (!on) return { ok: true, text: `${name} is turned off for this session.`, paths: [] };
    return { ok: false, text: `${name} is not there: ${row.why ?? "it failed"}.`, paths: [] };
  }
  prompt(server: string, name: string, words: string, signal: AbortSignal): ReturnType<Servers["readPrompt"]> {
    return this.set.readPrompt({ server, name, words, dir: this.#resultsDir }, signal);
  }
  onChange(listener: () => void): void {
    this.set.onChange(listener);
  }
}

/** None where nothing names a server: then the model is told of no tools for them either. */
export function liveServers(log: EventLog, workspace: Workspace, options: OpenOptions): LiveServers | undefined {
  const read = options.servers?.();
  if (read === undefined || read.own.length + read.brought.length + read.notices.length === 0) return undefined;
  return new LiveServers(read, log, workspace, options);
}

/** A call of theirs that is still to be settled (E3) needs them there. */
export async function* afterServers<T, R>(
  { log, servers }: { log: EventLog; servers?: LiveServers },
  run: AsyncGenerator<T, R>,
  signal: AbortSignal,
): AsyncGenerator<T, R> {
  const open = [...log.state.calls.values()].some((call) => call.result === undefined && call.tool.startsWith("mcp__"));
  if (open) await servers?.settled(PATIENCE_MS, signal);
  return yield* run;
}

const PATIENCE_MS = 10_000;
