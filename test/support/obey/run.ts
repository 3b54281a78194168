import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Mode } from "../../../src/events/effect.ts";
import { startApi, type ApiServer } from "../api-server.ts";
import { commandsWith } from "../processes.ts";
import { plant, type Planted } from "./carriers.ts";
import type { ChildInput, Told } from "./child.ts";
import type { Deed, OrderedCall } from "./deed.ts";
import { CANARY, changed, fill, type Ground, KEY, leaks, lookAt, newGround } from "./ground.ts";
import { listenAround, type Listeners } from "./listeners.ts";
import { ObeyingModel } from "./model.ts";

/** What obeying one text came to. */
export interface Obeyed extends Told {
  n: number;
  mode: Mode;
  orders: readonly OrderedCall[];
  /** Calls of the text that the model made. */
  made: number;
  /** What is other than before, in the folder, beside it, in the home, in the settings. */
  changed: string[];
}

/** What a run came to, beside its cases. */
export interface Run {
  cases: Obeyed[];
  hits: string[];
  /** Where a canary was found: files of the program, requests. */
  leaks: string[];
  /** Processes of the model's that outlived the session. */
  left: string[];
  breaches: string[];
}

/** A number of sessions share one home of commands and its traps: a session for so many texts. */
const TEXTS = 25;
const QUIET = "Looks up a ticket by its number.";

/** A deed, its number (the same in every run), the mode in which it is met. */
export interface Case {
  n: number;
  deed: Deed;
  mode: Mode;
}

/** Plants all deeds in one project and has the model meet them one after the other. */
export async function obeyAll(
  wanted: readonly Case[],
  description: (fill: (text: string) => string) => string = () => QUIET,
): Promise<Run> {
  const ground = newGround();
  const around = await listenAround(ground);
  let model = new ObeyingModel();
  const api = await startApi(({ body }) => ({ turn: model.reply(body) }));
  const answers = join(ground.outside, "tickets.json");
  const filled = (pid: number) => (text: string) => fillIn(text, ground, around, pid);
  const child = await startChild(ground, api, answers, (pid) => description(filled(pid)));
  const own = child.pid ?? 0;
  const planted = wanted.map(({ n, deed, mode }) => {
    const calls = JSON.parse(JSON.stringify(deed.calls), (_, v: unknown) =>
      typeof v === "string" ? filled(own)(v) : v,
    ) as OrderedCall[];
    return { n, mode, calls, at: plant(n, calls), spoils: deed.spoils === true };
  });
  fill(
    ground,
    planted.map((p) => p.at),
  );
  writeFileSync(answers, JSON.stringify(Object.fromEntries(planted.flatMap(({ at }) => answerOf(at)))));
  const cases: Obeyed[] = [];
  const watched = [
    ground.at.folder,
    ground.outside,
    ground.at.home,
    ground.at.config,
    join(ground.at.state, "sessions/planted.jsonl"),
  ];
  let before = lookAt(watched);
  for (const [i, one] of planted.entries()) {
    const last = planted[i - 1];
    if (i % TEXTS === 0 || one.mode !== last?.mode || last.spoils) {
      model = new ObeyingModel();
      await send(child, { mode: one.mode });
    }
    // The key of the first session is made when it opens.
    if (i === 0) for (const [path, what] of lookAt([ground.at.config])) before.set(path, what);
    const told = (await send(child, { say: `DO: ${one.at.opens.tool} ${JSON.stringify(one.at.opens.input)}` })) as Told;
    const after = lookAt(watched);
    const made = one.calls.filter((c) => model.did(c)).length;
    cases.push({ ...told, n: one.n, mode: one.mode, orders: one.calls, made, changed: changed(before, after) });
    // Whatever one of them broke is told once, with its own orders.
    before = after;
  }
  await send(child, { close: true });
  return {
    cases,
    hits: around.hits,
    leaks: allLeaks(ground, api),
    left: commandsWith("obeyed-mark"),
    breaches: api.breaches,
  };
}

function answerOf({ answer }: Planted): [string, string][] {
  return answer === undefined ? [] : [[String(answer.n), answer.text]];
}

function fillIn(text: string, { at, outside }: Ground, { port, udp, abstract }: Listeners, pid: number): string {
  const words: Record<string, string> = {
    PROJECT: at.folder,
    OUTSIDE: outside,
    HOME: at.home,
    STATE: at.state,
    CONFIG: at.config,
    PORT: String(port),
    UDP: String(udp),
    ABSTRACT: abstract,
    PID: String(pid),
  };
  return text.replace(/\{([A-Z]+)\}/g, (whole, name: string) => words[name] ?? whole);
}

async function startChild(
  { at }: Ground,
  api: ApiServer,
  answers: string,
  describe: (pid: number) => string,
): Promise<ChildProcess> {
  const input: ChildInput = { at, api: api.url, answers, description: describe(process.pid) };
  const env = {
    PATH: process.env["PATH"],
    HOME: at.home,
    LANG: "C.UTF-8",
    ANTHROPIC_API_KEY: KEY,
    GITHUB_TOKEN: `${CANARY}-gh`,
    SSH_AUTH_SOCK: "/tmp/none",
  };
  const child = fork(join(import.meta.dirname, "child.ts"), [JSON.stringify(input)], {
    env,
    execArgv: [],
    cwd: at.folder,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

async function send(child: ChildProcess, message: object): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  const answer = once(child, "message", { signal }) as Promise<[object]>;
  const gone = once(child, "exit", { signal }).then(() => [{ broke: "the program ended by itself" }] as [object]);
  for (const either of [answer, gone]) either.catch(() => undefined);
  child.send(message);
  const [done] = await Promise.race([answer, gone]);
  settled.abort();
  if ("broke" in done) throw new Error(String(done.broke));
  return done;
}

/** The key is sent to the service in its header, and nowhere else. */
function allLeaks({ at }: Ground, api: ApiServer): string[] {
  const planted = join(at.state, "sessions/planted.jsonl");
  const sent = api.requests.flatMap(({ raw }, i) => (raw.includes(CANARY) ? [`request ${i + 1}`] : []));
  return [...sent, ...leaks(at.state, [planted]), ...leaks(at.folder, [])];
}
