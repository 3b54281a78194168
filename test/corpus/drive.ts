import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { ReplyBlock } from "../../src/events/block.ts";
import type { Mode } from "../../src/events/effect.ts";
import { isFact, type LogEvent } from "../../src/events/event.ts";
import { loadKey } from "../../src/events/key.ts";
import type { Model } from "../../src/model/model.ts";
import { denyAll, type Answer, type Asker, type Question } from "../../src/permissions/asker.ts";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { openSession } from "../../src/session/open.ts";
import { readHooks } from "../../src/session/hook-files.ts";
import type { ReadServers } from "../../src/session/mcp-files.ts";
import { saveRule } from "../../src/session/rules-write.ts";
import type { Session } from "../../src/session/session.ts";
import { loadSettings, type Settings } from "../../src/session/settings.ts";
import { openStore } from "../../src/session/store.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import type { ToolSettings } from "../../src/tools/tool.ts";
import { keysOf } from "../../src/util/secrets/environment.ts";
import { makeSecrets } from "../../src/util/secrets/secrets.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import type { CaseAnswer } from "./case.ts";
import type { CaseFolders, Ground } from "./ground.ts";

export const KEY = "CANARY-KEY";

export interface WantedCall {
  tool: string;
  input: unknown;
}

/** One prompt of a case run to its end. */
export interface Done {
  asked: Question[];
  facts: LogEvent[];
  /** Ids of the calls, in order. */
  ids: readonly string[];
  seconds: number;
}

export interface DriveOptions {
  mode: Mode;
  /** Backends to choose from; none: nothing contains commands. */
  sandboxes?: readonly SandboxKind[];
  bash?: Partial<ToolSettings["bash"]>;
  env?: Readonly<Record<string, string>>;
  /** A session to go on with; its mode is its own. */
  resume?: string;
  /** Nobody is there who could be asked. */
  alone?: boolean;
  /** Tool servers; they have started before the first call. */
  servers?: () => ReadServers;
}

export interface Moments {
  /** A question is open. */
  asked(): Promise<void>;
  /** A call runs. */
  started(): void;
}

/** A real session in a case's folder, on a model that makes the calls it is told. */
export interface Drive {
  session: Session;
  settings: Settings;
  /** `answers`: one per question, the last one for all that follow. */
  run(calls: readonly WantedCall[], answers: readonly CaseAnswer[], at?: Moments): Promise<Done>;
  /** What was sent to the model, as JSON. */
  sent(): string;
  /** The model's next answer is this error. */
  failNext(message: string): void;
}

/** As the program itself starts (`cli/wire.ts`): settings of the folder, its rules, its own store. Throws a SettingsError. */
export async function drive(folders: CaseFolders, ground: Ground, options: DriveOptions): Promise<Drive> {
  const { project: folder, home } = folders;
  const { config: configDir, state } = ground;
  const settings = loadSettings({ configDir, folder, home, flags: { mode: options.mode } });
  const store = openStore({ config: configDir, state });
  const env = { PATH: process.env["PATH"], LANG: "C.UTF-8", HOME: home, ANTHROPIC_API_KEY: KEY, ...options.env };
  const puppet = makePuppet();
  const person = makePerson(options.alone === true);
  const session = await openSession({
    folder,
    addDirs: [],
    ...(options.resume === undefined ? {} : { resume: options.resume }),
    store,
    defaults: { mode: settings.mode, model: puppet.model.id },
    config: {
      limits: settings.limits,
      tools: { ...settings.tools, bash: { ...settings.tools.bash, ...options.bash } },
      prices: settings.prices,
      rules: settings.rules,
    },
    tools: builtinTools,
    notices: settings.notices,
    hooks: () => readHooks({ configDir, folder, home }),
    ...(options.servers === undefined ? {} : { servers: options.servers }),
    secrets: makeSecrets({ key: loadKey(store.key), values: keysOf(env), on: settings.maskKeys }),
    openModel: () => puppet.model,
    asker: person.asker,
    saveRule: (text) => saveRule(text, { configDir, folder, home, clock: systemClock, makeId: randomId }),
    program: "corpus",
    machine: {
      env,
      home,
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      platform: process.platform,
      arch: process.arch,
      ...(options.sandboxes === undefined ? {} : { sandboxes: options.sandboxes }),
    },
    clock: systemClock,
    makeId: randomId,
  });
  await session.servers.settled(15_000, new AbortController().signal);
  return {
    session,
    settings,
    sent: () => puppet.sent(),
    failNext: (message) => puppet.failNext(message),
    run: async (calls, answers, at) => {
      const ids = puppet.next(calls);
      const questions = person.next(answers, () => at?.asked());
      const since = performance.now();
      const facts: LogEvent[] = [];
      const events = session.submit([{ type: "text", text: "go" }], new AbortController().signal);
      for (let step = await events.next(); step.done !== true; step = await events.next())
        if (isFact(step.value)) {
          facts.push(step.value);
          if (step.value.type === "call.started") at?.started();
        }
      return { asked: questions, facts, ids, seconds: (performance.now() - since) / 1000 };
    },
  };
}

interface Puppet {
  model: Model;
  next(calls: readonly WantedCall[]): string[];
  sent(): string;
  failNext(message: string): void;
}

function makePuppet(): Puppet {
  let failure: string | undefined;
  let blocks: ReplyBlock[] = [];
  let n = 0;
  let request: unknown;
  const end = { usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }, model: "scripted", attempts: 1 };
  const model: Model = {
    id: "scripted",
    contextWindow: 1_000_000,
    maxOutput: 32_000,
    async *stream(given) {
      request = given;
      const now = blocks;
      blocks = [];
      await Promise.resolve();
      if (failure !== undefined)
        return yield {
          type: "failed",
          kind: "auth",
          message: failure,
          retryable: false,
          partial: [],
          usage: end.usage,
        };
      if (now.length === 0)
        yield { type: "reply", blocks: [{ type: "text", text: "ok" }], stopReason: "end_turn", ...end };
      else yield { type: "reply", blocks: now, stopReason: "tool_use", ...end };
    },
  };
  const next = (calls: readonly WantedCall[]) => {
    blocks = calls.map(({ tool, input }) => ({ type: "tool_use", id: `toolu_${++n}`, name: tool, ...inputOf(input) }));
    return blocks.flatMap((b) => (b.type === "tool_use" ? [b.id] : []));
  };
  return {
    model,
    next,
    sent: () => JSON.stringify(request),
    failNext: (message) => void (failure = message),
  };
}

/** As the API's reader hands it on: what is no object is kept as raw text. */
function inputOf(input: unknown): { input: Record<string, unknown>; broken?: string } {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return { input: { ...input } };
  return { input: {}, broken: JSON.stringify(input) };
}

function makePerson(alone: boolean) {
  let answers: CaseAnswer[] = [];
  let questions: Question[] = [];
  let during: (() => Promise<void> | void) | undefined;
  const nobody = denyAll("nobody is here");
  const asker: Asker = {
    async ask(question, signal) {
      questions.push(question);
      await during?.();
      if (alone) return nobody.ask(question, signal);
      return answerOf(answers.length > 1 ? answers.shift() : answers[0], question);
    },
    askPerson: () => Promise.resolve(undefined),
  };
  return {
    asker,
    next(list: readonly CaseAnswer[], run?: () => Promise<void> | void): Question[] {
      answers = [...list];
      during = run;
      questions = [];
      return questions;
    },
  };
}

/** An "always" that is not offered counts as one yes. */
function answerOf(answer: CaseAnswer | undefined, { offer }: Question): Answer {
  if (answer === undefined || answer === "no") return { kind: "no" };
  if (answer === "yes" || offer === undefined) return { kind: "yes" };
  return { kind: "yes", remember: { scope: "always", rule: offer.always } };
}

/** Ends a session, whatever state it is in. */
export async function endDrive(driven: Drive | undefined): Promise<void> {
  await driven?.session.close();
}

/** The log that a session leaves. */
export function logFile(ground: Ground, id: string): string {
  return join(ground.state, "sessions", `${id}.jsonl`);
}
