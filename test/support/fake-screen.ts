import { createTokenizer } from "../../src/ui/input/tokenizer.ts";
import type { Display } from "../../src/ui/screen/display.ts";
import { Controller } from "../../src/ui/screen/controller.ts";
import type { ControllerOptions } from "../../src/ui/screen/options.ts";
import { plainTheme } from "../../src/ui/theme.ts";
import type { Painted } from "../../src/ui/views/App.tsx";
import { playScript } from "./fake-script.ts";
import { type FakeOptions, fakeSession } from "./fake-session.ts";

export interface FakeScreen {
  controller: Controller;
  session: ReturnType<typeof fakeSession>;
  /** Rows of the region as they are now. */
  region(): string[];
  /** Every row that went into the transcript. */
  above: string[];
  /** Types bytes in one read; `ms` pass on the screen's clock before it. */
  type(bytes: string, ms?: number): Promise<void>;
  /** Lets pending work happen until `until` holds. */
  settle(until: () => boolean): Promise<void>;
  ended: Promise<unknown>;
  hard: { exits: number };
  /** Rows of what covers the whole screen; undefined while nothing does. */
  cover(): readonly string[] | undefined;
  /** Sequences that show nothing: clipboard, marks. */
  asides: string[];
}

/** The screen's own logic over a scripted session, without a terminal: frames are kept, the clock is the test's. */
export function fakeScreen(
  options: Partial<FakeOptions & ControllerOptions> & { cols?: number; rows?: number } = {},
): FakeScreen {
  let now = 1_000_000;
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const hard = { exits: 0 };
  const controller = new Controller({
    clock,
    theme: plainTheme,
    home: "/home/p",
    version: "0.1.0",
    openOther: async (id) => fakeSession({ asker: controller.asker, script: playScript, id }),
    exportTo: () => Promise.resolve("/tmp/talk.md"),
    sessions: async () => [{ id: "s_other", title: "Other", folder: "/p", age: 0, prompts: 1 }],
    outside: async () => ({ exit: 0 }),
    openText: async () => 0,
    exitHard: () => void hard.exits++,
    ...options,
  });
  const session = fakeSession({ script: playScript, ...options, asker: controller.asker });
  const above: string[] = [];
  const asides: string[] = [];
  let region: Painted | undefined;
  let cover: readonly string[] | undefined;
  const draw = (rows: readonly string[], next: Painted) => {
    above.push(...rows);
    region = next;
    controller.written(now);
  };
  const display: Display = {
    size: () => ({ cols: options.cols ?? 80, rows: options.rows ?? 24 }),
    paint: draw,
    repaint: draw,
    lend: (run) => run(),
    suspend: () => {},
    cover: (rows) => void (cover = rows),
    uncover: () => void (cover = undefined),
    aside: (sequence) => void asides.push(sequence),
    close: (rows) => void above.push(...rows),
  };
  const tokenizer = createTokenizer();
  const breathe = () => new Promise((resolve) => setTimeout(resolve, 1));
  const ended = controller.run(session, display);
  return {
    controller,
    session,
    above,
    ended,
    hard,
    asides,
    cover: () => cover,
    region: () =>
      region === undefined
        ? []
        : [region.tail, region.tools, region.todo, region.queue, region.main, region.menu, region.status].flat(),
    async type(bytes, ms = 1000) {
      now += ms;
      controller.input(tokenizer.feed(Buffer.from(bytes), now));
      controller.input(tokenizer.flush(now + 5000));
      await breathe();
      controller.store.flushNow();
    },
    async settle(until) {
      for (let turn = 0; turn < 5000 && !until(); turn++) {
        await breathe();
        controller.store.flushNow();
      }
      if (!until())
        throw new Error(
          `never came: ${until.toString()}\n${above.slice(-15).join("\n")}\n-- region\n${region?.main.join("\n")}`,
        );
    },
  };
}
