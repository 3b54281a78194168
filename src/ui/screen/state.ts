import type { Answer } from "../../permissions/asker.ts";
import { type Arming, UNARMED } from "../input/arming.ts";
import { EMPTY, type EditorState } from "../input/editor/buffer.ts";
import type { Listed } from "../commands/command.ts";
import type { FoundFiles } from "../input/complete/menu.ts";
import type { HistoryEntry, Recall } from "../input/editor/history.ts";
import type { Search } from "../input/editor/search.ts";
import type { Vim } from "../input/vim/state.ts";
import { NO_STOP, type StopState } from "../input/stopping.ts";
import type { PermissionPrompt } from "../prompt/permission.ts";
import type { Panel } from "../prompt/panel.ts";
import type { Pick, PickAct } from "../prompt/pick.ts";
import type { PersonPrompt } from "../prompt/person.ts";
import type { ControllerOptions } from "./options.ts";
import type { Resizing } from "./resizing.ts";
import { NO_VIEW, type View } from "../store/view.ts";

/** A question that waits for the person; the first of the list is on screen. */
export type OpenPrompt =
  /** `n`: its place among those that came while others were open; the newest one's is how many they are (P-7). */
  | { kind: "permission"; key: number; n?: number; prompt: PermissionPrompt; resolve(answer: Answer): void }
  | { kind: "person"; key: number; prompt: PersonPrompt; resolve(answer: string | undefined): void };

/** Everything that the region shows. One immutable value; keys and events make a new one. */
export interface ScreenState {
  view: View;
  editor: EditorState;
  /** The Vim keys are on (IN-7). */
  vim?: Vim | undefined;
  /** A draft that Ctrl-S put aside (IN-17). */
  stash?: HistoryEntry | undefined;
  /** Sent texts, newest last, and where Up has got to. */
  history: { entries: readonly HistoryEntry[]; recall?: Recall | undefined };
  /** Sent in this session, newest last. */
  sentHere: readonly HistoryEntry[];
  /** Sent in other projects: read when it is looked through. */
  sentElsewhere?: (() => readonly HistoryEntry[]) | undefined;
  /** Ctrl-R is open. */
  search?: Search | undefined;
  prompts: readonly OpenPrompt[];
  /** The first prompt takes the keys; else they go to the draft (P-5). */
  focused: boolean;
  /** The key that came too early and stands alone in the draft: pressed again it answers. */
  again?: string | undefined;
  arming: Arming;
  stop: StopState;
  /** Keys of a chord that waits for its next one. */
  chord?: string;
  /** What the person chose in the completion menu; `closed`: by Esc, for this draft. */
  menu: { chosen?: number; closed?: string };
  /** Files that fit what is typed behind `@`. */
  files?: FoundFiles | undefined;
  /** Skills that the person may name, for the menu behind `/`. */
  skills?: readonly Listed[] | undefined;
  /** A picture is wanted: of the clipboard, or the one that this paste may name (IN-15). */
  incoming?: { paste?: string } | undefined;
  picker?: { pick: Pick; resolve(id: string | undefined): void; act(act: PickAct): void };
  /** Choices with something to read before (a rewind); takes all keys. */
  panel?: { panel: Panel; openedAt: number; resolve(id: string | undefined): void };
  /** What the last `!!` said, which Tab lets the model see; `at`: since when. */
  offer?: { command: string; exit: number | null; output: string; at: number } | undefined;
  toast?: { text: string; until: number } | undefined;
  todo: boolean;
  /** How the tail is shown after the window changed (B9). */
  resizing?: Resizing | undefined;
  /** Texts that the session has not read yet, and those for after the query. */
  queued: readonly string[];
  later: readonly string[];
  /** A query or command runs. */
  busy: boolean;
  /** Esc was pressed and the query has not ended yet. */
  stopping: boolean;
  now: number;
  tick: number;
  /** The branch, with a star where files differ from git's; and what the person's own script says (F-2). */
  branch?: string | undefined;
  statusWords?: string | undefined;
  /** Less motion: a still sign, a step a second (F-4). */
  calm?: boolean | undefined;
  usd?: number | undefined;
}

/** Nothing on screen yet. */
export const NO_SCREEN: ScreenState = {
  view: NO_VIEW,
  editor: EMPTY,
  history: { entries: [] },
  sentHere: [],
  prompts: [],
  focused: false,
  arming: UNARMED,
  stop: NO_STOP,
  menu: {},
  todo: true,
  queued: [],
  later: [],
  busy: false,
  stopping: false,
  now: 0,
  tick: 0,
};

/** Nothing on screen yet, and what was sent before. */
export function firstScreen(history: ControllerOptions["history"]): ScreenState {
  if (history === undefined) return NO_SCREEN;
  return { ...NO_SCREEN, history: { entries: history.entries() }, sentElsewhere: history.others };
}

/** Blanks alone are no draft: nobody sees them, so they keep no keys from a question (P-5). */
export function hasDraft({ editor }: ScreenState): boolean {
  return editor.text.trim() !== "";
}
