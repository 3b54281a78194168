import type { Session } from "../../session/session.ts";
import type { PanelText } from "../prompt/panel.ts";
import type { Line } from "../render/spans.ts";
import type { ThemeControl } from "../screen/theming.ts";
import type { Doctor } from "./doctor.ts";
import type { Covers } from "../screen/covers.ts";

/** What a command may use of the screen or of the line front-end. */
export interface CommandContext {
  session: Session;
  /** Puts rows into the transcript. */
  say(rows: (width: number) => Line[]): void;
  /** The session picker, then the change to the chosen one; with an id at once. */
  resume(id?: string): Promise<void>;
  /** Goes on in a copy of this session, whole or up to before a message (its seq). */
  fork(before?: number): Promise<void>;
  /** Writes the conversation to a new file (in the folder, where none is named); gives its path. */
  exportTo(format: string | undefined, file: string | undefined): Promise<string>;
  /** Whether a name is a command of the program's own. */
  builtIn?: (this: void, name: string) => boolean;
  /** Rows about keys and commands. */
  help(width: number): Line[];
  /** Rows about every key as it is now; a front-end of lines has none. */
  keys?: (width: number) => Line[];
  /** The screen's colours; a front-end of lines has none. */
  theme?: ThemeControl | undefined;
  /** Shows rows and asks for one of some choices; undefined: the person left it. */
  choose(panel: PanelText): Promise<string | undefined>;
  /** Puts a text into the composer, where nothing is in it. */
  draft(text: string): void;
  /** Sends a text as a message: only a front-end of lines, which has no composer to put it into. */
  send?: (this: void, text: string) => void;
  /** Switches the Vim keys; says whether they are on. A front-end of lines has none. */
  vim?: () => boolean;
  /** Opens a file in the person's own editor; gives why it did not. A front-end of lines has none. */
  editFile?: ((path: string) => Promise<string | undefined>) | undefined;
  doctor?: Doctor | undefined;
  /** What tells the terminal. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  exit(): void;
  /** What covers the whole screen; a front-end of lines has none. */
  covers?: Pick<Covers, "transcript" | "text" | "copy" | "changes" | "clearScrollback">;
}

/** What the menu shows of a command, or of a skill. */
export type Listed = Pick<Command, "name" | "text" | "args" | "also">;

export interface Command {
  name: string;
  /** Other names that work and are not listed. */
  also?: readonly string[];
  /** What may follow, for the menu. */
  args?: string;
  text: string;
  /** Words that may follow, where `args` doesn't list them in small letters. */
  options?(): readonly string[];
  /** May run while a query runs. */
  always?: boolean;
  run(args: string, context: CommandContext): Promise<void>;
}
