import type { Rule } from "../../src/events/effect.ts";
import type { SessionEvent } from "../../src/events/event.ts";
import type { Model } from "../../src/model/model.ts";
import { scriptedModel, type Script } from "../../src/model/scripted.ts";
import { denyAll, type Asker } from "../../src/permissions/asker.ts";
import { LIMITS } from "../../src/session/defaults.ts";
import { openSession } from "../../src/session/open.ts";
import type { OpenOptions } from "../../src/session/options.ts";
import type { QueryResult, Session } from "../../src/session/session.ts";
import { openStore } from "../../src/session/store.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import type { z } from "zod";

// Without the test runner, so that a program of another user's can open a session too.

export type ScriptInput = z.input<typeof Script>;
export interface Place {
  folder: string;
  config: string;
  state: string;
  home: string;
}

export const TOOL_SETTINGS: OpenOptions["config"]["tools"] = {
  bash: { timeoutMs: 60_000, maxTimeoutMs: 600_000, outputChars: 30_000, before: false },
  read: { maxBytes: 5 << 20, maxLines: 2000, maxChars: 60_000 },
  grep: { maxMatches: 200 },
  glob: { maxFiles: 200 },
};

export interface SessionInput {
  script?: ScriptInput;
  model?: Model;
  asker?: Asker;
  rules?: readonly Rule[];
  more?: Partial<OpenOptions>;
  limits?: Partial<typeof LIMITS>;
  checks?: OpenOptions["config"]["checks"];
  prices?: OpenOptions["config"]["prices"];
}

/** Opens a real session (log, door, copy) on a scripted model. Close it, or let the test's end do it. */
export function openAt(at: Place, input: SessionInput): Promise<Session> {
  const model = input.model ?? scriptedModel(input.script ?? { turns: [] }, { clock: systemClock });
  return openSession({
    folder: at.folder,
    addDirs: [],
    store: openStore({ config: at.config, state: at.state }),
    defaults: { mode: "ask", model: "scripted" },
    config: {
      limits: { ...LIMITS, ...input.limits },
      tools: TOOL_SETTINGS,
      prices: input.prices ?? {},
      rules: input.rules ?? [],
      ...(input.checks === undefined ? {} : { checks: input.checks }),
    },
    tools: builtinTools,
    openModel: () => model,
    asker: input.asker ?? denyAll("no one is here"),
    saveRule: (text) => Promise.resolve({ action: "allow", text, source: "person" }),
    program: "test",
    machine: {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
      home: at.home,
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      platform: process.platform,
      arch: process.arch,
    },
    clock: systemClock,
    makeId: randomId,
    ...input.more,
  });
}

/** Runs a query to its end; every event in order, and what it came to. */
export async function collect(
  run: AsyncGenerator<SessionEvent, QueryResult>,
): Promise<{ events: SessionEvent[]; result: QueryResult }> {
  const events: SessionEvent[] = [];
  for (;;) {
    const step = await run.next();
    if (step.done === true) return { events, result: step.value };
    events.push(step.value);
  }
}
