import type { Session } from "../../session/session.ts";
import { lastAnswer } from "../commands/transcript.ts";
import type { CommandContext } from "../commands/command.ts";
import type { DraftFile } from "../input/draft-file.ts";
import type { Store } from "../store/store.ts";
import type { Edited } from "../term/editor.ts";
import { editDraft } from "./edit-draft.ts";
import type { ControllerOptions } from "./options.ts";
import type { Questions } from "./questions.ts";
import type { OpenPrompt, ScreenState } from "./state.ts";
import { toggledVim } from "./vim-keys.ts";

/** What whoever writes has beyond keys. */
export interface Desk {
  /** The Vim keys are on from the start (IN-7). */
  vim?: boolean | undefined;
  /** The last answer goes into the editor with the draft, as a comment. */
  lastAnswer?: boolean | undefined;
  /** Opens a text in the person's own editor, with the terminal (IN-16). `path`: of the file that it is to be, by whose name an editor knows its language. */
  edit(text: string, path?: string): Promise<Edited>;
  /** Opens a file of the person's in it; gives why it did not. */
  open?(path: string): Promise<string | undefined>;
  /** Unsent texts on disk (IN-17). */
  drafts?: DraftFile | undefined;
  /** What tells the terminal, for `/terminal-setup`. */
  env: Readonly<Record<string, string | undefined>>;
}

/** What commands may do about the composer. */
export function deskCommands(
  store: Store<ScreenState>,
  { desk }: Pick<ControllerOptions, "desk">,
  lend: <R>(run: () => Promise<R>) => Promise<R>,
): Pick<CommandContext, "vim" | "env" | "editFile"> {
  const vim = () => {
    store.setNow(toggledVim);
    return store.get().vim !== undefined;
  };
  const editFile = desk?.open === undefined ? undefined : (path: string) => lend(async () => desk.open?.(path));
  return { vim, env: desk?.env, editFile };
}

/** Ctrl-G. */
export function editHere(
  store: Store<ScreenState>,
  { desk, clock }: Pick<ControllerOptions, "desk" | "clock">,
  lend: <R>(run: () => Promise<R>) => Promise<R>,
  session: Session,
): Promise<void> {
  if (desk === undefined) return Promise.resolve();
  const answer = desk.lastAnswer === true ? lastAnswer(session.state()) : undefined;
  return editDraft(
    store,
    (text) => lend(() => desk.edit(text)),
    answer,
    () => ({ at: clock.now(), width: 80 }),
  );
}

/** `e` at a question about a file. */
export function rewriteHere(
  open: Extract<OpenPrompt, { kind: "permission" }>,
  questions: Questions,
  { desk }: Pick<ControllerOptions, "desk">,
  lend: <R>(run: () => Promise<R>) => Promise<R>,
): Promise<void> {
  return desk === undefined
    ? Promise.resolve()
    : questions.rewrite(open, (text, path) => lend(() => desk.edit(text, path)));
}
