import { spawn, type IPty } from "@lydell/node-pty";
import { setTimeout as sleep } from "node:timers/promises";
import { emulator, type Emulator } from "../../test/support/emulator.ts";
import type { Ready } from "./place.ts";
import { openTree, type Tree } from "./tree.ts";

const GIVE_UP_MS = 30_000;
/** Keys of a start are sent anew this often, for programs that drop what comes too early. */
const AGAIN_MS = 50;
/** Seldom enough to be told from what a program says by itself. */
const TYPED = "qzj";

/** A program on a terminal of 100×30, watched through an emulator. Times are of `performance.now()`. */
export interface Screen {
  began: number;
  tree: Tree | undefined;
  firstByte: number;
  type(keys: string): void;
  /** Resolves with the time when the screen shows it. */
  shows(test: (text: string) => boolean, patience?: number): Promise<number>;
  lines(): string[];
  close(): Promise<void>;
}

/** Starts a program's screen; resolves at its first byte. */
export async function openScreen(ready: Ready): Promise<Screen> {
  const tree = openTree();
  const screen = emulator(100, 30);
  const [file = "", ...words] = [...(tree?.enter ?? ["/bin/sh", "-c", 'exec "$@"', "sh"]), ...ready.command];
  // What is typed before the program reads would be echoed by the terminal itself, which is no sign of it.
  const at = words.indexOf("-c") + 1;
  words[at] = `stty -echo; ${words[at]}`;
  const began = performance.now();
  const pty = spawn(file, [...words, ...(ready.program.screen ?? [])], {
    cols: 100,
    rows: 30,
    cwd: ready.place.folder,
    env: ready.env,
    name: "xterm-256color",
  });
  return watch(pty, screen, tree, began);
}

async function watch(pty: IPty, screen: Emulator, tree: Tree | undefined, began: number): Promise<Screen> {
  let over = false;
  let changed = () => {};
  const exited = new Promise<void>((resolve) => pty.onExit(() => resolve())).then(() => {
    over = true;
    changed();
  });
  const first = new Promise<number>((resolve) => {
    pty.onData((data) => {
      resolve(performance.now());
      void screen.write(data).then(() => changed());
    });
  });
  screen.onReply((data) => (over ? undefined : pty.write(data)));
  async function shows(test: (text: string) => boolean, patience = GIVE_UP_MS): Promise<number> {
    const until = performance.now() + patience;
    for (;;) {
      if (test(screen.screen().join("\n"))) return performance.now();
      const left = until - performance.now();
      if (over || left <= 0) throw new Error(`not seen:\n${screen.screen().join("\n").trim().slice(-600)}`);
      await Promise.race([new Promise<void>((resolve) => (changed = resolve)), sleep(left, undefined, { ref: false })]);
    }
  }
  return {
    began,
    tree,
    firstByte: await Promise.race([first, exited.then(() => Number.NaN)]),
    type: (keys) => pty.write(keys),
    shows,
    lines: () => screen.lines(),
    async close() {
      pty.kill("SIGTERM");
      await Promise.race([exited, sleep(2000)]);
      if (!over) pty.kill("SIGKILL");
      await tree?.close();
      await exited;
      screen.close();
    },
  };
}

/** Types until the program echoes; resolves with the time when what was typed stands on the screen. */
export async function usable(screen: Screen, ready: Ready): Promise<number> {
  for (const { seen, keys } of ready.program.before ?? []) {
    await screen.shows((text) => seen.test(text));
    screen.type(keys);
  }
  screen.type(TYPED);
  const again = setInterval(() => screen.type(TYPED), AGAIN_MS);
  try {
    return await screen.shows((text) => text.includes(TYPED));
  } finally {
    clearInterval(again);
  }
}

/** Milliseconds from each key to its echo. `pauseMs`: between one echo and the next key. */
export async function echoes(screen: Screen, count: number, pauseMs: number): Promise<number[]> {
  const times: number[] = [];
  // Each word is whole on the screen before the next key: letters alone could be part of anything.
  let typed = " vk";
  screen.type(typed);
  await screen.shows((text) => text.includes(typed.trim()));
  for (let i = 0; i < count; i++) {
    await sleep(pauseMs);
    const key = "wxhjqzvk"[i % 8] ?? "w";
    typed += key;
    const sent = performance.now();
    screen.type(key);
    times.push((await screen.shows((text) => text.includes(typed.trim()), 5000)) - sent);
  }
  return times;
}
