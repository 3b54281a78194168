import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { isFact, type LogEvent } from "../../src/events/event.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { print } from "../../src/print/print.ts";
import { startApi, type Answer, type ApiServer } from "./api-server.ts";
import type { ApiTurn } from "./api-sse.ts";
import type { FaultCase } from "./fault-cases.ts";
import { quickClock } from "./model.ts";
import { openAt, place } from "./session.ts";

/** What one message came to, as `-p` would tell it. */
export interface Told {
  code: number;
  out: string;
  /** Lines of stderr, the server's address as HOST. */
  err: string[];
  facts: LogEvent[];
  requests: number;
}

/** A session through the headless front-end, on a server whose answers are laid out for each message. */
export interface FaultSession {
  api: ApiServer;
  say(words: string, answers: readonly Answer[], then?: Answer): Promise<Told>;
  /** Tokens of the whole session. */
  usage(): { input: number; output: number };
}

/** So that faults that stay end soon. */
const HASTY = { firstMs: 500, stallMs: 500, pingsMs: 700 };

export async function faultSession(hasty = false): Promise<FaultSession> {
  const queue: Answer[] = [];
  let rest: Answer | undefined;
  const api = await startApi((_, n) => {
    const next = queue.shift() ?? rest;
    if (next === undefined) throw new Error(`request ${n} was not expected`);
    return next;
  });
  const model = anthropicModel("claude-sonnet-5-5", {
    access: { baseUrl: api.url, apiKey: "CANARY-KEY" },
    clock: quickClock(),
    random: () => 0,
    budget: { attempts: hasty ? 2 : 3, askedMs: 600_000 },
    ...(hasty ? { patience: HASTY } : {}),
  });
  const at = place("streams");
  writeFileSync(join(at.folder, "a.txt"), "hello\n");
  const session = await openAt(at, { model });
  onTestFinished(() => session.close());
  return {
    api,
    usage() {
      const all = [...session.state().usage.values()];
      const sum = (key: "input" | "output") => all.reduce((n, u) => n + u[key], 0);
      return { input: sum("input"), output: sum("output") };
    },
    async say(words, answers, then) {
      queue.splice(0, queue.length, ...answers);
      rest = then;
      const before = api.requests.length;
      const facts: LogEvent[] = [];
      const told = { out: "", err: "" };
      const run = session.submit([{ type: "text", text: words }], new AbortController().signal);
      const code = await print(
        noting(run, facts),
        session,
        "text",
        {
          out: (text) => Promise.resolve(void (told.out += text)),
          err: (text) => void (told.err += text),
        },
        false,
      );
      const err = told.err
        .replaceAll(new URL(api.url).host, "HOST")
        .replaceAll(session.id, "ID")
        .split("\n")
        // What it said on its way to a failure is told beside it.
        .filter((row) => row !== "" && !/^agent: (said on the way|cut off), no answer/.test(row));
      return { code, out: told.out, err, facts, requests: api.requests.length - before };
    },
  };
}

async function* noting<E extends object, R>(run: AsyncGenerator<E, R>, facts: LogEvent[]): AsyncGenerator<E, R> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
    const event: unknown = step.value;
    if (isFact(event as never)) facts.push(event as LogEvent);
    yield step.value;
  }
}

/** A session's three turns: words, then a call, then words again. */
const WORDS: ApiTurn = { text: "First." };
const CALL: ApiTurn = { text: "I look.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] };
const LAST: ApiTurn = { text: "It says hello." };

/** Where in the session the fault is: in its first, second or third turn. */
export const PLACES = [
  { name: "words", before: [], turn: WORDS, then: [] },
  { name: "a call", before: [], turn: CALL, then: [LAST] },
  { name: "words behind a result", before: [CALL], turn: LAST, then: [] },
] as const;

const answer = (turn: ApiTurn): Answer => ({ turn });

/** Plays the session with the fault at one place. */
export function withFault(session: FaultSession, fault: FaultCase, at: (typeof PLACES)[number]): Promise<Told> {
  const wrong = fault.answers(at.turn, session.api.requests.length + 1);
  const right = [at.turn, ...at.then].map(answer);
  const after = fault.ends === undefined ? right.slice(fault.harmless === true ? 1 : 0) : [];
  const answers = [...at.before.map(answer), ...wrong, ...after];
  return session.say(`at ${at.name}`, answers, fault.stays === true ? wrong[0] : undefined);
}

/** The answer that the session gives at this place. */
export function rightAnswer(at: (typeof PLACES)[number]): string {
  return `${(at.then[0] ?? at.turn).text}\n`;
}
