import type { Answer, Asker, Question } from "../../permissions/asker.ts";
import { questionGone } from "../input/arming.ts";
import { fresh } from "../input/editor/edit.ts";
import type { Opened } from "../prompt/opened.ts";
import { openPermission } from "../prompt/permission.ts";
import { openPerson } from "../prompt/person.ts";
import type { Store } from "../store/store.ts";
import { hasDraft, type OpenPrompt, type ScreenState } from "./state.ts";

export interface Questions {
  asker: Asker;
  /** Answers the question and takes it off the screen. */
  answer(open: Extract<OpenPrompt, { kind: "permission" }>, answer: Answer): void;
  /** Reads a file of the question that is not shown, and shows it while the person looks at it. */
  openFile(open: Extract<OpenPrompt, { kind: "permission" }>, at: number): Promise<void>;
  answerPerson(open: Extract<OpenPrompt, { kind: "person" }>, answer: string | undefined): void;
}

/** The asker of a screen: questions wait in the store, one after another, until the person answers or the query is stopped. */
export function screenAsker(store: Store<ScreenState>, onQuestion: (question: Question) => void): Questions {
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
  return {
    asker: {
      ask(question, signal) {
        onQuestion(question);
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
      store.setNow((state) => ({
        ...state,
        prompts: state.prompts.map((open) => {
          if (open.key !== key || open.kind !== "permission" || open.prompt.opened?.at !== at) return open;
          return { ...open, prompt: { ...open.prompt, opened: { ...open.prompt.opened, ...got } } };
        }),
      }));
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
