import type { Mode } from "../../src/events/effect.ts";
import { isFact, type LogEvent } from "../../src/events/event.ts";
import type { Model } from "../../src/model/model.ts";
import type { Answer, Question } from "../../src/permissions/asker.ts";
import { questionText } from "../../src/permissions/question-text.ts";
import type { ChangeReport, Session } from "../../src/session/session.ts";
import { collect, openAt, type Place, type SessionInput } from "./open-at.ts";

/** What one call of a tool came to: the question it asked, if any, and what the model was told. */
export interface Done {
  asked: Question[];
  /** The questions as a person reads them. */
  text: string;
  status: string;
  result: string;
  facts: LogEvent[];
  seconds: number;
}

/** A real session whose model does what the test says, one call a prompt, and whose person answers as the test says. */
export interface Rig {
  session: Session;
  bash(command: string, answer?: Answer | "yes" | "no"): Promise<Done>;
  call(tool: string, input: Record<string, unknown>, answer?: Answer | "yes" | "no"): Promise<Done>;
  /** What the person says to a question that comes between calls, such as a review. */
  answerNext(answer: Answer): void;
  lastAsked(): Question;
  /** Undoes all landed steps, newest first; stops at the first that can't be undone. */
  undoAll(): Promise<ChangeReport[]>;
}

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };

/** A model that makes one call, then is done. */
function puppet(): { model: Model; next(tool: string, input: Record<string, unknown>): void } {
  let call: { tool: string; input: Record<string, unknown> } | undefined;
  let n = 0;
  const model: Model = {
    id: "puppet",
    contextWindow: 1_000_000,
    maxOutput: 32_000,
    async *stream() {
      const now = call;
      call = undefined;
      await Promise.resolve();
      const end = { usage, model: "puppet", attempts: 1 };
      if (now === undefined)
        return yield { type: "reply", blocks: [{ type: "text", text: "ok" }], stopReason: "end_turn", ...end };
      const id = `toolu_rig_${++n}`;
      yield {
        type: "reply",
        blocks: [{ type: "tool_use", id, name: now.tool, input: now.input }],
        stopReason: "tool_use",
        ...end,
      };
    },
  };
  return { model, next: (tool, input) => void (call = { tool, input }) };
}

export async function openRig(at: Place, mode: Mode = "ask", more: SessionInput = {}): Promise<Rig> {
  const doll = puppet();
  let answer: Answer = { kind: "no" };
  let asked: Question[] = [];
  const asker = {
    ask: (question: Question): Promise<Answer> => {
      asked.push(question);
      return Promise.resolve(answer);
    },
    askPerson: (): Promise<undefined> => Promise.resolve(undefined),
  };
  const session = await openAt(at, { ...more, model: doll.model, asker, more: { ...more.more, mode } });
  const run: Rig["call"] = async (tool, input, say = "no") => {
    answer = say === "yes" ? { kind: "yes" } : say === "no" ? { kind: "no" } : say;
    asked = [];
    doll.next(tool, input);
    const since = performance.now();
    const { events } = await collect(session.submit([{ type: "text", text: "go" }], new AbortController().signal));
    const facts = events.filter(isFact);
    const end = facts.findLast((f) => f.type === "call.finished");
    return {
      asked,
      text: asked.map(questionText).join("\n"),
      status: end?.status ?? "none",
      result: end?.content.map((b) => (b.type === "text" ? b.text : `<${b.type}>`)).join("\n") ?? "",
      facts,
      seconds: (performance.now() - since) / 1000,
    };
  };
  return {
    session,
    call: run,
    answerNext: (next) => void (answer = next),
    lastAsked: () => {
      const last = asked.at(-1);
      if (last === undefined) throw new Error("nothing was asked");
      return last;
    },
    bash: (command, say) => run("Bash", { command, timeout_ms: 600_000 }, say),
    undoAll: async () => {
      const reports: ChangeReport[] = [];
      for (;;) {
        const report = await session.undo();
        if (report.text.startsWith("Nothing to undo")) return reports;
        reports.push(report);
        if (!report.ok) return reports;
      }
    },
  };
}
