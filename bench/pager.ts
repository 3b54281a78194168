import type { LogBody, LogEvent } from "../src/events/event.ts";
import { fold, initialState } from "../src/events/reduce.ts";
import { transcriptView } from "../src/ui/pager/view.ts";
import { paint } from "../src/ui/render/spans.ts";
import { plainTheme } from "../src/ui/theme.ts";
import { type Row, timed } from "./measure.ts";

const MESSAGES = 2000;

/** The pager's first screen of a session of 2,000 messages, against reading its log's lines as JSON (T-5). */
export function pagerRow(): Row {
  const facts = factsOf(MESSAGES / 2);
  const lines = facts.map((fact) => JSON.stringify(fact));
  const state = fold(initialState("s_bench"), facts);
  return {
    name: "pager opened on 2,000 messages",
    floorName: "JSON.parse of each",
    run: () =>
      timed(() => {
        const view = transcriptView({
          facts: () => facts,
          state: () => state,
          diffs: () => undefined,
          openText: () => undefined,
          say: () => undefined,
          copy: () => "",
        });
        const rows = paint(view.draw({ cols: 80, rows: 24 }, undefined).rows, plainTheme);
        if (!rows.join("\n").includes(`answer ${MESSAGES / 2 - 1}`)) throw new Error("the end is missing");
      }),
    floor: () =>
      timed(() => {
        if (lines.map((line): unknown => JSON.parse(line)).length !== facts.length) throw new Error("some are missing");
      }),
  };
}

function factsOf(turns: number): LogEvent[] {
  const bodies: LogBody[] = [
    {
      type: "session.opened",
      sessionId: "s_bench",
      folder: "/p",
      roots: [{ path: "/p", kind: "folder" }],
      program: "0.1.0",
      mode: "ask",
      model: "m",
    },
  ];
  for (let n = 0; n < turns; n++) {
    const answer = `answer ${n}: **bold** words and \`code\`\n\n- one\n- two\n\n\`\`\`ts\nconst a = ${n};\n\`\`\`\n`;
    bodies.push(
      { type: "prompt.submitted", when: "start", content: [{ type: "text", text: `question ${n}` }] },
      { type: "turn.started", turn: 1, model: "m" },
      {
        type: "reply.completed",
        turn: 1,
        model: "m",
        blocks: [{ type: "text", text: answer }],
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
        stopReason: "end_turn",
        durationMs: 1,
        attempts: 1,
      },
      { type: "query.finished", reason: "done", turns: 1, durationMs: 1 },
    );
  }
  return bodies.map((body, at): LogEvent => ({ v: 1, seq: at + 1, at: new Date(at).toISOString(), mac: "", ...body }));
}
