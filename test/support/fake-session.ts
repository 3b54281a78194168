import { type ContentBlock, text, textOf } from "../../src/events/block.ts";
import type { ChangeSummary } from "../../src/events/effect.ts";
import type { CallStatus, EndReason, LogBody, LogEvent, SessionEvent } from "../../src/events/event.ts";
import { initialState, reduce } from "../../src/events/reduce.ts";
import type { SessionState } from "../../src/events/state.ts";
import type { Answer, Asker, Question } from "../../src/permissions/asker.ts";
import { promptOf } from "../../src/session/attach.ts";
import { NO_SESSION_HOOKS } from "../../src/session/live-hooks.ts";
import { NO_SERVERS } from "../../src/session/mcp-live.ts";
import { receiptsOf } from "../../src/session/receipts.ts";
import type { Permissions } from "../../src/session/policy-permissions.ts";
import type { QueryResult, Session } from "../../src/session/session.ts";

/** What a script has at hand while it plays one query. */
export interface Stage {
  prompt: string;
  asker: Asker;
  signal: AbortSignal;
  state(): SessionState;
  fact(body: LogBody): LogEvent;
  /** Streams `words` as deltas, `pause` ms between them, then the reply with its calls. */
  reply(words: string, calls?: readonly FakeCall[], pause?: number): AsyncGenerator<SessionEvent>;
  /** Runs a call of the last reply: start, live output, question, landing, result. */
  run(call: FakeCall): AsyncGenerator<SessionEvent, Answer | undefined>;
  /** Hands over what was typed meanwhile. */
  steered(): AsyncGenerator<SessionEvent>;
  sleep(ms: number): Promise<void>;
}
export interface FakeCall {
  id: string;
  tool: string;
  input: Record<string, unknown>;
  output?: string;
  live?: readonly string[];
  livePause?: number;
  status?: CallStatus;
  exit?: number;
  question?: Question;
  changes?: ChangeSummary;
}
export type Script = (stage: Stage) => AsyncGenerator<SessionEvent, EndReason>;

export interface FakeOptions {
  asker: Asker;
  script: Script;
  id?: string;
  folder?: string;
  contained?: boolean;
  /** Named by `@`. */
  files?: readonly string[];
  notices?: readonly string[];
  unfinished?: string;
  permissions?: Permissions;
}

const NO_PERMISSIONS: Permissions = {
  rows: () => ({ rows: [] }),
  recent: () => [],
  why: () => undefined,
  add: () => Promise.resolve("Saved."),
  change: () => Promise.resolve("Changed."),
  reload: () => Promise.resolve("Read."),
};

const SIZES: ReturnType<Session["context"]["sizes"]> = {
  window: 200_000,
  counted: 50_000,
  parts: [
    { name: "system", tokens: 4000 },
    { name: "tools", tokens: 6000 },
    { name: "results", tokens: 40_000 },
  ],
};
const USAGE = { input: 1200, output: 80, cacheRead: 0, cacheWrite: 0 };

/** A session whose queries are played by a script; its state is the real fold of the facts it made. */
export function fakeSession(options: FakeOptions): Session & {
  log: LogEvent[];
  steeredTexts: string[];
  /** What runs in the background from now on. */
  setShells(shells: ReturnType<Session["background"]>["shells"]): void;
} {
  const id = options.id ?? "s_fake";
  const folder = options.folder ?? "/home/p/project";
  let state = initialState(id);
  const log: LogEvent[] = [];
  let queue: string[] = [];
  const steeredTexts: string[] = [];
  let shells: ReturnType<Session["background"]>["shells"] = [];
  const listeners: (() => void)[] = [];
  const fact = (body: LogBody): LogEvent => {
    const event: LogEvent = { v: 1, seq: log.length + 1, at: new Date(0).toISOString(), mac: "", ...body };
    log.push(event);
    state = reduce(state, event);
    return event;
  };
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
    });
  const roots = [{ path: folder, kind: "folder" as const }];
  fact({ type: "session.opened", sessionId: id, folder, roots, program: "0.1.0", mode: "ask", model: "fake-1" });

  async function* play(prompt: string, signal: AbortSignal): AsyncGenerator<SessionEvent, QueryResult> {
    const stage = stageOf(prompt, signal);
    const reason = yield* options.script(stage);
    const unfinished = [...state.calls.values()].filter((call) => call.result === undefined);
    for (const call of unfinished) {
      yield fact({
        type: "call.finished",
        callId: call.callId,
        status: "interrupted",
        content: [],
        touched: [],
        durationMs: 5,
      });
    }
    yield fact({ type: "query.finished", reason: signal.aborted ? "interrupted" : reason, turns: 1, durationMs: 1234 });
    return { reason, text: "", turns: 1, usage: USAGE, durationMs: 1234, denials: [] };
  }
  function stageOf(prompt: string, signal: AbortSignal): Stage {
    let turn = 0;
    const stage: Stage = {
      prompt,
      signal,
      asker: options.asker,
      fact,
      state: () => state,
      sleep: (ms) => sleep(ms, signal),
      async *reply(words, calls = [], pause = 0) {
        turn++;
        yield fact({ type: "turn.started", turn, model: "fake-1" });
        yield { type: "reply.started", turn };
        for (const word of words.match(/\S+\s*|\s+/g) ?? []) {
          if (signal.aborted) break;
          if (pause > 0) await sleep(pause, signal);
          yield { type: "text.delta", text: word };
        }
        const blocks = [
          ...(words === "" ? [] : [text(words)]),
          ...calls.map((call) => ({ type: "tool_use" as const, id: call.id, name: call.tool, input: call.input })),
        ];
        const common = { turn, model: "fake-1", blocks, usage: USAGE };
        if (signal.aborted) yield fact({ type: "reply.cut", ...common, reason: "interrupted" });
        else yield fact({ type: "reply.completed", ...common, stopReason: "end_turn", durationMs: 900, attempts: 1 });
      },
      run: (call) => runCall(call, stage, options.asker),
      async *steered() {
        if (signal.aborted) return;
        for (const words of queue.splice(0)) {
          steeredTexts.push(words);
          yield fact({ type: "prompt.submitted", when: "steer", content: [text(words)] });
        }
      },
    };
    return stage;
  }
  return {
    id,
    log,
    steeredTexts,
    state: () => state,
    sandbox: { kind: "overlay-bwrap", contained: options.contained ?? true, why: [] },
    notices: options.notices ?? [],
    agents: {
      kinds: () => [],
      roster: () => [],
      peek: () => undefined,
      stop: () => ({ ok: false, text: "none", paths: [] }),
    },
    trust: {
      unused: () => [],
      look: async () => undefined,
      give: async () => ({ ok: true, text: "trusted", paths: [] }),
      takeBack: async () => ({ ok: true, text: "not trusted", paths: [] }),
    },
    unfinished: () => options.unfinished,
    async *submit(said, signal = new AbortController().signal) {
      const { content } = promptOf(said);
      yield fact({ type: "prompt.submitted", when: "start", content: [...content] });
      return yield* play(textOf(content), signal);
    },
    looks: {
      facts: () => log,
      changed: async () => ({ title: "what this session changed", diffs: [] }),
      sinceCommit: async () => "git is not there",
    },
    context: {
      sizes: () => ({ ...SIZES, threshold: 100_000 }),
      compact: async (asked) => ({ ok: true, text: `Summed up${asked === undefined ? "" : `, ${asked}`}.`, paths: [] }),
      preview: () => ({
        tokens: 50_000,
        window: 200_000,
        threshold: 100_000,
        drops: { words: "2 messages of yours", tokens: 30_000 },
        stays: ["the last turn, whole"],
      }),
      receipts: () => receiptsOf(log),
      restore: async (n) => ({ ok: true, text: `Back again${n === undefined ? "" : ` ${n}`}.`, paths: [] }),
      pin: async (words = "") => {
        fact({ type: "context.pinned", id: `p${state.pins.length + 1}`, text: words });
        return { ok: true, text: "Pinned.", paths: [] };
      },
      unpin: async (pin) => {
        fact({ type: "context.unpinned", id: pin });
        return { ok: true, text: `Unpinned ${pin}.`, paths: [] };
      },
      pins: () => state.pins,
      handoff: async (file) => ({ ok: true, text: `Starts afresh from ${file ?? "results"}.`, paths: [] }),
    },
    beside: {
      async *files() {
        yield options.files ?? [];
      },
      attach: async (words) => ({ content: [text(words)], notes: [] }),
      ask: async (question) => `Beside: ${question}`,
      sizes: () => SIZES,
      memory: async () => [
        { id: "AGENTS.md", path: "AGENTS.md", whose: "project", exists: true },
        { id: "user", path: "/home/p/.config/understudy/AGENTS.md", whose: "user", exists: false },
      ],
      remember: async (file, line) => ({ ok: true, text: `landed: ${file.path}: ${line}`, paths: [file.path] }),
      peek: async (id) => (id === "bg_1" ? "listening\n" : undefined),
    },
    async *goOn(signal: AbortSignal, given) {
      const answer = typeof given === "string" ? given : given?.[0];
      return yield* play(answer ?? "go on", signal);
    },
    questions: () => [],
    limits: () => {
      const used = { turns: 3, tokens: 1200, usd: 0.0123, timeMs: 61_000 };
      return { budgets: { message: { turns: 100 }, session: { usd: 5 } }, used: { message: used, session: used } };
    },
    setLimit: async (scope, limit, value) => void fact({ type: "limit.changed", scope, limit, value: value ?? null }),
    steer: (said) => void queue.push(textOf(promptOf(said).content)),
    takeBack: () => {
      const taken = queue;
      queue = [];
      return taken;
    },
    queued: () => queue,
    background: () => ({ shells, ports: [] }),
    setShells: (next) => {
      shells = next;
      for (const listener of listeners) listener();
    },
    onBackground: (listener) => void listeners.push(listener),
    stopShell: (shell) =>
      Promise.resolve({ ok: true, text: `${shell} was ended, with all that it started.`, paths: [] }),
    openPort: (port) => {
      const open = `Open until the last background shell ends: http://127.0.0.1:${port}/ leads to port ${port} of the copy.`;
      return Promise.resolve({ ok: true, text: port === undefined ? "No port of the copy is open." : open, paths: [] });
    },
    setMode: async (mode) => void fact({ type: "mode.changed", mode, by: "person" }),
    setModel: async (model) => {
      fact({ type: "model.changed", model });
      return `${model} answers from now on.`;
    },
    setEffort: async (effort) => {
      fact({ type: "effort.changed", ...(effort === undefined ? {} : { effort }), by: "person" });
      return `Effort is ${effort ?? "as the model likes"}.`;
    },
    effort: () => state.effort,
    permissions: () => options.permissions ?? NO_PERMISSIONS,
    settings: { rows: () => [], set: () => Promise.resolve("") },
    longWork: undefined,
    rename: async (name) => void fact({ type: "session.named", name }),
    clear: async () => void fact({ type: "context.reset" }),
    async *shell(command, signal) {
      const output = `ran ${command}\n`;
      await sleep(5, signal);
      yield fact({ type: "shell.ran", operationId: "op_shell", command, outside: false, exit: 0, output });
      return { exit: 0, output, note: "nothing changed" };
    },
    own: {
      ran: async (command, exit) =>
        void fact({ type: "shell.ran", operationId: "op_own", command, outside: true, exit, output: "" }),
      show: async (command, _exit, output) => void fact({ type: "note.added", text: `$ ${command}\n${output}` }),
    },
    undo: async () => ({ ok: true, text: "Undone: src/a.ts", paths: ["src/a.ts"] }),
    redo: async () => ({ ok: false, text: "Nothing was undone.", paths: [] }),
    previewStep: async () => undefined,
    steps: async () => [],
    rewindPoints: () => [],
    previewRewind: async (to) => ({ to, prompts: 0, replies: 0, outside: [], undone: 0, pending: 0 }),
    rewind: async () => ({ ok: true, text: "", paths: [] }),
    setRehearsal: async (on) => {
      fact({ type: "rehearsal.changed", on, by: "person" });
      return { ok: true, text: on ? "Rehearsing." : "The rehearsal is over.", paths: [] };
    },
    land: async () => ({ ok: true, text: "Landed node_modules: 8,613 files.", paths: [] }),
    cost: () => ({
      models: [{ model: "fake-1", usage: USAGE, replies: 1, usd: 0.0123 }],
      usd: 0.0123,
      turns: [],
      tools: [],
      agents: [],
      apiMs: 900,
      pricesAsOf: "2026-11-30",
      limits: [],
    }),
    hooks: NO_SESSION_HOOKS,
    servers: NO_SERVERS,
    close: async () => {},
  };
}

async function* runCall(call: FakeCall, stage: Stage, asker: Asker): AsyncGenerator<SessionEvent, Answer | undefined> {
  const operationId = `op_${call.id}`;
  const base = { callId: call.id, operationId };
  yield stage.fact({ type: "call.started", ...base, attempt: 1, tool: call.tool, input: call.input });
  for (const piece of call.live ?? []) {
    if (stage.signal.aborted) return undefined;
    await stage.sleep(call.livePause ?? 1);
    yield { type: "tool.output", callId: call.id, text: piece };
  }
  if (stage.signal.aborted) return undefined;
  const outcome = { status: call.status ?? ("ok" as const), content: [text(call.output ?? "")], touched: [] };
  const summary = call.changes ?? call.question?.effect.changes;
  if (summary !== undefined) yield stage.fact({ type: "changes.proposed", ...base, outcome, summary });
  const answer = call.question === undefined ? undefined : yield* askFor(call.question, stage, asker);
  const denied = answer !== undefined && answer.kind !== "yes";
  if (summary !== undefined) {
    if (denied) yield stage.fact({ type: "changes.dropped", ...base, reason: "the person said no" });
    else yield stage.fact({ type: "changes.landed", ...base, summary, by: "person", touched: [] });
  }
  const details = call.exit === undefined ? {} : { details: { exit: call.exit } };
  yield stage.fact({
    type: "call.finished",
    ...base,
    ...outcome,
    ...details,
    ...(denied ? { status: "denied", content: deniedContent(call, outcome.content) } : {}),
    durationMs: 200,
  });
  return answer;
}

/** A command's output is told all the same. */
function deniedContent(call: Pick<FakeCall, "tool">, content: ContentBlock[]): ContentBlock[] {
  const words = "[None of its changes reached the folder, which is as before: the person said no]";
  return [...(call.tool === "Bash" ? content : []), { type: "text", text: words }];
}

async function* askFor(question: Question, stage: Stage, asker: Asker): AsyncGenerator<SessionEvent, Answer> {
  const { id: questionId, callId, effect, decision } = question;
  yield stage.fact({ type: "permission.asked", questionId, callId, effect, decision });
  const answer = await asker.ask(question, stage.signal);
  yield stage.fact({
    type: "permission.decided",
    callId,
    questionId,
    gate: question.gate,
    outcome: answer.kind === "yes" ? "allow" : "deny",
    by: answer.kind === "nobody" ? "nobody" : "person",
    reason: decision.reason,
    risk: decision.risk,
    effect,
    ...(answer.kind === "no" && answer.note !== undefined ? { note: answer.note } : {}),
    ...(answer.kind === "no" && answer.note === undefined ? { ends: true } : {}),
  });
  return answer;
}
