import type { AgentApp, AgentConnection, ContentBlock, NewSessionRequest, Stream } from "@agentclientprotocol/sdk";
import type { ServerConfig } from "../mcp/config.ts";
import { NoKeyError } from "../model/open.ts";
import type { Asker } from "../permissions/asker.ts";
import type { SessionEntry } from "../events/sessions.ts";
import type { Session } from "../session/session.ts";
import type { Clock } from "../util/deps.ts";
import { editorAsker } from "./ask-editor.ts";
import { BusyError, Conversation, ServiceError } from "./conversation.ts";
import type { Editor } from "./editor.ts";
import { initialized } from "./initialized.ts";
import { modeNamed, modesOf } from "./modes.ts";
import { serversOf } from "./servers.ts";

/** Where a session is to be opened. */
export interface OpenPlace {
  /** As the editor named it. */
  folder: string;
  addDirs: readonly string[];
  /** The editor's own tool servers. */
  servers: readonly ServerConfig[];
  /** Id of a session to go on with. */
  resume?: string;
}

export interface Opened {
  session: Session;
  /** Tokens; undefined where the model can't be used. */
  contextWindow: (model: string) => number | undefined;
}

export interface ServeDeps {
  version: string;
  clock: Clock;
  stream: Stream;
  /** Opens a session. Throws Error with one readable line; `NoKeyError` where only a key is missing. */
  open(place: OpenPlace, asker: Asker): Promise<Opened>;
  /** Of a folder, or all; newest first. */
  sessions(folder: string | undefined): readonly SessionEntry[];
  remove(id: string): Promise<void>;
  /** Aborted when the program is to end. */
  signal: AbortSignal;
}

type Sdk = typeof import("@agentclientprotocol/sdk");

/** Serves one editor until it is gone, or `signal` is aborted; then everything is ended and closed. */
export async function serveAcp(deps: ServeDeps): Promise<void> {
  const sdk = await import("@agentclientprotocol/sdk");
  const open = new Map<string, Conversation>();
  const connection = await new Front(sdk, deps, open).connect();
  const stop = () => connection.close();
  deps.signal.addEventListener("abort", stop, { once: true });
  if (deps.signal.aborted) stop();
  await connection.closed;
  await Promise.all([...open.values()].map((one) => one.close()));
}

/** What an editor may ask of the program, by the protocol's methods. */
class Front {
  readonly #sdk: Sdk;
  readonly #deps: ServeDeps;
  readonly #open: Map<string, Conversation>;
  #can: Editor["can"] = {};
  #connection: AgentConnection | undefined;

  constructor(sdk: Sdk, deps: ServeDeps, open: Map<string, Conversation>) {
    this.#sdk = sdk;
    this.#deps = deps;
    this.#open = open;
  }

  connect(): Promise<AgentConnection> {
    const { methods } = this.#sdk;
    const { session } = methods.agent;
    const app = this.#sdk.agent({ name: "understudy" });
    const connection = this.#sessions(app)
      .onRequest(methods.agent.initialize, ({ params }) => this.#initialize(params.clientCapabilities))
      .onRequest(methods.agent.authenticate, () => ({}))
      .onRequest(session.prompt, ({ params, signal }) => this.#prompt(params.sessionId, params.prompt, signal))
      .onRequest(session.setMode, async ({ params }) => {
        const mode = modeNamed(params.modeId);
        if (mode === undefined) throw this.#wrong(`there is no mode ${params.modeId}; there are plan, ask and auto`);
        await this.#of(params.sessionId).session.setMode(mode);
        return {};
      })
      .onNotification(session.cancel, ({ params }) => this.#open.get(params.sessionId)?.cancel())
      .connect(this.#deps.stream);
    this.#connection = connection;
    return Promise.resolve(connection);
  }

  #sessions(app: AgentApp): AgentApp {
    const { session } = this.#sdk.methods.agent;
    return app
      .onRequest(session.new, async ({ params }) => {
        const one = await this.#begin(params);
        return { sessionId: one.session.id, modes: modesOf(one.session.state().mode) };
      })
      .onRequest(session.load, async ({ params }) => {
        const one = await this.#begin(params, params.sessionId);
        await one.replay();
        return { modes: modesOf(one.session.state().mode) };
      })
      .onRequest(session.resume, async ({ params }) => {
        const one = await this.#begin({ ...params, mcpServers: params.mcpServers ?? [] }, params.sessionId);
        return { modes: modesOf(one.session.state().mode) };
      })
      .onRequest(session.close, async ({ params }) => {
        await this.#close(params.sessionId);
        return {};
      })
      .onRequest(session.delete, async ({ params }) => {
        await this.#close(params.sessionId);
        await this.#tried(() => this.#deps.remove(params.sessionId));
        return {};
      })
      .onRequest(session.list, async ({ params }) => {
        const found = await this.#tried(() => Promise.resolve(this.#deps.sessions(params.cwd ?? undefined)));
        const sessions = found.map((entry) => ({
          sessionId: entry.id,
          cwd: entry.folder,
          title: entry.name ?? entry.title,
          updatedAt: entry.lastAt,
        }));
        return { sessions };
      });
  }

  #initialize(can: Editor["can"] | undefined): ReturnType<typeof initialized> {
    this.#can = can ?? {};
    return initialized(this.#sdk.PROTOCOL_VERSION, this.#deps.version);
  }

  async #begin(
    { cwd, additionalDirectories = [], mcpServers }: NewSessionRequest,
    resume?: string,
  ): Promise<Conversation> {
    if (resume !== undefined && this.#open.has(resume)) await this.#close(resume);
    const { servers, problems } = serversOf(mcpServers);
    let session: Session | undefined;
    const editor = this.#editor(() => session?.id ?? "");
    const asker = editorAsker(editor, {
      sessionId: () => session?.id ?? "",
      roots: () => session?.state().roots.map(({ path }) => path) ?? [],
    });
    const place = { folder: cwd, addDirs: additionalDirectories, servers, ...(resume === undefined ? {} : { resume }) };
    const opened = await this.#tried(() => this.#deps.open(place, asker));
    session = opened.session;
    const one = new Conversation({ session, editor, clock: this.#deps.clock, window: opened.contextWindow });
    this.#open.set(session.id, one);
    // Behind the answer, which names the session that it is about.
    one.warn(problems);
    setImmediate(() => void one.offer());
    return one;
  }

  #editor(sessionId: () => string): Editor {
    const connection = this.#connection;
    if (connection === undefined) throw new Error("there is no editor yet");
    const { client, signal } = connection;
    const { methods } = this.#sdk;
    const form = this.#can.elicitation?.form ?? undefined;
    return {
      can: this.#can,
      gone: signal,
      tell: (update) =>
        client.notify(methods.client.session.update, { sessionId: sessionId(), update }).catch(() => undefined),
      askPermission: (request, stop) =>
        client.request(
          methods.client.session.requestPermission,
          { sessionId: sessionId(), ...request },
          { cancellationSignal: stop },
        ),
      ...(form === undefined
        ? {}
        : {
            askForm: (request, stop) =>
              client.request(methods.client.elicitation.create, request, { cancellationSignal: stop }),
          }),
    };
  }

  async #prompt(
    id: string,
    blocks: readonly ContentBlock[],
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Conversation["prompt"]>>> {
    try {
      return await this.#of(id).prompt(blocks, signal);
    } catch (error) {
      if (error instanceof BusyError) throw this.#sdk.RequestError.invalidRequest(undefined, error.message);
      if (error instanceof ServiceError) throw this.#sdk.RequestError.internalError(undefined, error.message);
      throw error;
    }
  }

  #of(id: string): Conversation {
    const one = this.#open.get(id);
    if (one === undefined) throw this.#sdk.RequestError.sessionNotFound(id);
    return one;
  }

  async #close(id: string): Promise<void> {
    const one = this.#open.get(id);
    this.#open.delete(id);
    await one?.close();
  }

  /** What is wrong with what was asked is told in the words that a person reads. */
  async #tried<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw error instanceof NoKeyError
        ? this.#sdk.RequestError.authRequired(undefined, error.message)
        : this.#wrong(error.message);
    }
  }

  #wrong(words: string): Error {
    return this.#sdk.RequestError.invalidParams(undefined, words);
  }
}
