import type { LogEvent } from "../events/event.ts";
import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import type { Tool } from "../tools/tool.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import { LIMITS } from "./defaults.ts";
import { openSession } from "./open.ts";
import type { Machine, OpenOptions } from "./options.ts";
import { Player } from "./replay-play.ts";
import { type Divergence, Recorded } from "./replay-record.ts";
import type { Names } from "./replay-same.ts";
import { type Script, scriptOf } from "./replay-script.ts";
import { defaultToolSettings } from "./settings.ts";
import type { Store } from "./store.ts";

export interface CheckOptions {
  events: readonly LogEvent[];
  /** Where the tools run: a copy of the folder as it was when the session began. Real path. */
  folder: string;
  /** Of the play alone; its own log lies there. */
  store: Store;
  machine: Machine;
  tools: readonly Tool[];
  clock: Clock;
  makeId: MakeId;
  program: string;
  signal: AbortSignal;
}

/** What a check came to. `facts`: how many were compared. `cut`: it went no further, and why. */
export interface CheckReport {
  facts: number;
  calls: number;
  divergence?: Divergence;
  cut?: { seq: number; why: string };
}

/**
 * Plays a session again (E5): the model's replies and the person's acts and answers come from the log, tools run for real, and each fact is
 * compared with the record. Ends at the first that differs.
 * @throws Error with one readable line where it can't be played at all.
 */
export async function checkReplay(options: CheckOptions): Promise<CheckReport> {
  const script = scriptOf(options.events, new Set(options.tools.map((tool) => tool.name)));
  // Notes come with the next message, some of them where the person acts: they are compared when the log is whole.
  const facts = script.events.filter((event) => event.type !== "note.added");
  const record = new Recorded(facts, namesOf(script, options), script.cut !== undefined);
  const player = new Player(script, record, {
    ...options,
    open: (person, model, resume) =>
      openSession({ ...opening(script, options, person, model), ...begun(script, resume) }),
  });
  await player.play(options.signal);
  const whole = record.divergence ?? (await compared(script, options, player.sessionId));
  const calls = script.events.filter((e) => e.type === "call.started").length;
  return {
    facts: record.matched,
    calls,
    ...(whole === undefined ? {} : { divergence: whole }),
    ...(script.cut === undefined ? {} : { cut: script.cut }),
  };
}

/** The whole log of the play, facts that no query yields included. */
async function compared(script: Script, options: CheckOptions, sessionId: string): Promise<Divergence | undefined> {
  const { sessions, content, key } = options.store;
  const { events } = await loadLog({ sessionsDir: sessions, contentDir: content, sessionId, key: loadKey(key) });
  const record = new Recorded(script.events, namesOf(script, options), script.cut !== undefined);
  for (const event of events) record.take(event);
  record.end();
  return record.divergence;
}

/** Folder and results stand under one name on both sides, so that texts about them are the same. */
function namesOf({ opened, events }: Script, { folder, store }: CheckOptions): Names {
  const spilled = new RegExp(`(/[^\\s"']*/results)/${opened.sessionId}/`).exec(JSON.stringify(events))?.[1];
  const all: Names = [
    [opened.folder, "{folder}"],
    [folder, "{folder}"],
    [store.results, "{results}"],
    ...(spilled === undefined ? [] : [[spilled, "{results}"] as const]),
  ];
  return all.toSorted(([a], [b]) => b.length - a.length);
}

/** What only a new session is told, and what only an old one. */
function begun({ opened, rehearse }: Script, resume: string | undefined): Partial<OpenOptions> {
  if (resume !== undefined) return { resume };
  return { mode: opened.mode, ...(rehearse ? { rehearse } : {}) };
}

function opening(
  script: Script,
  { folder, store, machine, tools, clock, makeId, program }: CheckOptions,
  person: Pick<OpenOptions, "asker" | "saveRule">,
  model: ReturnType<OpenOptions["openModel"]>,
): OpenOptions {
  const { opened, turns = LIMITS.turns } = script;
  const bash = { ...defaultToolSettings.bash, before: script.before };
  return {
    folder,
    addDirs: [],
    store,
    defaults: { mode: opened.mode, model: opened.model },
    config: {
      limits: { ...LIMITS, turns },
      tools: { ...defaultToolSettings, bash },
      prices: {},
      rules: script.rules,
    },
    tools,
    openModel: () => model,
    ...person,
    program,
    machine,
    clock,
    makeId,
  };
}
