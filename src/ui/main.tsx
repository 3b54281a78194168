import { writeSync } from "node:fs";
import type { Asker } from "../permissions/asker.ts";
import type { Session } from "../session/session.ts";
import type { SettingsFile } from "../session/settings-schema.ts";
import type { Clock } from "../util/deps.ts";
import { boot, type Boot } from "./boot.ts";
import type { HistoryFile } from "./input/history-file.ts";
import type { PickSource } from "./prompt/pick-acts.ts";
import type { SessionRow } from "./render/menu.ts";
import { isTiny } from "./render/frame.ts";
import { BYPASS, modeWords } from "./render/status.ts";
import { Controller } from "./screen/controller.ts";
import type { Doctor } from "./commands/doctor.ts";
import type { Desk } from "./screen/desk.ts";
import { broughtBack, type DraftKeeper, keepDrafts } from "./screen/draft-keeper.ts";
import { toggledVim } from "./screen/vim-keys.ts";
import { inkDisplay } from "./screen/ink.tsx";
import type { Attention } from "./screen/attention.ts";
import { createOwnKeys } from "./screen/own-keys.ts";
import { createTheming } from "./screen/theming.ts";
import { askTerminal, type TerminalTalk, windowAttention, type WindowSettings } from "./screen/window.ts";
import type { ControllerOptions } from "./screen/options.ts";
import type { OutsideRun } from "./term/outside.ts";
import { cursorStaysIn } from "./term/caps.ts";
import { knowsLinks, opensFiles } from "./term/links.ts";
import { handleSignals, stopProcess } from "./term/signals.ts";
import { themeFor } from "./theme.ts";

export interface ScreenOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  version: string;
  /** Opens another session, or a copy of it, with this screen's asker; throws with a word for the person. */
  openOther(id: string, fork?: { before?: number }): Promise<Session>;
  /** Sessions, newest first, for `/resume`. */
  sessions(): Promise<readonly SessionRow[]>;
  /** What its picker learns of them behind the list, and does with them. */
  picking?: PickSource | undefined;
  /** Writes a session's conversation to a new file; gives its path. */
  exportTo(session: Session, format: string | undefined, file: string | undefined): Promise<string>;
  /** `!!command`: the person's own shell, outside, with the terminal. */
  outside(command: string, cwd?: string): Promise<OutsideRun>;
  /** Ends the program at once; the terminal is restored already. */
  exit(code: number): void;
  /** Tokens of a model's window, where known. */
  contextWindow?: ((model: string) => number | undefined) | undefined;
  /** A prompt from the command line. */
  first?: string | undefined;
  /** Sent texts of this project on disk: `openHistory` of input/history-file.ts. */
  history?: (Pick<HistoryFile, "entries" | "add"> & Partial<HistoryFile>) | undefined;
  /** The last row when the screen closes, where it isn't `agent --resume ID`. */
  next?: ((id: string) => string) | undefined;
  /** Settings about colours and the window, and where the person's own keys and themes lie; without them the defaults. */
  look?: Look | undefined;
  /** What `agent doctor` says of this machine. */
  doctor?: Doctor | undefined;
  /** Settings about what is seen while it works. */
  screen?: NonNullable<SettingsFile["screen"]> | undefined;
  /** The person's own editor, unsent texts, the Vim keys. */
  desk?: Desk | undefined;
  /** What painted first and took over the terminal; without it the screen does so when it runs. */
  boot?: Boot | undefined;
}

/** `saveTheme`: keeps a theme's name in the person's settings, gives the file. */
export interface Look {
  theme: string;
  terminal: WindowSettings;
  configDir: string;
  saveTheme?: ((name: string) => Promise<string>) | undefined;
}

export interface Screen {
  /** For `openSession`: questions appear on this screen. */
  asker: Asker;
  /** Shows the session until the person leaves, closes it (or the one that took its place), gives the exit code. */
  run(session: Session): Promise<number>;
  /** The terminal is gone: as if the person left. For a `boot` that was made outside. */
  leave(): void;
}

/** The interactive screen (U1). Without a `boot` nothing is read or written before `run`. */
export function createScreen(options: ScreenOptions): Screen {
  const { env, clock } = options;
  let shell = options.boot;
  let drafts: DraftKeeper | undefined;
  const restore = () => {
    drafts?.flush();
    shell?.out.close();
    shell?.modes.restoreSync();
  };
  const { theme: chosen = "auto", terminal: window = {}, configDir = "/", saveTheme } = options.look ?? {};
  const themes = createTheming(env, chosen, configDir, saveTheme);
  const keys = createOwnKeys(configDir);
  const ask = ({ out }: Boot) =>
    askTerminal(out, clock, (word) => {
      themes.tell(word);
      keys.tell(word);
    });
  // As early as can be: by the time that the screen is there it has answered.
  let talk = shell === undefined ? undefined : ask(shell);
  const controller = new Controller({
    clock,
    theme: themes.theme,
    themes,
    doctor: options.doctor,
    keys,
    home: env["HOME"] ?? "",
    version: options.version,
    openOther: (id, fork) => options.openOther(id, fork),
    sessions: () => options.sessions(),
    picking: options.picking,
    clipboard: async () => (await import("./term/clipboard-image.ts")).clipboardImage(env, process.platform),
    exportTo: (session, format, file) => options.exportTo(session, format, file),
    outside: (command, cwd) => options.outside(command, cwd),
    openText: async (text) => {
      const { viewOutside } = await import("./term/viewer.ts");
      return viewOutside(text, { cwd: options.env["PWD"] ?? "/", env });
    },
    // WezTerm takes the mark for the begin of an input line, and lets nothing be written there.
    marks: env["TERM_PROGRAM"] !== "WezTerm" && (env["WEZTERM_PANE"] ?? "") === "",
    links: knowsLinks(env),
    fileLinks: opensFiles(env),
    tmux: (env["TMUX"] ?? "") !== "",
    sendAfterStop: options.screen?.afterStop === "send",
    statusScript: statusScript(options),
    contextWindow: options.contextWindow,
    first: options.first,
    history: options.history,
    next: options.next,
    desk: options.desk,
    exitHard() {
      restore();
      options.exit(130);
    },
  });
  if (options.screen?.reducedMotion === true) controller.store.setNow((state) => ({ ...state, calm: true }));
  if (options.desk?.vim === true) controller.store.setNow(toggledVim);
  return {
    asker: controller.asker,
    leave: () => controller.leave(),
    async run(session) {
      const terminal = (shell ??= bootHere(options, session, () => controller.leave()));
      talk ??= ask(terminal);
      const attention = windowAttention(window, env, { ...terminal, clock });
      controller.store.subscribe(() => attention.follow(controller.store.get()));
      const started = () => {
        for (const problem of themes.problems) controller.notice(problem);
        if (options.look !== undefined) keys.start(controller.notice);
      };
      const kept = options.desk?.drafts;
      drafts = kept === undefined ? undefined : keepDrafts(controller.store, kept, () => session.id);
      const keep = () => drafts?.keep();
      const ended = show(terminal, session, controller, options, { talk, attention, started, keep });
      const offSignals = handleSignals({
        restore: () => {
          terminal.modes.restoreSync();
          drafts?.flush();
        },
        clear: () => terminal.out.close(),
        finish: async () => {
          controller.leave();
          await ended;
        },
        exit: (code) => options.exit(code),
        suspend: () => controller.suspend(),
      });
      try {
        await ended;
      } finally {
        keys.close();
        restore();
        offSignals();
      }
      return 0;
    },
  };
}

interface Around {
  talk: TerminalTalk;
  attention: Attention;
  started: () => void;
  /** Unsent texts are on the disk before the terminal is given away. */
  keep: () => void;
}

async function show(
  terminal: Boot,
  session: Session,
  controller: Controller,
  options: ScreenOptions,
  { talk, attention, started, keep }: Around,
): Promise<void> {
  const { out, reader, modes } = terminal;
  const display = inkDisplay(out, options.stdin, {
    off() {
      keep();
      reader.pause();
      modes.off();
    },
    on() {
      modes.on();
      reader.resume();
      attention.again();
    },
    alternate: (on) => (on ? modes.enable("alternate") : modes.disable("alternate")),
    stop: stopProcess,
  });
  // Another reader (the session picker) may have left the input paused.
  reader.resume();
  out.onWritten((at) => controller.written(at));
  const tell = onceTiny(out, controller.notice);
  tell();
  out.onResize((spilt) => {
    controller.resized(spilt);
    tell();
  });
  terminal.onReply((event) => talk.hear([event]));
  await talk.answered;
  const left = controller.run(session, display);
  started();
  // Only now: what was typed ahead is for a screen that is there.
  terminal.handOver((events) => {
    talk.hear(events);
    for (const event of events) if (event.kind === "focus") attention.focus(event.on);
    controller.input(events);
  });
  const unsent = options.desk?.drafts?.take(session.id);
  if (unsent !== undefined) controller.store.setNow((state) => broughtBack(state, unsent, options.clock.now()));
  const last = await left;
  reader.close();
  modes.restoreSync();
  await last.close();
}

/** Says once that the window is too small for more than a row to write on (N-9). */
function onceTiny(out: Boot["out"], notice: (words: string) => void): () => void {
  let told = false;
  return () => {
    if (told || !isTiny(out.columns, out.rows)) return;
    told = true;
    notice("This window has room for one row to write on. From 20 × 4 on there is more, from 40 × 12 all of it.");
  };
}

function statusScript({ screen, env }: ScreenOptions): ControllerOptions["statusScript"] {
  const command = screen?.statusLine?.command;
  if (command === undefined) return undefined;
  return async (facts) => {
    const { runStatusScript } = await import("./term/status-script.ts");
    return runStatusScript(command, facts, { cwd: env["PWD"] ?? "/", env });
  };
}

function bootHere(options: ScreenOptions, session: Session, leave: () => void): Boot {
  const { stdin, stdout, clock } = options;
  const { mode, bypass } = session.state();
  const fd = "fd" in stdout && typeof stdout.fd === "number" ? stdout.fd : 1;
  return boot({
    stdin,
    stdout,
    clock,
    writeSync: (data) => void writeSync(fd, data),
    status: bypass ? `${BYPASS} ${modeWords(mode)}` : modeWords(mode),
    paint: bypass ? (text) => themeFor(options.env).paint("bypass", text) : undefined,
    cursorStays: cursorStaysIn(options.env),
    onGone: leave,
    onInterrupt: () => options.exit(130),
  });
}
