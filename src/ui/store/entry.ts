import type { LogEvent, LogEventOf, Todo } from "../../events/event.ts";

/** One thing of the transcript. Nothing in it is sanitized: whoever draws it does that. */
export type Entry =
  | { kind: "person"; when: "start" | "steer"; text: string }
  /** Finished Markdown of the model. `cont`: goes on with the entry before, without a blank row. `raw`: as it came. */
  | { kind: "markdown"; source: string; raw: string; cont: boolean }
  /** `ms`: how long, where it was seen as it came. */
  | { kind: "thinking"; text: string; ms?: number }
  /** A call that has its result; the fold knows what landed of it. */
  | {
      kind: "card";
      callId: string;
      tool: string;
      input: Readonly<Record<string, unknown>>;
      result: LogEventOf<"call.finished">;
      /** That it was denied has a row already. */
      told?: true;
    }
  | { kind: "todos"; todos: readonly Todo[] }
  | { kind: "shell"; event: LogEventOf<"shell.ran"> }
  /** A fact that may leave a row: decisions, modes, undo, ends, limits. */
  | { kind: "fact"; event: LogEvent }
  /** A line of the program's own, in no log. */
  | { kind: "notice"; text: string };
