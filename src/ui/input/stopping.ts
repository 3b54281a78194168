/** What is on the screen when Esc, Ctrl-C or Ctrl-D is pressed. */
export interface Situation {
  menu: boolean;
  search: boolean;
  overlay: boolean;
  prompt: "none" | "unfocused" | "focused";
  /** A query runs. */
  running: boolean;
  /** The draft is not empty. */
  draft: boolean;
}

/** What was pressed lately. Times are the clock's milliseconds. */
export interface StopState {
  /** An Esc with nothing to close, which a second one makes a double Esc. */
  escAt?: number | undefined;
  /** The key that exits when it comes again, and when it was pressed. */
  exit?: { key: "ctrl+c" | "ctrl+d"; at: number } | undefined;
  /** Ctrl-C presses of the last two seconds. */
  interrupts: readonly number[];
}
export const NO_STOP: StopState = { interrupts: [] };

export type StopAct =
  | "close-menu"
  | "close-search"
  | "close-overlay"
  | "focus-prompt"
  | "answer-no"
  /** Stop the running query. */
  | "stop"
  /** Clear the draft, into the history for Esc, undoable for Ctrl-C. */
  | "clear"
  | "rewind"
  /** Say "Esc again to …" or "… again to exit". */
  | "arm"
  | "exit"
  /** Stopping hangs: exit now, terminal restored. */
  | "exit-hard"
  | "none";

const DOUBLE_ESC_MS = 500;
const EXIT_MS = 1500;
const HARD_MS = 2000;

/** Esc: one press does one thing, the nearest; twice on nothing clears the draft or opens rewind. */
export function pressEsc(state: StopState, now: Situation, at: number): { act: StopAct; state: StopState } {
  const closes = closing(now);
  if (closes !== undefined) return { act: closes, state: { ...state, escAt: undefined, exit: undefined } };
  const double = state.escAt !== undefined && at - state.escAt <= DOUBLE_ESC_MS;
  if (!double) return { act: "arm", state: { ...state, escAt: at, exit: undefined } };
  return { act: now.draft ? "clear" : "rewind", state: { ...state, escAt: undefined, exit: undefined } };
}

function closing(now: Situation): StopAct | undefined {
  if (now.menu) return "close-menu";
  if (now.search) return "close-search";
  if (now.overlay) return "close-overlay";
  if (now.prompt === "unfocused") return "focus-prompt";
  if (now.prompt === "focused") return "answer-no";
  return now.running ? "stop" : undefined;
}

/** Ctrl-C: stop, else clear, else exit on the second within 1.5 s; the third within 2 s of a stop that hangs exits hard. */
export function pressInterrupt(state: StopState, now: Situation, at: number): { act: StopAct; state: StopState } {
  const interrupts = [...state.interrupts.filter((t) => at - t <= HARD_MS), at];
  const next: StopState = { interrupts, escAt: undefined, exit: undefined };
  if (now.running) return { act: interrupts.length >= 3 ? "exit-hard" : "stop", state: next };
  if (now.search) return { act: "close-search", state: next };
  if (now.overlay) return { act: "close-overlay", state: next };
  if (now.draft) return { act: "clear", state: next };
  return again({ ...next, exit: state.exit }, "ctrl+c", at);
}

/** Ctrl-D: on an empty draft as Ctrl-C; otherwise it deletes, which is the editor's. */
export function pressEnd(state: StopState, now: Situation, at: number): { act: StopAct; state: StopState } {
  if (now.draft || now.running || now.overlay || now.search || now.prompt !== "none") return { act: "none", state };
  return again(state, "ctrl+d", at);
}

/** Never exits with one key. */
function again(state: StopState, key: "ctrl+c" | "ctrl+d", at: number): { act: StopAct; state: StopState } {
  const { exit } = state;
  const second = exit !== undefined && exit.key === key && at - exit.at <= EXIT_MS;
  return {
    act: second ? "exit" : "arm",
    state: { ...state, escAt: undefined, exit: second ? undefined : { key, at } },
  };
}

/** Any other key: what was armed is no more. */
export function pressOther(state: StopState): StopState {
  return state.escAt === undefined && state.exit === undefined ? state : { interrupts: state.interrupts };
}
