import type { Out } from "../../src/ui/term/out.ts";
import { createOut } from "../../src/ui/term/out.ts";
import { Controller } from "../../src/ui/screen/controller.ts";
import { inkDisplay } from "../../src/ui/screen/ink.tsx";
import { plainTheme, type Theme } from "../../src/ui/theme.ts";
import { PassThrough } from "node:stream";
import { fakeSession, type Script } from "./fake-session.ts";
import { fakeTerminal, type FakeTerminal } from "./screen.ts";

/** The real screen on a terminal in memory, while a model streams numbered words, one piece at each `step`. */
export interface Streaming {
  terminal: FakeTerminal;
  out: Out;
  /** The next piece of the answer, and the frame for it. */
  step(): Promise<void>;
  /** Ends the answer. */
  finish(): Promise<void>;
  leave(): Promise<void>;
  /** How many words were streamed. */
  words(): number;
}

/** `w0007`, unique whatever is cut or joined around it. */
const word = (n: number) => `w${String(n).padStart(4, "0")}`;
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** See `Streaming`. `piece`: words of a step; after some of them a paragraph ends. `texts`: each stands behind the words of one step. `stepMs`: so long one takes by the clock. */
export async function streaming(
  cols: number,
  rows: number,
  piece = 7,
  { texts = [], theme = plainTheme, stepMs = 60 }: { texts?: readonly string[]; theme?: Theme; stepMs?: number } = {},
): Promise<Streaming> {
  const terminal = fakeTerminal(cols, rows);
  let now = 1_000_000;
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const out = createOut(terminal, { clock, cursorStays: true });
  let count = 0;
  let wake: (more: boolean) => void = () => undefined;
  const script: Script = async function* (stage) {
    yield stage.fact({ type: "turn.started", turn: 1, model: "fake-1" });
    yield { type: "reply.started", turn: 1 };
    let whole = "";
    while (await new Promise<boolean>((resolve) => (wake = resolve))) {
      const ends = count % 35 === 28 ? "\n\n" : " ";
      const text = Array.from({ length: piece }, () => word(count++)).join(" ") + ends;
      const more = texts[Math.floor(count / piece) - 1] ?? "";
      whole += text + more;
      yield { type: "text.delta", text: text + more };
    }
    yield stage.fact({
      type: "reply.completed",
      turn: 1,
      model: "fake-1",
      blocks: [{ type: "text", text: whole }],
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
      stopReason: "end_turn",
      durationMs: 1,
      attempts: 1,
    });
    return "done";
  };
  const controller = new Controller({
    clock,
    theme,
    home: "/home/p",
    version: "0.1.0",
    openOther: () => Promise.reject(new Error("none")),
    exportTo: () => Promise.resolve(""),
    sessions: () => Promise.resolve([]),
    outside: () => Promise.resolve({ exit: 0, output: "" }),
    openText: () => Promise.resolve(),
    exitHard: () => undefined,
    first: "go on",
  } as unknown as ConstructorParameters<typeof Controller>[0]);
  const session = fakeSession({ script, asker: controller.asker });
  const modes = { off: () => undefined, on: () => undefined, alternate: () => undefined, stop: () => undefined };
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  const display = inkDisplay(out, stdin as unknown as NodeJS.ReadStream, modes);
  out.onWritten((at) => controller.written(at));
  out.onResize((spilt) => controller.resized(spilt));
  const ended = controller.run(session, display);
  const settle = async () => {
    for (let i = 0; i < 6; i++) await tick();
    now += stepMs;
    controller.store.flushNow();
    for (let i = 0; i < 2; i++) await tick();
    await terminal.drawn();
  };
  await settle();
  return {
    terminal,
    out,
    words: () => count,
    async step() {
      wake(true);
      await settle();
    },
    async finish() {
      wake(false);
      await settle();
      await settle();
    },
    async leave() {
      controller.leave();
      await ended;
      terminal.emulator.close();
    },
  };
}

/** What of the words is missing, and how many stand there more than once. */
export function counted(lines: readonly string[], words: number): { lost: string[]; twice: number } {
  const seen = lines.flatMap((l) => [...l.matchAll(/w\d{4}/g)].map(([w]) => w));
  const unique = new Set(seen);
  const lost = Array.from({ length: words }, (_, n) => word(n)).filter((w) => !unique.has(w));
  return { lost, twice: seen.length - unique.size };
}
