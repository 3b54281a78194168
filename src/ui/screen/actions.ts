import type { Answer } from "../../permissions/asker.ts";
import type { OpenPrompt, ScreenState } from "./state.ts";

/** What keys bring about beyond the state: done by the screen, faked in tests. */
export interface Actions {
  /** A draft was sent: a prompt, a command, a shell line, or text that steers. */
  send(text: string): void;
  /** For after the running query. */
  sendLater(text: string): void;
  /** Enter on nothing: goes on with what was left unfinished. */
  goOn(): void;
  stop(): void;
  answer(open: Extract<OpenPrompt, { kind: "permission" }>, answer: Answer): void;
  /** Reads a file of the question that is not shown, and shows it. */
  openFile(open: Extract<OpenPrompt, { kind: "permission" }>, at: number): void;
  /** Tells why it asks, and what would have to be different. */
  explain(open: Extract<OpenPrompt, { kind: "permission" }>): void;
  /** The person runs the command themselves; what comes of it is the answer. */
  runSelf(open: Extract<OpenPrompt, { kind: "permission" }>): void;
  /** The model may see what the last `!!` said. */
  showOutput(): void;
  /** Tab in a `!` line. */
  completePath(): void;
  /** Ctrl-B: what runs is to go on in the background. */
  background(): void;
  /** Looks through the question's change set on the whole screen. */
  review?(open: Extract<OpenPrompt, { kind: "permission" }>): void;
  /** The question's proposed file in the person's own editor; what comes back is the answer. */
  rewrite?(open: Extract<OpenPrompt, { kind: "permission" }>): void;
  answerPerson(open: Extract<OpenPrompt, { kind: "person" }>, answer: string): void;
  nextMode(): void;
  /** Queued texts come back; the session gives up what it did not read. */
  takeBack(): readonly string[];
  expand(): void;
  /** The draft in the person's own editor (IN-16). */
  editDraft?(): void;
  repaint(): void;
  suspend(): void;
  exit(): void;
  /** Stopping hangs: the terminal is restored and the program ends. */
  exitHard(): void;
}

/** A new state, or the same when nothing changed. */
export type Change = (state: ScreenState) => ScreenState;
