import { describe, expect, it } from "vitest";
import type { LogEvent, SessionEvent } from "../../../../src/events/event.ts";
import { rowText } from "../../../../src/ui/commands/agents.ts";
import { commandNamed } from "../../../../src/ui/commands/find.ts";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { textOfLine, lineWidth } from "../../../../src/ui/render/spans.ts";
import { cardLines, runningLine } from "../../../../src/ui/render/tool.ts";
import { reduceView } from "../../../../src/ui/store/view-state.ts";
import { NO_VIEW, type View } from "../../../../src/ui/store/view.ts";
import { denyAll } from "../../../../src/permissions/asker.ts";
import type { AgentRow } from "../../../../src/session/agents-live.ts";
import { fakeSession } from "../../../support/fake-session.ts";

const base = { v: 1 as const, at: new Date(0).toISOString(), mac: "" };
const task = {
  callId: "t1",
  operationId: "op",
  attempt: 1,
  tool: "Task",
  input: { description: "Find\u001b[31m it", prompt: "p" },
};
const within = (event: SessionEvent): SessionEvent => ({ type: "agent.event", agentId: "s-a1", callId: "t1", event });

function viewAfter(...events: SessionEvent[]): View {
  return events.reduce((view, event) => reduceView(view, event, 1000).view, NO_VIEW);
}

const begun: LogEvent[] = [
  { ...base, seq: 1, type: "call.started", ...task },
  {
    ...base,
    seq: 2,
    type: "agent.started",
    agentId: "s-a1",
    callId: "t1",
    agent: "explore",
    description: "Find it",
    model: "m",
  },
];
const usage = { input: 12_000, output: 345, cacheRead: 0, cacheWrite: 0 };
const reply: LogEvent = {
  ...base,
  seq: 3,
  type: "reply.completed",
  turn: 1,
  model: "m",
  blocks: [],
  usage,
  stopReason: "tool_use",
  durationMs: 1,
  attempts: 1,
};
const read: LogEvent = {
  ...base,
  seq: 4,
  type: "call.started",
  callId: "c",
  operationId: "o",
  attempt: 1,
  tool: "Read",
  input: { file_path: "src/a.ts" },
};

describe("a sub-agent on the screen", () => {
  it("C5: has one row while it works: its kind, what it does now, calls, tokens, time", () => {
    const view = viewAfter(...begun, within(reply), within(read));
    const [call] = view.running;
    const row = textOfLine(runningLine(call ?? { tool: "", input: {} }, "/p", 34_000, 100));
    expect(row).toBe("○ explore Find it · Read src/a.ts · 1 call · 12k tokens · 34 s");
    expect(lineWidth(runningLine(call ?? { tool: "", input: {} }, "/p", 34_000, 30))).toBeLessThanOrEqual(30);
  });

  it("C5: what an agent of an agent's uses counts in its row", () => {
    const inner: SessionEvent = { type: "agent.event", agentId: "s-a1-a1", callId: "x", event: reply };
    expect(viewAfter(...begun, within(inner)).running[0]?.agent?.tokens).toBe(12_345);
  });

  it("C5: folds into one line with counts, and what it changed", () => {
    const rows = cardLines(
      {
        tool: "Task",
        input: task.input,
        status: "ok",
        durationMs: 34_000,
        folder: "/p",
        text: "long words\n[Agent a1 (general) is done]\n[It landed: create a.txt]",
        agent: { agent: "general", turns: 8, calls: 12, tokens: 45_000 },
      },
      100,
    ).map(textOfLine);
    expect(rows).toEqual(["● general Find it · 8 turns · 12 calls · 45k tokens · 34 s", "  It landed: create a.txt"]);
  });
});

const row = (id: string, more: Partial<AgentRow> = {}): AgentRow => ({
  id,
  agent: "explore",
  description: "Find it",
  model: "m",
  startedAt: "",
  depth: 1,
  turns: 1,
  calls: 2,
  tokens: 3000,
  ...more,
});

function front(rows: AgentRow[], ...chosen: (string | undefined)[]) {
  const said: string[] = [];
  const shown: string[] = [];
  const session = fakeSession({
    asker: denyAll("x"),
    script: async function* () {
      yield* [];
      return "done";
    },
  });
  const stopped: string[] = [];
  Object.assign(session, {
    agents: {
      kinds: () => [{ name: "explore", description: "finds", source: "builtin", prompt: "" }],
      roster: () => rows,
      peek: () => ["Read src/a.ts"],
      stop: (id: string) => {
        stopped.push(id);
        return { ok: true, text: `${id} stops.`, paths: [] };
      },
    },
  });
  const context = {
    session,
    say: (make: (width: number) => Parameters<typeof textOfLine>[0][]) => void said.push(...make(80).map(textOfLine)),
    choose: async (panel: { body(width: number): Parameters<typeof textOfLine>[0][]; title: string }) => {
      shown.push([panel.title, ...panel.body(80).map(textOfLine)].join("\n"));
      return chosen.shift();
    },
  } as unknown as CommandContext;
  return { said, shown, stopped, run: (args = "") => commandNamed("agents")?.run(args, context) };
}

describe("/agents", () => {
  it("C5: lists them, looks into one, ends one", async () => {
    const { shown, stopped, run } = front(
      [row("s-a1", { doing: "Read src/a.ts" }), row("s-a2", { ended: "done" })],
      "s-a1",
      "stop",
    );
    await run();
    expect(shown[0]).toContain("2 sub-agents, 1 at work");
    expect(shown[1]).toContain("Read src/a.ts");
    expect(stopped).toEqual(["s-a1"]);
    expect(rowText(row("x", { left: true }))).toBe(
      "explore · Find it · left by the last run · 1 turn · 2 calls · 3.0k tokens",
    );
  });

  it("C5: says what there is where none was started, and what can be", async () => {
    const { said, run } = front([]);
    await run();
    await run("kinds");
    await run("nonsense");
    expect(said.join("\n")).toContain("No sub-agent was started");
    expect(said.join("\n")).toContain("explore  finds  (builtin)");
    expect(said.join("\n")).toContain("/agents stop a1");
  });
});
