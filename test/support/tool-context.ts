import { join } from "node:path";
import { textOf } from "../../src/events/block.ts";
import type { Need } from "../../src/events/effect.ts";
import type { Root, Todo, Touch } from "../../src/events/event.ts";
import { readSoFar } from "../../src/events/reduce-calls.ts";
import type { SessionState } from "../../src/events/state.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import type { Outcome, PersonQuestion, Tool, ToolContext, ToolSettings } from "../../src/tools/tool.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import { createView } from "../../src/workspace/view.ts";
import { openWorkspace } from "../../src/workspace/open.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { scratch } from "./scratch.ts";

export const settings: ToolSettings = {
  bash: { timeoutMs: 10_000, maxTimeoutMs: 60_000, outputChars: 30_000, before: false },
  read: { maxBytes: 10 << 20, maxLines: 2000, maxChars: 100_000 },
  grep: { maxMatches: 100 },
  glob: { maxFiles: 100 },
};

/** What a call brought, as a test wants to see it. */
export interface Called {
  outcome: Outcome;
  needs: readonly Need[];
  /** The text for the model. */
  text: string;
}

export interface ToolBench {
  folder: string;
  ctx: ToolContext;
  touched: Map<string, Touch>;
  todos(): readonly Todo[];
  /** Parses the input, runs the tool to its end and, unless `land` is false, lets its changes land. */
  call(tool: string | Tool, input: Record<string, unknown>, land?: boolean): Promise<Called>;
}

export interface BenchOptions {
  folder?: string;
  roots?: readonly Root[];
  layers?: readonly string[];
  settings?: Partial<ToolSettings>;
  hidden?: (path: string) => boolean;
  readable?: readonly string[];
  answer?: (question: PersonQuestion) => string | undefined;
  signal?: AbortSignal;
  /** Where the shell stands; default: the folder. */
  cwd?: string;
}

/** The tools over a real folder, with the real view and the real door. */
export function toolBench(options: BenchOptions = {}): ToolBench {
  const folder = options.folder ?? scratch("tools");
  const roots = options.roots ?? [{ path: folder, kind: "folder" }];
  const steps = scratch("steps");
  const touched = new Map<string, Touch>();
  let todos: readonly Todo[] = [];
  let calls = 0;
  const workspace = openWorkspace(
    { roots, foldersDir: join(steps, "folders"), sessionId: "s_test" },
    { clock: systemClock, makeId: randomId },
  );
  const stage: Workspace["stage"] = async (id, view) => (await workspace).stage(id, view);
  const ctx: ToolContext = {
    callId: "call_0",
    operationId: "op_0",
    roots,
    view: createView(roots, options.layers ?? []),
    workspace: { roots, stage } as unknown as Workspace,
    sandbox: {} as unknown as ToolContext["sandbox"],
    state: () =>
      ({
        folder,
        roots,
        touched,
        steps: [],
        calls: new Map(),
        items: [],
        todos,
        shell: { cwd: options.cwd ?? folder, env: {} },
      }) as unknown as SessionState,
    mode: () => "auto",
    signal: options.signal ?? new AbortController().signal,
    clock: systemClock,
    resultsDir: join(steps, "results"),
    readable: options.readable ?? [],
    settings: { ...settings, ...options.settings },
    ...(options.hidden === undefined ? {} : { hidden: options.hidden }),
    askPerson: (question) => Promise.resolve(options.answer?.(question)),
  };
  const call = async (name: string | Tool, input: Record<string, unknown>, land = true): Promise<Called> => {
    const tool = typeof name === "string" ? builtinTools.find((t) => t.name === name) : name;
    if (tool === undefined) throw new Error(`no tool ${JSON.stringify(name)}`);
    const parsed = tool.input.parse(input);
    const here = { ...ctx, operationId: `op_${++calls}` };
    const needs = await tool.needs(parsed, here);
    const outcome = await finish(tool, parsed, { ...here, allowed: needs });
    if (outcome.changes !== undefined && land) {
      const landing = await (await workspace).land(outcome.changes);
      if (!landing.ok) throw new Error(JSON.stringify(landing.conflicts));
    }
    for (const touch of land || outcome.changes === undefined ? (outcome.touched ?? []) : [])
      touched.set(touch.path, readSoFar(touched.get(touch.path), touch));
    todos = outcome.todos ?? todos;
    return { outcome, needs, text: textOf(outcome.content) };
  };
  return { folder, ctx, touched, todos: () => todos, call };
}

async function finish(tool: Tool, input: unknown, ctx: ToolContext): Promise<Outcome> {
  const run = tool.run(input, ctx);
  for (;;) {
    const next = await run.next();
    if (next.done === true) return next.value;
  }
}
