import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { AGENT, agentEnv } from "./run-agent.ts";
import type { Place } from "./session.ts";

/** Which choice of a question is taken: the first of this kind, an id as it is, or none; "never": no answer. */
export type Pick = "allow_once" | "allow_always" | "reject_once" | "cancelled" | "never" | { id: string };

export interface EditorInput {
  pick?: Pick | ((request: RequestPermissionRequest) => Pick);
  form?: (request: CreateElicitationRequest) => CreateElicitationResponse;
  can?: ClientCapabilities;
  args?: readonly string[];
  env?: Record<string, string>;
}

/** The program as an editor has it: a real process, driven by the protocol's own client. */
export interface TestEditor {
  agent: ClientConnection["agent"];
  child: ChildProcess;
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  /** Lines of its stdout that are no message of the protocol. */
  stray: string[];
  err(): string;
  /** Begins a session in the place's folder. */
  begin(): Promise<string>;
  say(sessionId: string, text: string): Promise<string>;
  /** Words of the model and of the program, joined. */
  words(): string;
  /** The exit code, once it has ended. */
  ended: Promise<number | null>;
}

export async function startEditor(at: Place, input: EditorInput = {}): Promise<TestEditor> {
  const child = spawn(process.execPath, [AGENT, ...(input.args ?? []), "acp"], {
    cwd: at.home,
    env: agentEnv(at, input.env ?? {}),
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  child.stdin.on("error", () => undefined);
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece));
  const stray: string[] = [];
  watch(child.stdout, stray);
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const connection = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      const pick = typeof input.pick === "function" ? input.pick(params) : (input.pick ?? "reject_once");
      if (pick === "never") return new Promise(() => undefined);
      if (pick === "cancelled") return { outcome: { outcome: "cancelled" as const } };
      const optionId =
        typeof pick === "object" ? pick.id : (params.options.find(({ kind }) => kind === pick)?.optionId ?? "none");
      return { outcome: { outcome: "selected" as const, optionId } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => input.form?.(params) ?? { action: "cancel" as const })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
      ),
    );
  const { agent } = connection;
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    ...(input.can === undefined ? {} : { clientCapabilities: input.can }),
  });
  return {
    agent,
    child,
    updates,
    asked,
    stray,
    ended,
    err: () => err,
    begin: async () => (await agent.request(methods.agent.session.new, { cwd: at.folder, mcpServers: [] })).sessionId,
    say: async (sessionId, text) =>
      (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason,
    words: () =>
      updates
        .map((u) => (u.sessionUpdate === "agent_message_chunk" && u.content.type === "text" ? u.content.text : ""))
        .join(""),
  };
}

function watch(stdout: Readable, stray: string[]): void {
  let rest = "";
  stdout.on("data", (piece: Buffer) => {
    const lines = `${rest}${piece.toString("utf8")}`.split("\n");
    rest = lines.pop() ?? "";
    stray.push(...lines.filter((line) => !line.startsWith('{"jsonrpc":"2.0"')));
  });
}
