import type { Answer, Asker, Question } from "../permissions/asker.ts";
import { answerOf, putQuestion } from "./asker.ts";
import { titleOf } from "./call.ts";
import { type Editor, orAborted } from "./editor.ts";
import { answerIn, formOf } from "./person.ts";

/** What an asker knows of the session that it asks for; the session is opened with it, and comes later. */
export interface AskPlace {
  sessionId: () => string;
  /** Absolute paths of the roots, by their number. */
  roots: () => readonly string[];
}

/**
 * Asks the person through the editor. Whatever goes wrong on the way is a no: an editor that is gone, an answer that is none of the
 * choices, an error. A question that is no longer waited for is answered by nobody's yes (P5).
 */
export function editorAsker(editor: Editor, place: AskPlace): Asker {
  return {
    async ask(question: Question, signal: AbortSignal): Promise<Answer> {
      const id = callName(question);
      const stop = AbortSignal.any([signal, editor.gone]);
      const put = putQuestion(question, id, question.where ?? place.roots());
      try {
        if (question.agent !== undefined || question.review !== undefined) await announce(editor, question, id);
        const response = await orAborted(editor.askPermission(put.request, stop), stop);
        const answer = answerOf(put, response);
        await told(editor, question, id, answer.kind === "yes");
        return answer;
      } catch (error) {
        await told(editor, question, id, false);
        if (editor.gone.aborted) return { kind: "nobody", reason: "the editor is gone" };
        if (signal.aborted) return { kind: "no" };
        const why = error instanceof Error ? error.message : String(error);
        return { kind: "nobody", reason: `the editor could not ask: ${why.slice(0, 200)}` };
      }
    },
    async askPerson(question, signal) {
      if (editor.askForm === undefined) return undefined;
      const stop = AbortSignal.any([signal, editor.gone]);
      try {
        return answerIn(question, await orAborted(editor.askForm(formOf(question, place.sessionId()), stop), stop));
      } catch {
        return undefined;
      }
    },
  };
}

/** A sub-agent's call has a name of its own: ids count within one session. */
export function callName({ callId, agent }: Pick<Question, "callId" | "agent">): string {
  return agent === undefined ? callId : `${agent}:${callId}`;
}

/** Of a call that the editor has not heard of. */
async function announce(editor: Editor, { effect, agent }: Question, toolCallId: string): Promise<void> {
  const title = titleOf(agent === undefined ? effect.tool : `${agent}: ${effect.tool}`, { name: effect.subject });
  await editor.tell({ sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "pending" });
}

async function told(editor: Editor, { agent, review }: Question, toolCallId: string, yes: boolean): Promise<void> {
  if (agent === undefined && review === undefined) return;
  await editor.tell({ sessionUpdate: "tool_call_update", toolCallId, status: yes ? "completed" : "failed" });
}
