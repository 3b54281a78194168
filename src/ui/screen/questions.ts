import type { Answer, Asker, Question } from "../../permissions/asker.ts";
import { questionGone } from "../input/arming.ts";
import { fresh } from "../input/editor/edit.ts";
import type { Opened } from "../prompt/opened.ts";
import { openPermission, type PermissionPrompt } from "../prompt/permission.ts";
import { openPerson } from "../prompt/person.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { cleanRow } from "../render/clean.ts";
import type { Store } from "../store/store.ts";
import type { OutsideRun } from "../term/outside.ts";
import { whyLines } from "../commands/permissions-rows.ts";
import type { Session } from "../../session/session.ts";
import type { Desk } from "./desk.ts";
import { hasDraft, type OpenPrompt, type ScreenState } from "./state.ts";

export interface Questions {
  asker: Asker;
  /** Answers the question and takes it off the screen. */
  answer(open: Extract<OpenPrompt, { kind: "permission" }>, answer: Answer): void;
  /** Reads a file of the question that is not shown, and shows it while the person looks at it. */
  openFile(open: Extract<OpenPrompt, { kind: "permission" }>, at: number): Promise<void>;
  /** Tells above the question why it asks, out of the session's log. */
  explain(open: Extract<OpenPrompt, { kind: "permission" }>, session: Pick<Session, "permissions">): void;
  /** The person runs the command in their own shell; what comes of it answers the question. */
  runSelf(
    open: Extract<OpenPrompt, { kind: "permission" }>,
    shell: { outside(command: string, cwd: string): Promise<OutsideRun> },
  ): Promise<void>;
  /** The proposed file in the person's own editor; where it comes back changed, that is the answer. */
  rewrite(open: Extract<OpenPrompt, { kind: "permission" }>, edit: Desk["edit"]): Promise<void>;
  /** Plan mode answers no; every other mode leaves a question open (P-8). */
  planned(): void;
  answerPerson(open: Extract<OpenPrompt, { kind: "person" }>, answer: string | undefined): void;
}

/** The asker of a screen: questions wait in the store, one after another, until the person answers or the query is stopped. */
export function screenAsker(
  store: Store<ScreenState>,
  onQuestion: (of: Pick<Question, "callId" | "diffs">) => void,
): Questions {
  let keys = 0;
  let asked = 0;
  const open = (make: (key: number) => OpenPrompt) => {
    const prompt = make(++keys);
    store.setNow((state) => ({
      ...state,
      prompts: [...state.prompts, prompt],
      // A question takes the search's place on screen, so it must not leave it the keys.
      search: undefined,
      editor: hasDraft(state) ? state.editor : fresh(state.editor),
      focused: state.prompts.length === 0 ? !hasDraft(state) : state.focused,
      arming: state.prompts.length === 0 ? questionGone(state.arming) : state.arming,
    }));
    return prompt.key;
  };
  const close = (key: number) =>
    store.setNow((state) => {
      const prompts = state.prompts.filter((prompt) => prompt.key !== key);
      if (prompts.length === state.prompts.length) return state;
      return {
        ...state,
        prompts,
        editor: hasDraft(state) ? state.editor : fresh(state.editor),
        focused: !hasDraft(state),
        again: undefined,
        arming: questionGone(state.arming),
      };
    });
  const waiting = <A>(
    signal: AbortSignal,
    aborted: A,
    make: (key: number, resolve: (answer: A) => void) => OpenPrompt,
  ) =>
    new Promise<A>((resolve) => {
      if (signal.aborted) return resolve(aborted);
      const onAbort = () => done(aborted);
      const key = open((k) => make(k, (answer) => done(answer)));
      function done(answer: A): void {
        signal.removeEventListener("abort", onAbort);
        close(key);
        resolve(answer);
      }
      signal.addEventListener("abort", onAbort);
    });
  const change = (key: number, to: (prompt: PermissionPrompt) => PermissionPrompt) =>
    store.setNow((state) => ({
      ...state,
      prompts: state.prompts.map((open) =>
        open.key === key && open.kind === "permission" ? { ...open, prompt: to(open.prompt) } : open,
      ),
    }));
  return {
    asker: {
      together: () => true,
      ask(question, signal) {
        // Each call's card shows its own lines.
        for (const one of question.together ?? [question]) onQuestion(one);
        return waiting<Answer>(signal, { kind: "no" }, (key, resolve) => ({
          kind: "permission",
          key,
          n: (asked = store.get().prompts.length === 0 ? 1 : asked + 1),
          prompt: openPermission(question),
          resolve,
        }));
      },
      askPerson: (question, signal) =>
        waiting<string | undefined>(signal, undefined, (key, resolve) => ({
          kind: "person",
          key,
          prompt: openPerson(question),
          resolve,
        })),
    },
    answer: (prompt, answer) => prompt.resolve(answer),
    async openFile({ key, prompt: { question } }, at) {
      const got = await opened(question, at);
      change(key, (prompt) =>
        prompt.opened?.at === at ? { ...prompt, opened: { ...prompt.opened, ...got } } : prompt,
      );
    },
    explain({ key, prompt: { question } }, session) {
      const why = session.permissions().why(question.callId);
      const explained = (width: number) => (why === undefined ? reasonRows(question, width) : whyLines(why, width));
      change(key, (prompt) => ({ ...prompt, explained }));
    },
    async runSelf(open, shell) {
      const { key, prompt } = open;
      const { question } = prompt;
      if (question.command === undefined) return;
      try {
        open.resolve({ kind: "self", ...(await shell.outside(question.command.text, question.command.cwd)) });
      } catch (error) {
        const hint = `It could not be run: ${error instanceof Error ? error.message : String(error)}`;
        change(key, (now) => ({ ...now, hint }));
      }
    },
    async rewrite(open, edit) {
      const { proposed } = open.prompt.question;
      if (proposed === undefined) return;
      const got = await rewritten(proposed, edit);
      if ("hint" in got) return change(open.key, (now) => ({ ...now, hint: got.hint }));
      // The words of a review may have come meanwhile.
      const now = store.get().prompts.find(({ key }) => key === open.key);
      const comment = now?.kind === "permission" ? now.prompt.comment : undefined;
      open.resolve({ kind: "rewrite", text: got.text, ...(comment === undefined ? {} : { note: comment }) });
    },
    planned() {
      for (const open of store.get().prompts)
        if (open.kind === "permission") open.resolve({ kind: "no", note: "switched to plan mode" });
    },
    answerPerson: (prompt, answer) => prompt.resolve(answer),
  };
}

/** What opening came to; a file that can't be read says why. */
async function opened(question: Question, at: number): Promise<Partial<Opened>> {
  try {
    const file = await question.open?.(at);
    return file === undefined ? { failed: "it can't be opened here" } : { file };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** What the editor gave back, or why there is nothing to answer with. */
async function rewritten(
  proposed: NonNullable<Question["proposed"]>,
  edit: Desk["edit"],
): Promise<{ text: string } | { hint: string }> {
  try {
    const before = await proposed.text();
    const edited = await edit(before, proposed.path);
    if ("failed" in edited) return { hint: edited.failed };
    return edited.text === before ? { hint: "The file came back as it was: nothing is answered" } : edited;
  } catch (error) {
    return { hint: `It can't be edited: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Of what no call of the log is behind, such as a review. */
function reasonRows({ decision }: Question, width: number): Line[] {
  return wrap(line(cleanRow(`${decision.risk} risk: ${decision.reason}`)), { width });
}
