import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import type { Doctor } from "../commands/doctor.ts";
import type { HistoryFile } from "../input/history-file.ts";
import type { PickSource } from "../prompt/pick-acts.ts";
import type { SessionRow } from "../render/menu.ts";
import type { OutsideRun } from "../term/outside.ts";
import type { Theme } from "../theme.ts";
import type { Desk } from "./desk.ts";
import type { KeysNow } from "./own-keys.ts";
import type { ThemeControl } from "./theming.ts";

/** What the screen's logic is given. */
export interface ControllerOptions {
  clock: Clock;
  theme: Theme;
  home: string;
  version: string;
  /** Opens another session, or a copy of it, with this screen's asker; throws with a word for the person. */
  openOther(id: string, fork?: { before?: number }): Promise<Session>;
  /** What the picker shows. */
  sessions(): Promise<readonly SessionRow[]>;
  picking?: PickSource | undefined;
  /** Writes a session's conversation to a new file; gives its path. */
  exportTo(session: Session, format: string | undefined, file: string | undefined): Promise<string>;
  /** Runs the person's own shell command outside, with the terminal. */
  outside(command: string, cwd?: string): Promise<OutsideRun>;
  /** Shows a text in the person's own editor or pager, with the terminal; resolves with its exit code. */
  openText(text: string): Promise<number | null>;
  /** Marks at the begin of turns (OSC 133). */
  marks?: boolean;
  /** It makes something of links (OSC 8). */
  links?: boolean;
  /** It opens files of this machine by them. */
  fileLinks?: boolean;
  /** tmux stands between the screen and the terminal. */
  tmux?: boolean;
  /** The last row when it closes, where it isn't `agent --resume ID`. */
  next?: ((id: string) => string) | undefined;
  /** Tokens of a model's window, where known. */
  contextWindow?: ((model: string) => number | undefined) | undefined;
  /** Texts that wait are sent when the person stops what runs, instead of coming back to the composer. */
  sendAfterStop?: boolean;
  /** The person's own script for a second status row: facts in, its words out (F-2). */
  statusScript?: ((facts: string) => Promise<string | undefined>) | undefined;
  /** Typed on the command line: the first prompt. */
  first?: string | undefined;
  /** Sent texts of this project on disk (IN-8); without it they last as long as the screen. */
  history?: (Pick<HistoryFile, "entries" | "add"> & Partial<HistoryFile>) | undefined;
  /** The person's own editor, unsent texts, the Vim keys. */
  desk?: Desk | undefined;
  /** The clipboard's picture, or why there is none. */
  clipboard?: (() => Promise<Buffer | string>) | undefined;
  /** The terminal is restored; the program must end now. */
  exitHard(): void;
  /** The person's own keys; without them the defaults. */
  keys?: KeysNow | undefined;
  doctor?: Doctor | undefined;
  /** For `/theme`. */
  themes?: ThemeControl | undefined;
}
