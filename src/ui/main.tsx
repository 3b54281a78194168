import type { Asker } from "../permissions/asker.ts";
import type { Session } from "../session/session.ts";
import type { Clock } from "../util/deps.ts";
import { readInput } from "./input/reader.ts";
import { Controller } from "./screen/controller.ts";
import { inkDisplay, type TerminalModes } from "./screen/ink.tsx";
import type { SessionRow } from "./render/menu.ts";
import { createOut } from "./term/out.ts";
import { colourDepth, lightBackground, makeTheme } from "./theme.ts";

export interface ScreenOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  version: string;
  /** Opens another session with this screen's asker; throws with a word for the person. */
  openOther(id: string): Promise<Session>;
  /** Sessions of this folder, newest first, for `/resume`. */
  sessions(): Promise<readonly SessionRow[]>;
  /** `!!command`: the person's own shell, outside, with inherited stdio; resolves with its exit code. */
  outside(command: string): Promise<number | null>;
  /** Ends the program at once; the terminal is restored already. */
  exit(code: number): void;
  /** Tokens of a model's window, where known. */
  contextWindow?: ((model: string) => number | undefined) | undefined;
  /** A prompt from the command line. */
  first?: string | undefined;
}

export interface Screen {
  /** For `openSession`: questions appear on this screen. */
  asker: Asker;
  /** Shows the session until the person leaves, closes it (or the one that took its place), gives the exit code. */
  run(session: Session): Promise<number>;
}

/** The interactive screen (U1). Nothing is read or written before `run`. */
export function createScreen(options: ScreenOptions): Screen {
  const { env, clock } = options;
  const theme = makeTheme({ depth: colourDepth(env), light: lightBackground(env) });
  let restore = () => {};
  const controller = new Controller({
    clock,
    theme,
    home: env["HOME"] ?? "",
    version: options.version,
    openOther: (id) => options.openOther(id),
    sessions: () => options.sessions(),
    outside: (command) => options.outside(command),
    contextWindow: options.contextWindow,
    first: options.first,
    exitHard() {
      restore();
      options.exit(130);
    },
  });
  return {
    asker: controller.asker,
    async run(session) {
      const { stdin, stdout } = options;
      const out = createOut(stdout, { clock, onGone: () => controller.leave() });
      const reader = readInput(stdin, clock, () => controller.leave());
      const modes: TerminalModes = {
        off() {
          reader.pause();
          stdin.setRawMode(false);
          out.suspend();
        },
        on() {
          stdin.setRawMode(true);
          reader.resume();
        },
        stop: () => process.kill(process.pid, "SIGTSTP"),
      };
      restore = () => {
        out.close();
        stdin.setRawMode(false);
      };
      stdin.setRawMode(true);
      out.onWritten((at) => controller.written(at));
      out.onResize(() => controller.resized());
      reader.listen((events) => controller.input(events));
      const last = await controller.run(session, inkDisplay(out, stdin, modes));
      reader.close();
      stdin.setRawMode(false);
      await last.close();
      return 0;
    },
  };
}
