import type { Readable, Writable } from "node:stream";
import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import type { Doctor } from "../commands/doctor.ts";
import type { SessionRow } from "../render/menu.ts";
import type { Welcome } from "../render/welcome.ts";
import type { OutsideRun } from "../term/outside.ts";

/** What the line front-end is given. */
export interface PlainOptions {
  stdin: Readable;
  stdout: Writable & { columns?: number };
  clock: Clock;
  welcome: Omit<Welcome, "mode" | "bypass" | "model" | "contained" | "why" | "folder">;
  openOther(id: string, fork?: { before?: number }): Promise<Session>;
  /** Sessions, newest first, for `/resume`. */
  sessions?(): Promise<readonly SessionRow[]>;
  /** The terminal takes OSC 133 marks and rings a bell: not a dumb one. */
  marks?: boolean;
  /** Writes a session's conversation to a new file; gives its path. */
  exportTo(session: Session, format: string | undefined, file: string | undefined): Promise<string>;
  doctor?: Doctor | undefined;
  /** The last row when it closes, where it isn't `agent --resume ID`. */
  next?: ((id: string) => string) | undefined;
  /** Runs the person's own shell command outside, with the terminal. */
  outside(command: string): Promise<OutsideRun>;
  /** Typed on the command line: the first prompt. */
  first?: string;
}
