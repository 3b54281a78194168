import type { Session } from "../../session/session.ts";
import { withEntry } from "../input/editor/history.ts";
import { cleanRow } from "../render/clean.ts";
import { type Line, line, wrap } from "../render/spans.ts";
import { historyLines } from "../render/transcript.ts";
import { welcomeLines } from "../render/welcome.ts";
import { NO_VIEW } from "../store/view.ts";
import type { Change } from "./actions.ts";

/** What a session shows when it opens: the welcome, its history (E2), what is to be said; and the screen's state for it. */
export function greeting(
  session: Session,
  facts: { version: string; home: string },
  width: number,
): { rows: Line[]; change: Change } {
  const state = session.state();
  const { folder, model, mode, bypass, contextTokens } = state;
  const todos = state.todos.some((todo) => todo.status !== "done") ? state.todos : [];
  const { contained, why } = session.sandbox;
  const unfinished = session.unfinished();
  const notices = [...session.notices, ...(unfinished === undefined ? [] : [`${unfinished} · Enter goes on`])];
  const prompts = state.items.flatMap((item) => (item.kind === "prompt" ? item.content : []));
  const texts = prompts
    .flatMap((block) => (block.type === "text" && block.attached === undefined ? [block.text] : []))
    .slice(-200);
  return {
    rows: [
      ...welcomeLines({ ...facts, folder, model, mode, bypass, contained, why }, width),
      ...historyLines(state, width),
      ...notices.flatMap((text) => wrap(line(cleanRow(text), "warning"), { width })),
    ],
    change: (s) => {
      const entries = texts.reduce((all, text) => withEntry(all, { text }), s.history.entries);
      return {
        ...s,
        view: { ...NO_VIEW, folder, model, mode, contextTokens, todos },
        history: { entries },
        sentHere: texts.reduce<typeof s.sentHere>((all, text) => withEntry(all, { text }), []),
      };
    },
  };
}
