import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../measure.ts";
import { ended, printed } from "./go.ts";
import { jobOf, type Ready } from "./place.ts";
import { gaps, prefixShares, sizesOf } from "./same-work.ts";
import { echoes, openScreen, usable } from "./screen-go.ts";
import type { Work } from "./script.ts";
import type { Server } from "./server.ts";
import { quantile } from "./stats.ts";
import { pssMib } from "./tree.ts";

/** One go of one program: figures by the id of their row. Throws where the program can't, or did other work. */
export type Go = (ready: Ready, server: Server) => Promise<Record<string, number>>;

export interface GroupOfRows {
  name: string;
  /** Goes that count; one more comes first and doesn't. */
  n: number;
  go: Go;
}

const TURNS: Work = { kind: "turns", count: 50 };
const STREAMED = 20_000;
const RATE = 200;
const PACED_S = 20;
/** Keys typed while a reply streams, and how far apart. */
const KEYS = 20;
const KEY_PAUSE_MS = 200;

/** Everything that is measured, each group in one go of a program. */
export const GROUPS: readonly GroupOfRows[] = [
  { name: "version", n: 9, go: word("version") },
  { name: "help", n: 9, go: word("help") },
  { name: "hi", n: 7, go: hi },
  { name: "turns", n: 5, go: turns },
  { name: "memory", n: 2, go: memory },
  { name: "parallel", n: 5, go: parallel },
  { name: "start", n: 5, go: start },
  { name: "stream", n: 3, go: stream },
  // Twenty seconds each, in which a busy moment of the machine is one of many: no go ahead of it.
  { name: "pace", n: 0, go: pace },
];

function word(id: "version" | "help"): Go {
  return async (ready) => {
    const words = ready.program[id];
    if (words === null) throw new Error("it has none");
    const { wallMs, out } = await ended(ready, words ?? [`--${id}`]);
    if (out.trim() === "") throw new Error("nothing was said");
    return { [id]: wallMs };
  };
}

async function hi(ready: Ready, server: Server): Promise<Record<string, number>> {
  const { wallMs, cpuMs, log } = await printed(ready, server, { kind: "hi" });
  const first = log.find((one) => one.main);
  if (first === undefined) throw new Error("no request came");
  const { bytes, tools, medianTool, fixed } = sizesOf(first);
  return { hi: wallMs, hiCpu: cpuMs, request: bytes, tools, tool: medianTool, fixed, fixedTokens: fixed / 4 };
}

async function turns(ready: Ready, server: Server): Promise<Record<string, number>> {
  const { wallMs, cpuMs, log } = await printed(ready, server, TURNS);
  const shares = prefixShares(log).map((share) => share * 100);
  return {
    turn: median(gaps(log)),
    turns: wallMs,
    turnsCpu: cpuMs,
    prefix: median(shares),
    prefixLeast: Math.min(...shares),
  };
}

/** By itself: looking at memory takes time that would count. */
async function memory(ready: Ready, server: Server): Promise<Record<string, number>> {
  return { peakMib: (await printed(ready, server, TURNS, { watch: true })).peakMib };
}

async function parallel(ready: Ready, server: Server): Promise<Record<string, number>> {
  const { log } = await printed(ready, server, { kind: "parallel", count: 10 });
  return { parallel: gaps(log)[0] ?? Number.NaN };
}

async function start(ready: Ready, server: Server): Promise<Record<string, number>> {
  await server.give(jobOf(ready, { kind: "hi" }));
  return onScreen(ready, async (screen, at) => {
    await sleep(1000);
    const startCpu = screen.tree?.cpuMs() ?? Number.NaN;
    await sleep(1000);
    const idleMib = pssMib(screen.tree?.pids() ?? []);
    const echo = median(await echoes(screen, KEYS, KEY_PAUSE_MS / 4));
    return { first: screen.firstByte - screen.began, usable: at - screen.began, startCpu, idleMib, echo };
  });
}

async function stream(ready: Ready, server: Server): Promise<Record<string, number>> {
  await server.give(jobOf(ready, { kind: "words", count: STREAMED }));
  return onScreen(ready, async (screen) => {
    await sleep(1500);
    const [began, cpu] = [performance.now(), screen.tree?.cpuMs() ?? Number.NaN];
    screen.type("\r");
    const seen = await screen.shows((text) => text.includes(String(STREAMED - 1)));
    const streamCpu = (screen.tree?.cpuMs() ?? Number.NaN) - cpu;
    await sleep(300);
    const words = new Set(
      screen
        .lines()
        .join("\n")
        .match(/w\d+|Part \d+/g),
    );
    return { stream: seen - began, streamCpu, kept: words.size };
  });
}

/** Processor time of twenty seconds, then keys while the reply goes on. */
async function pace(ready: Ready, server: Server): Promise<Record<string, number>> {
  const seconds = PACED_S + 15;
  await server.give(jobOf(ready, { kind: "words", count: RATE * seconds, rate: RATE }));
  return onScreen(ready, async (screen) => {
    await sleep(1500);
    screen.type("\r");
    await screen.shows((text) => /w\d+/.test(text));
    const cpu = screen.tree?.cpuMs() ?? Number.NaN;
    await sleep(PACED_S * 1000);
    const paceCpu = (screen.tree?.cpuMs() ?? Number.NaN) - cpu;
    // A program that shows no keys while it works has the other figure all the same.
    const echoBusy = await echoes(screen, KEYS, KEY_PAUSE_MS).then(
      (times) => quantile(times, 0.95),
      () => Number.NaN,
    );
    return { paceCpu, ...(Number.isNaN(echoBusy) ? {} : { echoBusy }) };
  });
}

async function onScreen<T>(
  ready: Ready,
  work: (screen: Awaited<ReturnType<typeof openScreen>>, at: number) => Promise<T>,
): Promise<T> {
  if (ready.program.screen === undefined) throw new Error("it has no screen");
  const screen = await openScreen(ready);
  try {
    return await work(screen, await usable(screen, ready));
  } finally {
    await screen.close();
  }
}
